/* ---
name = "tpu_link"
version = 1
title = "Traffic of each direction of each CDMA port: bytes, rate, stalls and retransmissions"
help = """
TX sends or writes to the other side, RX receives or reads; commands that are neither, or unknown,
count by the channel of their record. Rates are over the time the direction moves data, the union of
its intervals; a port works in both directions at once. A time window contains the commands that run
in it, whole.
"""
grain = ["trace_id", "port", "direction"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "port", "direction", "n_commands", "n_sync", "bytes", "work_ns",
  "sync_ns", "bytes_per_s", "n_replays", "replays_per_transfer", "memory_stall_cycles",
  "link_stall_cycles", "cycles", "stall_share",
]

[column]
port = { nullable = false, help = "Port" }
direction = { nullable = false, help = "TX or RX" }
bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes moved" }
work_ns.help = "Time in which a command moves data"
bytes_per_s.help = "bytes / work_ns; NULL if work_ns is 0"
n_replays = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of retransmitted messages" }
cycles.help = "Sum of the cycles of commands that move data; overlapping ones count twice"

[column.n_sync]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of sends and waits of messages and the like"

[column.replays_per_transfer]
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "n_replays per command that moves data"

[column.memory_stall_cycles]
type = "BIGINT"
unit = "cycle"
check = ">= 0"
help = "Stall cycles of reads and writes of memory"

[column.link_stall_cycles]
type = "BIGINT"
unit = "cycle"
check = ">= 0"
help = "Stall cycles of the transmit and receive interfaces and the transmit queue"

[column.stall_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "(link_stall_cycles + memory_stall_cycles) / cycles; above 1 if several interfaces stall at once"

[changes]
1 = "first version"
--- */
WITH command AS (
  SELECT
    c.trace_id,
    c.port,
    c.slice_id,
    c.ts AS start_ns,
    c.ts + greatest(c.dur, 0) AS end_ns,
    coalesce(c.kind = 'sync', false) AS is_sync,
    c.bytes,
    c.cycles,
    n.n_replays,
    coalesce(n.m0_write_stall_cycles, 0) + coalesce(n.m0_read_stall_cycles, 0) AS memory_stall,
    coalesce(n.ati_stall_cycles, 0) + coalesce(n.ari_stall_cycles, 0)
      + coalesce(n.ati_fifo_stall_cycles, 0) AS link_stall,
    CASE
      WHEN c.function IN ('send', 'write', 'tcp_send', 'tx_send', 'tx_wait') THEN 'TX'
      WHEN c.function IN ('receive', 'read', 'tcp_receive', 'rx_send', 'rx_wait') OR n.thread = 1
        THEN 'RX'
      ELSE 'TX'
    END AS direction
  FROM tpu_command AS c
  LEFT JOIN tpu_cdma_counter AS n ON n.slice_id = c.slice_id
  WHERE c.engine = 'CDMA' AND c.port IS NOT NULL
),
step AS (
  SELECT
    *,
    max(CASE WHEN NOT is_sync THEN end_ns END) OVER (
      PARTITION BY trace_id, port, direction
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS free_ns
  FROM command
),
summed AS (
  SELECT
    trace_id,
    port,
    direction,
    count(*) AS n_commands,
    count(*) FILTER (WHERE is_sync) AS n_sync,
    coalesce(sum(bytes), 0)::BIGINT AS bytes,
    sum(CASE WHEN is_sync THEN 0
      ELSE greatest(end_ns - greatest(start_ns, coalesce(free_ns, start_ns)), 0) END)::BIGINT
      AS work_ns,
    sum(CASE WHEN is_sync THEN end_ns - start_ns ELSE 0 END)::BIGINT AS sync_ns,
    coalesce(sum(n_replays), 0)::BIGINT AS n_replays,
    sum(CASE WHEN is_sync THEN 0 ELSE memory_stall END)::BIGINT AS memory_stall_cycles,
    sum(CASE WHEN is_sync THEN 0 ELSE link_stall END)::BIGINT AS link_stall_cycles,
    sum(CASE WHEN is_sync THEN 0 ELSE cycles END)::BIGINT AS cycles
  FROM step
  GROUP BY trace_id, port, direction
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.port,
  s.direction,
  s.n_commands,
  s.n_sync,
  s.bytes,
  s.work_ns,
  s.sync_ns,
  s.bytes * 1e9 / nullif(s.work_ns, 0) AS bytes_per_s,
  s.n_replays,
  s.n_replays / nullif(s.n_commands - s.n_sync, 0) AS replays_per_transfer,
  s.memory_stall_cycles,
  s.link_stall_cycles,
  s.cycles,
  (s.memory_stall_cycles + s.link_stall_cycles) / nullif(s.cycles, 0) AS stall_share
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.port, s.direction DESC
