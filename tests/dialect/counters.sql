-- values of counters
SELECT t.name, c.ts, c.value FROM counter c JOIN counter_track t ON c.track_id = t.id
ORDER BY t.name, c.ts;
-- counters of processes
SELECT pid, process_counter_track.name, process_counter_track.unit
FROM process_counter_track JOIN process USING (upid) ORDER BY 1, 2;
-- processes with a large counter
SELECT process.name FROM counter JOIN process_counter_track ON process_counter_track.id = counter.track_id
JOIN process USING (upid)
WHERE process_counter_track.name LIKE '%memory%' AND value > 1000 ORDER BY counter.ts;
-- counters with their names
SELECT name, COUNT(*), MIN(value), MAX(value), AVG(value) FROM counters GROUP BY name ORDER BY name;
-- how long a value held
SELECT t.name, value, LEAD(c.ts) OVER (PARTITION BY track_id ORDER BY c.ts) - c.ts AS dur
FROM counter c JOIN process_counter_track t ON t.id = c.track_id ORDER BY t.name, c.ts;
