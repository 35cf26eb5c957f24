"""Who judges: assignments, gold pairs, accuracy, self-agreement, exclusions."""
