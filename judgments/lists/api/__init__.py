"""Lists, versions and scales for programs."""
