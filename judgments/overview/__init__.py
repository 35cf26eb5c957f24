"""The first page of a list: progress, pace, forecast, and what to review."""
