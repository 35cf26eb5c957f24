"""Calls of the API in tests."""

import json
from typing import Any

from django.test import Client

from tests import factories as make


class Api:
    """Calls with a token of this account."""

    def __init__(self, user: Any, scope: str = "admin", **fields: Any) -> None:
        self.token = make.make_token(user, scope, **fields)
        self.client = Client(raise_request_exception=False)

    def get(self, path: str, **headers: str) -> Any:
        return self.call("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("post", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("patch", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.call("delete", path, **headers)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Bytes are sent as a file, and everything else as JSON."""
        path = path if path.startswith("/api/") else f"/api/v1/{path}"
        headers = self._authorization | {name.replace("_", "-"): value for name, value in headers.items()}
        options: dict[str, Any] = {"headers": headers}
        if isinstance(body, bytes):
            options |= {"data": body, "content_type": "application/octet-stream"}
        elif body is not None:
            options |= {"data": json.dumps(body), "content_type": "application/json"}
        return getattr(self.client, method)(path, **options)

    def raw(self, method: str, path: str, body: bytes, content_type: str) -> Any:
        """Sends what no client of ours would."""
        return self.client.generic(
            method.upper(), path, body, content_type=content_type, headers=self._authorization
        )

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def problem_of(response: Any) -> str:
    """The sentence of problem details, whose form is checked as RFC 9457 has it."""
    assert response["Content-Type"] == "application/problem+json", response.content
    problem = response.json()
    assert problem["status"] == response.status_code
    assert set(problem) <= {"type", "title", "status", "detail", "errors"}
    assert problem["detail"].endswith((".", "?")), problem
    return str(problem["detail"])
