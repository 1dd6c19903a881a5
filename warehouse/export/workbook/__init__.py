"""The xlsx workbook of a report."""
