"""Example data written for this project, and the programs that made it."""
