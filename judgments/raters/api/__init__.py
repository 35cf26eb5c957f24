"""Raters, assignments and gold pairs for programs."""
