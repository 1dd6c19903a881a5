-- A Trace Event file of unknown origin: its categories mean nothing to us beyond their names.
CREATE OR REPLACE TEMP MACRO category_of(raw) AS (raw);
CREATE OR REPLACE TEMP MACRO is_on_device(raw) AS (false);
CREATE OR REPLACE TEMP MACRO is_restated_flow(raw) AS (false);
