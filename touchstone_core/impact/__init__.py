"""What changed between two runs before anybody judges: pure numpy, no Django."""
