"""The first pages of the site and of a query set, new evaluations from dropped files, the example data, jobs, and what is done with whole query sets."""
