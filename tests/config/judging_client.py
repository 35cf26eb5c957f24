"""Raters who judge over HTTP: by pages alone, as fast as the site answers, and as the script of the rating screen does.

Run as a process, a rater sends every answer twice and never gives up on one: address, username, list's page, how many
answers. Prints a line for each answer that the site acknowledged.
"""

import http.client
import json
import re
import socket
import sys
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')


class Rater:
    def __init__(self, address: str, username: str) -> None:
        self.address, self.username = address, username
        self.cookies = CookieJar()
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.sign_in()

    def sign_in(self) -> None:
        fields = self.fields(self.open("/accounts/sign-in/"))
        self.open("/accounts/demo/", fields | {"username": self.username})

    def open(self, path: str, data: dict[str, str] | None = None) -> str:
        """The page, asked for again for as long as nobody answers: a killed process is replaced within moments."""
        body = urlencode(data).encode() if data is not None else None
        for _ in range(200):
            try:
                with self.browser.open(self.address + path, body, timeout=20) as response:
                    return str(response.read().decode())
            except urllib.error.HTTPError:
                raise
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
                time.sleep(0.05)
        raise TimeoutError(path)

    @staticmethod
    def fields(page: str) -> dict[str, str]:
        return dict(FIELD.findall(page))

    def judge(self, path: str, count: int) -> None:
        for number in range(count):
            page = self.open(path)
            form = page[page.find('class="grade-panel"') :]
            if "grade-button" not in form:
                return
            fields = self.fields(form)
            answer = {name: fields[name] for name in ("csrfmiddlewaretoken", "pair", "request_id")}
            answer["grade"] = str(number % 4)
            for _ in range(2):
                self.open(f"{path}answer/", answer)
            print(answer["request_id"], answer["pair"], answer["grade"], flush=True)  # noqa: T201


class Screen(Rater):
    """One tab with the rating screen. `deck` is what the site handed out, in order."""

    def __init__(self, address: str, username: str, page: str) -> None:
        super().__init__(address, username)
        self.page = page
        self.account = re.findall(r'data-account="(\d+)"', self.open(page))[0]
        self.deck: list[int] = []
        self.post("cards")

    def post(self, act: str, **fields: Any) -> tuple[int, Any]:
        """The status and the content of one act; status 0 where nobody answered. The deck follows a success."""
        try:
            with self.browser.open(self._request(act, fields), timeout=20) as response:
                content = json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                body = error.read()
            is_json = "json" in error.headers.get("Content-Type", "")
            return error.code, json.loads(body) if is_json else body.decode()
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            return 0, None
        self.deck = [pair for pair, *_ in content["held"]]
        return 200, content

    def answer(self, pair: int, grade: int, request_id: str = "", **more: Any) -> tuple[int, Any]:
        return self.post("answer", **self.form(pair, grade, request_id, **more))

    def insist(self, act: str, **fields: Any) -> list[int]:
        """As the screen does: the same act until the site acknowledges it. The statuses before, 0 for no answer."""
        refused: list[int] = []
        deadline = time.monotonic() + 30
        while (status := self.post(act, **fields)[0]) != 200:
            refused.append(status)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{act} {refused}")
            time.sleep(0.05)
        return refused

    def hang_up_after(self, act: str, **fields: Any) -> None:
        """Sends an act whole and leaves before the answer."""
        request = self._request(act, fields)
        self.cookies.add_cookie_header(request)
        assert isinstance(request.data, bytes)
        lines = [f"POST {urlsplit(request.full_url).path} HTTP/1.1", f"Host: {request.host}"]
        lines += [f"{name}: {value}" for name, value in request.header_items()]
        lines += [f"Content-Length: {len(request.data)}", "Content-Type: application/x-www-form-urlencoded"]
        host, port = request.host.split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + request.data)

    @staticmethod
    def form(pair: int, grade: int, request_id: str = "", **more: Any) -> dict[str, Any]:
        return {"pair": pair, "grade": grade, "request_id": request_id or str(uuid4()), **more}

    def _request(self, act: str, fields: dict[str, Any]) -> urllib.request.Request:
        token = next(cookie.value for cookie in self.cookies if cookie.name == "csrftoken")
        headers = {"Accept": "application/json", "HX-Request": "true", "X-CSRFToken": str(token)}
        known = {"have": ",".join(map(str, self.deck)) if act != "cards" else "", "account": self.account}
        body = urlencode({**fields, **known}).encode()
        return urllib.request.Request(f"{self.address}{self.page}{act}/", body, headers)  # noqa: S310 - http only


if __name__ == "__main__":
    Rater(sys.argv[1], sys.argv[2]).judge(sys.argv[3], int(sys.argv[4]))
