"""Agreement, disagreements and decisions for programs."""
