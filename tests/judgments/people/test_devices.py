"""Browsers by what they call themselves: the strings are those of real browsers."""

import pytest

from judgments.people.devices import device_in_words

WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
BLINK = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0",
            "Firefox on Windows",
        ),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {BLINK} Safari/537.36 Edg/140.0.0.0", "Edge on Windows"),
        (f"Mozilla/5.0 (X11; Linux x86_64) {BLINK} Safari/537.36", "Chrome on Linux"),
        (f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {BLINK} Safari/537.36", "Chrome on ChromeOS"),
        (f"Mozilla/5.0 (Windows NT 10.0) {BLINK} Safari/537.36 OPR/124.0.0.0", "Opera on Windows"),
        (f"Mozilla/5.0 (Linux; Android 10; K) {BLINK} Mobile Safari/537.36", "Chrome on Android"),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {BLINK} SamsungBrowser/28.0 Mobile Safari/537.36",
            "Samsung Internet on Android",
        ),
        (
            f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Version/18.0 Safari/605.1.15",
            "Safari on macOS",
        ),
        (
            f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {WEBKIT} Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            f"Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) {WEBKIT} CriOS/140.0 Safari/604.1",
            "Chrome on iPad",
        ),
        ("curl/8.5.0", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_in_words(agent, words):
    assert device_in_words(agent) == words
