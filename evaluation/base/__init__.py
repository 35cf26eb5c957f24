"""What the rooms of evaluation share: stored rankings, scales, columns."""
