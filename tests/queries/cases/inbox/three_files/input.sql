INSERT INTO inbox_file VALUES
  ('/in/a.json', 10, 1, 'imported', NULL, 'aa', [1], 1, '2026-11-20 06:00', '2026-11-20 06:00', '0.1.0'),
  ('/in/b.json', 20, 2, 'failed', 'it ends early', NULL, [], 3, '2026-11-20 06:00', '2026-11-20 06:05', '0.1.0'),
  ('/in/c.zip', 30, 3, 'imported', NULL, 'cc', [2, 3], 1, '2026-11-20 06:10', '2026-11-20 06:10', '0.1.0');
