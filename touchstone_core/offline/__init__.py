"""The commands that need no database: score and compare files."""
