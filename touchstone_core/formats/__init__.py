"""Readers and writers of files: text in, records out, and back. They know nothing of Django or of our models.

Formats are declared in `judgment_files`, `query_files`, `document_files` and `runs.declarations`. `text.decode` makes a
`Text` of bytes, and `open_judgment_text`, `read_query_text`, `read_documents` and `read_runs` read it. A file that can't be
read at all raises `FormatError`. A bad line goes into the `Report`, so that a person sees all bad lines at once.
"""
