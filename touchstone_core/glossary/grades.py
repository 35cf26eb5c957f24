"""Words about grades."""

from typing import Final

from touchstone_core.glossary.term import Term

GRADES: Final = (
    Term(
        "consensus grade", "the one grade of a pair that scoring reads", also=("consensus grade", "consensus")
    ),
    Term(
        "consensus rule",
        "how several judgments become one grade: median, majority, mean, trimmed mean, or a model",
    ),
    Term("tie rule", "which grade wins if the rule gives two"),
    Term("Dawid–Skene", "a model that estimates grades and raters’ accuracy from each other"),
    Term(
        "disagreement",
        "a pair whose judgments differ",
        care="Decide the widest disagreements first: they change the grade most.",
        also=("spread", "disagreements"),
    ),
    Term("decision", "an admin’s grade for a pair, which wins over the rule. Also: adjudication"),
    Term(
        "agreement",
        "how far raters give the same grades. The main figure is Krippendorff’s alpha",
        formula="alpha = 1 − observed disagreement / disagreement expected by chance",
        care="Below 0.667 conclusions are shaky. Improve the guidelines before you collect more judgments.",
        also=("alpha", "krippendorff’s alpha"),
    ),
    Term(
        "noise of raters",
        "errors of single raters, which make differences between runs smaller",
        formula="reliability of a grade made of k judgments = k α / (1 + (k − 1) α). About: its root. At least: itself, with the lowest α of the interval",
        care="Runs that seem alike may differ. More queries usually help more than more judgments per pair.",
        also=("noise of raters",),
    ),
    Term("confusion", "how often one rater gives this grade where another gives that one"),
    Term(
        "version",
        "a frozen, numbered copy of a list’s grades that never changes, with a hash",
        care="Name it when you publish a number: live grades change.",
        also=("version",),
    ),
    Term("live", "the grades of a list as they are now, in contrast to a version"),
    Term("qrels", "grades in TREC’s file format. Inside Touchstone they are a judgment list"),
    Term("batch", "the judgments that one import wrote into a list, so that it can be undone"),
    Term("log", "who did what, and when. Nothing is ever removed from it"),
    Term("history", "earlier answers to a pair"),
    Term(
        "moving average",
        "how much higher a rater grades than others, in a mean that forgets: each judgment counts one tenth (EWMA)",
        care="A level line is a habit and no problem. A line that leaves its level shows that the rater changed, or the others.",
    ),
    Term(
        "correlation with held-back judgments",
        "how well grades predict judgments that the model didn’t see, as Pearson’s r",
        care="Choose the rule with the highest value. Near 0 a rule predicts nothing.",
        also=("correlation",),
    ),
    Term(
        "kappa",
        "agreement of two raters beyond chance",
        formula="κ = (observed − by chance) / (1 − by chance)",
        care="1 is full agreement, 0 is no better than chance.",
        also=("kappa",),
    ),
    Term(
        "compared pairs",
        "pairs that both raters judged",
        care="Figures over few pairs say little.",
        also=("comparisons", "compared"),
    ),
    Term(
        "same grade",
        "the share of compared pairs with the same grade",
        care="It’s high by chance alone if most grades are the same. Look at kappa, too.",
        also=("same grade", "within a tenth"),
    ),
    Term(
        "higher by",
        "how much higher one rater’s grades are on average than the other’s",
        care="A constant distance means that one is stricter. The guidelines can fix that.",
        also=("higher by",),
    ),
    Term(
        "alpha without",
        "agreement of the others if this rater’s judgments are left out",
        care="If it rises clearly, this rater grades differently from all others.",
        also=("alpha without",),
    ),
    Term(
        "apart",
        "the distance between the lowest and the highest grade of a pair",
        care="Decide pairs with the largest distance first.",
        also=("apart",),
    ),
    Term("grade now", "the pair’s consensus grade as scoring reads it now", also=("grade now",)),
)
