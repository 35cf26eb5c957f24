"""axe, run on the page as it is."""

import pytest
from django.conf import settings
from playwright.sync_api import Page

AXE = settings.BASE_DIR / "node_modules" / "axe-core" / "axe.min.js"


def axe_findings(page: Page, *, colours_only: bool = False) -> list[str]:
    """Everything that axe finds: rule, element and remedy. Looking at the colours alone is much quicker."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; `make test` fetches it")
    page.wait_for_load_state()  # a click returns as soon as the next page begins, perhaps before it has a body
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": ["color-contrast", "link-in-text-block"]} if colours_only else {}
    )
    result = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{page.url}: {violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]
