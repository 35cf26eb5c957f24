"""The first page, the example data, and what is done with whole query sets."""
