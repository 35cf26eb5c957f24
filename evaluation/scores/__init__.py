"""Scores runs under a list: the run table and the run page."""
