"""Words about judging."""

from typing import Final

from touchstone_core.glossary.term import Term

JUDGING: Final = (
    Term("scale", "the grades that raters can give, in order or not"),
    Term("grade", "one value on a scale, with its label, gain, key and color", also=("grade",)),
    Term("threshold", "the lowest grade that counts as relevant"),
    Term(
        "judgment list",
        "the pairs to judge, their judgments, and the rule that makes one grade of several. Runs are scored against it",
        also=("list", "judgment lists", "lists"),
    ),
    Term("pair", "one query with one document, to be judged in a list", also=("pairs",)),
    Term(
        "selection",
        "how a pair was selected to decide between two runs: for what it decides, or at random",
    ),
    Term(
        "judgment",
        "one rater’s answer for one pair: a grade, or “cannot judge” with a reason",
        also=("judgments",),
    ),
    Term(
        "“cannot judge”",
        "an answer without a grade, and why",
        care="If one reason is common, fix the documents or the guidelines.",
        also=("cannot judge",),
    ),
    Term(
        "rater",
        "somebody whose judgments are in a query set: an account, a name in a file, or a machine",
        also=("raters",),
    ),
    Term(
        "machine",
        "a rater that is a program, such as a language model. It’s compared with people, and counts in a list only if an admin lets it",
        care="Look at the kinds of documents on which it differs from people.",
        also=("machine", "machines"),
    ),
    Term(
        "made by",
        "what made a machine’s grades, as somebody wrote it: model, prompt and date",
        also=("made by", "origin"),
    ),
    Term(
        "overlap",
        "how many raters judge each pair",
        care="More raters per pair cost more and show how far raters agree.",
    ),
    Term("slot", "one judgment that is still required, or was given, for a pair"),
    Term("lease", "how long a rater holds a slot before somebody else can get it"),
    Term("handout", "the record that a rater was given a pair. Only then may the rater answer it"),
    Term("later", "a document that a rater put off"),
    Term("guidelines", "what raters are told about grading. They have versions"),
    Term("evidence", "the passage that decided a grade, marked by the rater"),
    Term("confidence", "how sure a rater is: guessing, fairly or sure"),
    Term(
        "gold pair",
        "a pair with a known right grade. It shows how accurate raters are",
        care="Look here when a rater’s grades look careless.",
        also=("gold", "gold pairs"),
    ),
    Term("practice", "gold pairs that come first, with the right answer shown after each. They don’t count"),
    Term("hidden repeat", "a document that a rater judged before and gets again, without being told"),
    Term("quota", "the most judgments that one rater gives in a list"),
    Term("extra", "a judgment beyond those required, given late or by an excluded rater"),
    Term("exclusion", "a rater’s judgments no longer count in a list. They aren’t deleted"),
    Term(
        "skipped",
        "documents that a rater put off and didn’t judge yet",
        care="Many of them point to unclear guidelines.",
        also=("skipped",),
    ),
    Term(
        "to review",
        "changes in a rater’s grading: fewer correct gold pairs, or higher or lower grades compared with others on the same pairs",
        care="Read some of the rater’s answers before you exclude anybody.",
    ),
    Term(
        "median time",
        "half of a rater’s judgments took less time than this, half more",
        care="A very short time can mean that documents aren’t read.",
        also=("median", "median time"),
    ),
    Term(
        "correct",
        "gold pairs that the rater graded as an admin did",
        formula="correct answers / answers to gold pairs",
        care="With few answers the share says little: look at its interval.",
        also=("correct", "correct grade"),
    ),
    Term(
        "how far off",
        "the mean distance from the right grade of gold pairs, in grades",
        care="A rater who is often one grade off is less of a problem than one who is sometimes far off.",
        also=("how far off",),
    ),
    Term(
        "same again",
        "hidden repeats that the rater graded as before",
        formula="same answers / hidden repeats",
        care="Low values mean that this rater’s grades are partly chance.",
        also=("same again",),
    ),
)
