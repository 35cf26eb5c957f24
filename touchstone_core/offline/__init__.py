"""The commands that need no database: score, compare and gate files."""
