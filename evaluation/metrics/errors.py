"""The errors of this package. The message is a sentence for the person who will read it."""


class MetricsError(Exception):
    """The input cannot be scored."""


class FormulaError(MetricsError):
    """The text or the choices do not make a formula."""
