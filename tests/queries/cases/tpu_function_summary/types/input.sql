-- input: shared/small_tpu_capture.sql
-- Core 0: an addition of known size, and a wait of unknown size, whose cycles the total omits.
UPDATE tpu_operation SET category = CASE id WHEN 2 THEN 'sAR' WHEN 3 THEN 'sys' WHEN 6 THEN 'sMM2' END;
