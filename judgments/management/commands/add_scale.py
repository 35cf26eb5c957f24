"""Makes a scale of a query set."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from judgments.base.commands import BAD_INPUT, ActionCommand
from judgments.base.digits import written
from judgments.content.actions.query_sets import query_set_named
from judgments.lists.actions.scales import GradeSpec, create_scale
from judgments.lists.forms.scales import GradeForm, ScaleForm
from judgments.models import Level
from judgments.models.scale import GRADE_KEYS
from touchstone_core.formats.cells import number

_DIGITS: Final = "0123456789"
_NUMBER_KEYS: Final = "1234567890" + GRADE_KEYS.removeprefix("0-9")


class Command(ActionCommand):
    help = "Makes a scale of a query set, for import_judgments --scale NAME and for new lists."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--query-set", required=True, metavar="NAME")
        parser.add_argument(
            "--grade",
            action="append",
            required=True,
            dest="grades",
            metavar="VALUE=LABEL[:GAIN]",
            help="one for each grade; the gain is the value unless it is given",
        )
        parser.add_argument("--level", choices=Level.values, default=Level.ORDINAL.value)
        parser.add_argument(
            "--threshold", default="1", help="the least grade that counts as relevant; default: %(default)s"
        )
        parser.add_argument("--description", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        form = ScaleForm({name: options[name] for name in ("name", "description", "level", "threshold")})
        _refuse_faults(form, options["name"])
        grades = _with_keys([_grade(text) for text in options["grades"]])
        query_set = query_set_named(name=options["query_set"], create=False)
        scale = create_scale(query_set=query_set, grades=grades, **form.cleaned_data)
        grade_words = (
            f"{written(one.value)} {one.label} (key {one.key}, gain {written(one.worth)})" for one in grades
        )
        self.stdout.write(f"{scale} is a scale of {query_set}: {', '.join(grade_words)}.")


def _grade(text: str) -> dict[str, str]:
    """What the page's form of a grade has; a colon is of the label unless a number follows."""
    value, equals, label = text.partition("=")
    if not equals:
        raise CommandError(f"--grade {text} is not VALUE=LABEL or VALUE=LABEL:GAIN.", returncode=BAD_INPUT)
    start, colon, end = label.rpartition(":")
    has_gain = colon and number(end.strip()) is not None
    return {"value": value, "label": start if has_gain else label, "gain": end if has_gain else ""}


def _with_keys(grades: list[dict[str, str]]) -> list[GradeSpec]:
    """In the order of their values, each with the key that is its value, or all numbered where a value is no digit."""
    by_value = sorted(grades, key=lambda grade: number(grade["value"].strip()) or 0.0)
    if len(by_value) > len(_NUMBER_KEYS):
        raise CommandError(f"A scale has at most {len(_NUMBER_KEYS)} grades.", returncode=BAD_INPUT)
    values = [grade["value"].strip() for grade in by_value]
    keys = values if set(values) <= set(_DIGITS) else list(_NUMBER_KEYS)
    forms = [GradeForm(grade | {"key": key}) for grade, key in zip(by_value, keys, strict=False)]
    for form in forms:
        _refuse_faults(form, f"{form.data['value']}={form.data['label']}")
    return [spec for form in forms if (spec := form.spec)]


def _refuse_faults(form: ScaleForm | GradeForm, name: str) -> None:
    for field, faults in form.errors.items():
        raise CommandError(f"{name}, {field}: {faults[0]}", returncode=BAD_INPUT)
