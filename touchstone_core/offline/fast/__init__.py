"""Large files to arrays, in pieces, by polars and numpy: no Python object per row, memory bounded. No Django.

`runs.read_runs` and `qrels.open_qrels` stay the specification: every piece that is not plain and clean goes through
their rules line by line, which also words every error.
"""
