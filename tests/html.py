"""The HTML of a response without the white space that browsers ignore, so that tests don't depend on line breaks."""

import re

BLOCK = r"</?(?:body|caption|dd|div|dl|dt|form|h[1-3]|li|ol|p|section|summary|table|tbody|td|th|thead|tr|ul)\b[^>]*>"


def html_of(response):
    html = " ".join(response.content.decode().split())
    return re.sub(rf" ?({BLOCK}) ?", r"\1", html)


def text_of(response):
    """The same without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html_of(response)).split())
