"""Passes or fails a run file against a list, for build servers."""
