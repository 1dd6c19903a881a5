"""Scheduled exports.

Definitions and the history of runs are stored in the warehouse. `tw schedule run-due`, called every
few minutes by cron or a systemd timer, runs what is due and exits. Modules:

    definition   what to export, when, and to which path
    due          due times since the last recorded one
    records      the tables `schedule` and `schedule_run`: claims, results, history
    produce      one definition and one due time → one file
    tick         one call of run-due, over all schedules
    install      the systemd timer or crontab line

Each due time has exactly one outcome:

- Missed times (the machine was off): the latest is run, the others are recorded as skipped, unless
  `catch_up` is all or none.
- An hour skipped by daylight saving time: run at its end. A repeated hour: run the first time.
  (Schedules with a star in minute or hour, such as */15, follow elapsed time; both like Debian's
  cron.)
- Two machines tick at once: the first to write its claim runs the due time.
- Killed while running: no partial file is left; the next tick on the same machine, or on any after
  `grace_s`, runs it again.
- The warehouse stays locked: nothing is recorded, and the next tick retries.
- Empty scope: recorded as skipped, with the reason.
"""
