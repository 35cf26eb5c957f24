"""Teaches NDCG, explains words and formulas, and finds the formula behind a number from another tool."""
