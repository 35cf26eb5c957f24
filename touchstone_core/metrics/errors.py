"""The errors of this package. The message is a sentence for the person who will read it."""


class MetricsError(Exception):
    """The input cannot be scored."""


class FormulaError(MetricsError):
    """The text or the choices do not make a formula."""


class ChoiceError(FormulaError):
    """A measure cannot be built so; `part` is the parameter at fault, '@' for the cutoff, '' for the name."""

    def __init__(self, sentence: str, part: str) -> None:
        super().__init__(sentence)
        self.part = part


class TextError(FormulaError):
    """A text is no measure; `position` is the index of the character that is at fault, from 0."""

    def __init__(self, text: str, position: int, sentence: str) -> None:
        # Where the text ends too early there is no character to point at but the last.
        self.position = max(min(position, len(text) - 1), 0)
        self.sentence = sentence
        shown = text if len(text) <= 80 else text[:79] + "…"
        super().__init__(f"“{shown}” is not a measure: at character {self.position + 1}, {sentence}.")
