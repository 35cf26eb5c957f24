"""A rater who judges over HTTP as fast as the site answers, sends every answer twice and never gives up on one.

Run as a process: address, user name, how many answers. Prints a line for each answer that the site acknowledged.
"""

import http.client
import re
import sys
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlencode

FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')


class Rater:
    def __init__(self, address: str, username: str) -> None:
        self.address = address
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        fields = self.fields(self.open("/accounts/sign-in/"))
        self.open("/accounts/demo/", fields | {"username": username})

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


if __name__ == "__main__":
    Rater(sys.argv[1], sys.argv[2]).judge(sys.argv[3], int(sys.argv[4]))
