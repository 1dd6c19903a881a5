-- Three events at one time: the first in the source has the last slice.
INSERT INTO memory_event (slice_id, trace_id, track_id, ts, address, bytes, device_kind,
  device_ordinal, source_order) VALUES
  (1, 1, 0, 5, 64, -512, 'cuda', 0, 8), (2, 1, 0, 5, 64, 256, 'cuda', 0, 9),
  (3, 1, 1, 5, 64, 512, 'cuda', 0, 7);
