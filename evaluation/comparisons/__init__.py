"""Compares runs with a baseline: verdicts, intervals, query by query."""
