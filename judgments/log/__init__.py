"""Records and shows who did what."""
