"""The errors of this package. Messages are sentences for users."""


class MetricsError(Exception):
    """The input cannot be scored."""


class FormulaError(MetricsError):
    """The text or the parameters make no formula."""


class ChoiceError(FormulaError):
    """These parameters make no measure. `part` is the parameter at fault, '@' for the cutoff, '' for the name."""

    def __init__(self, sentence: str, part: str) -> None:
        super().__init__(sentence)
        self.part = part


class TextError(FormulaError):
    """A text is no measure. `position` is the index of the wrong character, from 0."""

    def __init__(self, text: str, position: int, sentence: str) -> None:
        # If the text ends too early, point at its last character.
        self.position = max(min(position, len(text) - 1), 0)
        self.sentence = sentence
        excerpt = text if len(text) <= 80 else text[:79] + "…"
        super().__init__(
            f"“{excerpt}” can’t be read as a measure. At character {self.position + 1}: {sentence}."
        )
