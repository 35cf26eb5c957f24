"""axe, run on the page as it is."""

import pytest
from django.conf import settings
from playwright.sync_api import Page

AXE = settings.BASE_DIR / "node_modules" / "axe-core" / "axe.min.js"


def serious_violations(page: Page) -> list[str]:
    """What axe calls serious or critical: rule, element and remedy."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; `make test` fetches it")
    page.evaluate(AXE.read_text())
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{page.url}: {violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
