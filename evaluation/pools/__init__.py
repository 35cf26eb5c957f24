"""Sends the results of runs to raters, and takes pairs out again."""
