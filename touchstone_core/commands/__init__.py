"""What `touchstone` does with files or with a site. The client, slow to import, is imported only for a site."""
