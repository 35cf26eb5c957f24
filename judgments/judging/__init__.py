"""The rating screen: the queue, leases, answers, undo, hidden repeats."""
