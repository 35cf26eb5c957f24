"""Uploads, imports and exports."""
