"""Pairs and contests for programs."""
