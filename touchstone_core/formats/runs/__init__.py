"""Reads run files into rankings in evaluated order: see `runs.read_runs`."""
