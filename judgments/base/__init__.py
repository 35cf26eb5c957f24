"""What every room may use and what knows nothing of our tables' rows: COPY, locks, cleaning of HTML, dates, names."""
