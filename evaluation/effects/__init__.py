"""What a change of rule, rater or version does to runs."""
