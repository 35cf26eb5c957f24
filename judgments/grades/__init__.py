"""From judgments to one grade: consensus rules and model fits on stored rows."""
