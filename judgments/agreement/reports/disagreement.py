"""One pair with all answers to it and admins' decisions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape

from django.utils.safestring import SafeString

from judgments.agreement.passages import Passage, mark_passages
from judgments.agreement.reports.answers import Chip, Chips, answers_to, apart_in_words
from judgments.agreement.reports.disagreements import place_from
from judgments.agreement.reports.rater_requests import RaterRequest, request_of, with_facts
from judgments.agreement.sql.disagreements import Place
from judgments.base.cleaning import vouched
from judgments.grades.reports import explain_grades
from judgments.judging.reports import judging
from judgments.judging.reports.card_documents import CardDocument
from judgments.judging.reports.judging import Card
from judgments.models import Adjudication, ConsensusGrade, GoldPair, Judgment, JudgmentList, Pair, User
from judgments.raters.reports.exclusions import standing_exclusions
from judgments.raters.reports.rater_names import Names

SURENESS = {1: "guessing", 2: "fairly sure", 3: "sure"}


@dataclass(frozen=True, slots=True)
class RaterAnswer:
    """One rater's answer with its details. `left_out`: it doesn't count because the rater is excluded."""

    rater_id: int
    name: str
    chip: Chip
    judgment: Judgment
    sureness: str
    seconds: float | None
    quotes: list[str]
    left_out: bool


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One pair with all answers to it. `place` is its position among the disagreements; None for a pair without answers."""

    pair_id: int
    card: Card
    answers: list[RaterAnswer]
    place: Place | None
    grade: ConsensusGrade | None
    chip: Chip | None
    decision: Adjudication | None
    earlier: list[Adjudication]
    gold: GoldPair | None
    apart: str
    rater_request: RaterRequest


def disagreement(
    judgment_list: JudgmentList, pair_id: int, names: Names, *, user: User
) -> Disagreement | None:
    """One pair of the list with all answers to it; None if there is no such pair. Seven statements."""
    card = judging.card(judgment_list=judgment_list, user=user, pair_id=pair_id)
    pairs = Pair.objects.filter(judgment_list=judgment_list).select_related("consensus_grade", "gold")
    pair = with_facts(pairs.filter(pk=pair_id), judgment_list, user).first()
    if card is None or pair is None:
        return None
    left_out = standing_exclusions(judgment_list)
    chips = Chips(judgment_list)
    answers = [
        RaterAnswer(
            rater_id=one.rater_id,
            name=names.of(one.rater_id),
            chip=chips.of(one.value, one.reason),
            judgment=one,
            sureness=SURENESS.get(one.confidence or 0, ""),
            seconds=None if one.active_ms is None else one.active_ms / 1000,
            quotes=[passage["quote"] for passage in one.evidence if passage.get("quote")],
            left_out=one.rater_id in left_out,
        )
        for one in answers_to([pair_id])[pair_id]
    ]
    grade: ConsensusGrade | None = getattr(pair, "consensus_grade", None)
    explain_grades([grade])
    decisions = list(
        Adjudication.objects.filter(pair=pair_id).select_related("by", "withdrawn_by").order_by("-pk")
    )
    gold: GoldPair | None = getattr(pair, "gold", None)
    return Disagreement(
        pair_id=pair_id,
        card=replace(card, document=with_passages(card.document, answers, names)),
        answers=answers,
        place=None if grade is None else place_from(grade),
        grade=grade,
        chip=chips.of_grade(grade.value if grade else None),
        decision=next((one for one in decisions if one.withdrawn_at is None), None),
        earlier=[one for one in decisions if one.withdrawn_at is not None],
        gold=gold if gold is not None and gold.retired_at is None else None,
        apart=apart_in_words(judgment_list, grade.spread if grade else None),
        rater_request=request_of(pair),
    )


def with_passages(document: CardDocument, answers: Iterable[RaterAnswer], names: Names) -> CardDocument:
    """The document with the passages that raters marked. A passage of an unknown field is marked wherever it occurs."""
    passages = [
        (str(one.get("field", "")), Passage(one["quote"], names.short(answer.rater_id), one.get("start")))
        for answer in answers
        for one in answer.judgment.evidence
        if one.get("quote")
    ]
    if not passages:
        return document
    fields = {"title", "body", *(unescape(label) for label, _ in (*document.facts, *document.texts))}

    def mark(html: str, name: str) -> SafeString:
        own = [passage for field_name, passage in passages if field_name == name or field_name not in fields]
        return vouched(mark_passages(html, own))

    return replace(
        document,
        title_html=mark(document.title_html, "title"),
        body_html=mark(document.body_html, "body"),
        facts=[(label, mark(html, unescape(label))) for label, html in document.facts],
        texts=[(label, mark(html, unescape(label))) for label, html in document.texts],
    )
