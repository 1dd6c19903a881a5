CASE
      WHEN s.dur >= -1 THEN s.args_json
      WHEN s.args_json IS NULL OR s.args_json::JSON = '{}'::JSON
        THEN '{"tw.dur_ns":' || s.dur || '}'
      WHEN json_type(s.args_json) = 'OBJECT'
        THEN '{"tw.dur_ns":' || s.dur || ',' || substr(ltrim(s.args_json), 2)
      ELSE '{"tw.dur_ns":' || s.dur || ',"args":' || s.args_json || '}'
    END
