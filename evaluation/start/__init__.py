"""The first page, new evaluations from dropped files, the example data, and what is done with whole query sets."""
