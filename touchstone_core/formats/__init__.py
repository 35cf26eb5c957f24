"""Files in, records out: text and the standard library only, nothing of Django or of our models.

Formats are declared in `judgment_files`, `query_files` and `document_files`. Read bytes with `text.decode`, hand the `Text` to
`open_judgment_text` or `read_query_text` there, or to `documents.read_documents`. What concerns the whole file raises `FormatError`; what concerns
a line goes into the `Report`, so that a person sees all of it at once.
"""
