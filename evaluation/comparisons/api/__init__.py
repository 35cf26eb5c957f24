"""Comparisons for programs."""
