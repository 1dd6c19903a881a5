"""A server of the Model Context Protocol: agents find and run queries of one warehouse.

- `answers`: what the tools return, from a warehouse that is opened for reading;
- `worker`: the process that computes it, which is ended at the time limit;
- `server`: the tools as the protocol describes them.
"""
