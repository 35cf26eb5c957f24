"""Reads large files into arrays, piece by piece, with polars and numpy: no Python object per row, and bounded memory.

`runs.read_runs` and `qrels.open_qrels` are the specification. Any piece that isn't plain and clean goes through their
rules line by line, which also report its errors.
"""
