"""Uploads, stores, names and deletes runs."""
