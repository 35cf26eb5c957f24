"""A site of several processes, as load balancers, Prometheus and readers of its log see it."""

import json
import re
import urllib.request

import pytest

from tests.config.conftest import starter

pytestmark = pytest.mark.drill


def get(site, path, **headers):
    request = urllib.request.Request(f"{site.address}{path}", headers=headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return response.read().decode(), response.headers


def test_any_process_answers_for_all_and_each_request_has_a_line():
    with starter() as start:
        site = start(TOUCHSTONE_METRICS_TOKEN="secret", TOUCHSTONE_LOG="json", WEB_CONCURRENCY="3")

        assert json.loads(get(site, "/health/live")[0]) == {"status": "live"}
        assert json.loads(get(site, "/health/ready")[0]) == {"status": "ready"}
        sent = {get(site, "/accounts/sign-in/")[1]["X-Request-ID"] for _ in range(20)}
        texts = [get(site, "/metrics", Authorization="Bearer secret")[0] for _ in range(6)]
        site.terminate()
        said, _ = site.communicate(timeout=60)

    counts = {re.search(r'requests_total{.*view="sign-in"} (\S+)', text)[1] for text in texts}
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert counts == {"20.0"}
    assert {line["request_id"] for line in lines if line.get("view") == "sign-in"} == sent
    assert "secret" not in said
