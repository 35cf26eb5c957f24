"""Assigns raters and gold pairs, and shows raters' accuracy, self-agreement and drift."""
