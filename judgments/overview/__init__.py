"""First pages of query sets and lists: progress, pace, forecast, and what needs attention."""
