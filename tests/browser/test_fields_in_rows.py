"""Fields side by side begin at one height, and so do what people type into, whatever help or errors stand between."""

import pytest
from django.urls import reverse

from evaluation.models import Run
from judgments.models import JudgmentList

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RAGGED = """
(box) => {
  const rows = new Map();
  for (const field of box.querySelectorAll(".field:not(.field-check)")) {
    const label = field.querySelector("label"), control = field.querySelector("input:not([type=hidden]), select");
    if (!label || !control) continue;
    const top = Math.round(label.getBoundingClientRect().top);
    const height = Math.round(control.getBoundingClientRect().bottom);
    const key = Math.round(field.getBoundingClientRect().bottom);
    rows.set(key, [...(rows.get(key) || []), [top, height]]);
  }
  return [...rows.values()].filter((row) => new Set(row.map(String)).size > 1);
}
"""


@pytest.fixture
def addresses():
    judgment_list, run = JudgmentList.objects.get(name="First pass"), Run.objects.get(name="bm25")
    return {
        reverse("query-set-members", args=[judgment_list.query_set_id]): "form:has([name=uses_most])",
        reverse("reconcile", args=[judgment_list.pk, run.pk]): "form[role=search]",
        f"{reverse('reconcile', args=[judgment_list.pk, run.pk])}?number=x": "form[role=search]",
        reverse("account"): "form:has([name=scope])",
    }


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_and_what_is_typed_into_begin_at_one_height(sign_in, site, addresses, width):
    page = sign_in("admin")
    page.expected_errors = ("422",)
    page.set_viewport_size({"width": width, "height": 900})

    for address, form in addresses.items():
        page.goto(f"{site}{address}")
        assert page.locator(form).first.evaluate(RAGGED) == [], address

    page.set_viewport_size({"width": 1280, "height": 860})
