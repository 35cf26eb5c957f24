"""Explains formulas, and finds the formula behind a number from another tool."""
