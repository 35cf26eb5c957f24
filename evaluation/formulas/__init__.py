"""Chooses and saves formulas."""
