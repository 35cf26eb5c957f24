"""What changed between runs before anybody judges."""
