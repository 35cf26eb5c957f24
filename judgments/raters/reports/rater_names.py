"""Names of raters for admins, hidden where it shouldn't matter who somebody is."""

from string import ascii_uppercase

from judgments.models import JudgmentList, Rater


class Names:
    """Raters' names: “Rater A” by default, or their own names if `shown`.

    Letters follow the order in which raters joined the query set, so that nobody's letter changes when others join.
    One statement. Raters who joined after it are “Rater ?”.
    """

    def __init__(self, judgment_list: JudgmentList, *, shown: bool) -> None:
        raters = Rater.objects.filter(query_set=judgment_list.query_set_id).select_related("user")
        self.shown = shown
        self._letters: dict[int, str] = {}
        self._names: dict[int, str] = {}
        for nth, rater in enumerate(raters.order_by("pk")):
            self._letters[rater.pk] = _letters(nth)
            self._names[rater.pk] = rater.display_name

    def short(self, rater_id: int) -> str:
        return (self._names if self.shown else self._letters).get(rater_id, "?")

    def of(self, rater_id: int) -> str:
        if self.shown and rater_id in self._names:
            return self._names[rater_id]
        return f"Rater {self._letters.get(rater_id, '?')}"


def _letters(nth: int) -> str:
    """A to Z, AA to ZZ, AAA and so on."""
    letters = ""
    nth += 1
    while nth:
        nth, place = divmod(nth - 1, 26)
        letters = ascii_uppercase[place] + letters
    return letters
