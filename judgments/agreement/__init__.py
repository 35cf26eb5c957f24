"""Studies how far raters agree, reviews their disagreements and decides them.

The modules beside the folders are pure arithmetic on counts, without a database.

| module | what it computes |
| --- | --- |
| units | pairs with two or more judgments, and their sums by query |
| alpha | Krippendorff's alpha at three levels, percent agreement and what chance would give |
| leave_one_out | alpha with each rater left out in turn |
| resampling | a figure's confidence interval, by resampling queries |
| coefficients | Fleiss' kappa and Gwet's AC1 and AC2 |
| rater_pairs | two raters: kappa, bias, confusion |

All of them work on sums by query, so that the same code serves one query, all of them and a thousand samples of them.
An undefined figure is NaN in arrays and a sentence where a person reads it (`Figure`), never 0 or 1.
"""

from judgments.agreement.figures import Figure

__all__ = ["Figure"]
