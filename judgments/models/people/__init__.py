"""Who signs in, how, and with which tokens."""
