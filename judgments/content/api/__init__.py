"""Query sets, queries, documents and their grades for programs."""
