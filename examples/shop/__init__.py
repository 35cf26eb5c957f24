"""The shop: an invented catalog, its queries, three raters and four runs. See `examples/README.md`."""
