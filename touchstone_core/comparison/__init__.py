"""Two runs or more compared with a baseline, from arrays to verdicts."""
