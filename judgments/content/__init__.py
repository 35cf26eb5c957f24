"""Query sets, queries and documents: search, editing, archive, deletion."""
