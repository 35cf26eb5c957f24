"""Explains formulas, and finds the formula behind a number seen elsewhere."""
