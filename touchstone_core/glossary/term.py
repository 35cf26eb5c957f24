"""One word of the glossary."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """What it `means`, its `formula`, and when to `care`. `also` are headings, in lower case, that it explains."""

    name: str
    means: str
    formula: str = ""
    care: str = ""
    also: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """For addresses: `ndcg-local`."""
        return "-".join("".join(letter if letter.isalnum() else " " for letter in self.name.lower()).split())

    @property
    def text(self) -> str:
        """All that is said of it, in lower case."""
        return " ".join((self.name, self.means, self.formula, self.care, *self.also)).lower()

    @property
    def sentence(self) -> str:
        return sentence(self.means)


def sentence(words: str) -> str:
    """With a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?')) else '.'}" if words else ""
