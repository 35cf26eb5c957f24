"""Judgment lists and scales: settings, pairs, versions."""
