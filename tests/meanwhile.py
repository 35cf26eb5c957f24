"""What others do between two statements of one request; for `connection.execute_wrapper`."""


class Before:
    """Does something once, before the first statement in which all these words stand."""

    def __init__(self, deed, *words):
        self.deed, self.words = deed, words

    def __call__(self, execute, sql, params, many, context):
        if self.deed and all(word in sql for word in self.words):
            deed, self.deed = self.deed, None
            deed()
        return execute(sql, params, many, context)
