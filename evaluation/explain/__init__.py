"""One query of a run: gains, discounts and the four ideals."""
