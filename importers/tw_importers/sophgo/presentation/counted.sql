-- The engines with counter tracks.
SELECT track_id, min(engine) AS engine
FROM tpu_command
WHERE engine IN ('TIU', 'GDMA')
GROUP BY track_id
ORDER BY track_id
