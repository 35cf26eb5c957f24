"""Run files in: text to rankings in evaluated order, by `runs.read_runs`. No Django, no models, no database."""
