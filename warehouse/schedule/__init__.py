"""Exports that are made again and again.

Definitions and the record of every run live in the warehouse; the operating system gives the tick:
`tw schedule run-due`, called every few minutes by cron or a systemd timer, makes what is due and
ends. One way through:

    definition   what is to be made, when, and where to
    due          which times of a schedule have come since the last one recorded
    records      the tables `schedule` and `schedule_run`: claims, results, history
    produce      one definition and one due time → one file
    tick         all of it, for every schedule
    install      the unit or the line that lets the operating system tick

Each due time has one outcome, whatever happens:

- Missed times (the machine was off): the latest is made, the others are recorded as skipped;
  `catch_up` all or none says otherwise.
- An hour that the clocks leave out: made when it would have been over, at its end. An hour that
  comes twice: made once, the first time. (Schedules with a star in minute or hour, such as */15,
  follow the elapsed time instead; both as Debian's cron does.)
- Two machines tick at once: the first to write the claim makes it, the other goes on.
- Killed while making: no half file is left, since a file takes its name when it is whole; the next
  tick on the same machine, or on any after `grace_s`, makes it again.
- The warehouse is in use for too long: nothing is recorded, the next tick finds the time still due.
- Nothing in scope: recorded as skipped, with the reason.
"""
