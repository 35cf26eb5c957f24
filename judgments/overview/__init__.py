"""The first pages of query sets and lists: progress, pace, forecast, and what to review."""
