"""One grade from several judgments: plain rules, and models of raters."""
