"""Sends the results of runs to raters."""
