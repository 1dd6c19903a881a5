"""Tables for people who read them on a terminal: they fit its width, with units people read.

Pipes and files get exact values from `warehouse.query.encoding`.
"""
