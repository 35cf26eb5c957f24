"""Asks search engines what they find for queries, over HTTP."""
