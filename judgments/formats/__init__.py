"""Files in, records out: text and the standard library only, nothing of Django or of our models.

Read bytes with `text.decode`, hand the `Text` to `queries.read_queries`, `documents.read_documents`,
`judgments.read_judgments` or `qrels.read_qrels`. What concerns the whole file raises `FormatError`; what concerns
a line goes into the `Report`, so that a person sees all of it at once.
"""
