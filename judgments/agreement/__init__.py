"""How far raters agree: figures, drift, disagreements, decisions on them. The modules here are pure arithmetic on counts.

| module | what it says |
| --- | --- |
| units | pairs with two or more judgments, and what is added up of them by query |
| alpha | Krippendorff's alpha at three levels, percent agreement and what chance would give |
| leaving | alpha with each rater left out in turn |
| resampling | the interval of a figure, from queries drawn anew |
| coefficients | Fleiss' kappa and Gwet's AC1 and AC2 |
| couples | two raters: kappa, bias, confusion |

All of them work on sums by query, so that one query, all of them and a thousand drawings of them are the same code.
What is not defined is NaN in arrays, and a sentence wherever a person reads it (`Figure`); never 0 or 1.
"""

from judgments.agreement.figures import Figure

__all__ = ["Figure"]
