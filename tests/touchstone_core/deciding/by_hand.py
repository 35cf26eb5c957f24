"""The expected gains and the difference of two runs once more, in plain Python: loops, and normal equations solved by elimination.

Follows Carterette, Allan & Sitaraman (SIGIR 2006) for the weights, and the textbook for ridge regression. Pages are
{run: [[document, …] of each query]}, gains {(query, document): gain}.
"""

from math import sqrt

PENALTY, LEAST, QUERY_WEIGHT, ASSUMED, CAUTION = 1.5, 0.02, 1, 10, 1.5


def eliminate(matrix, right):
    """Solves matrix · x = right by Gauss's elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                times = rows[row][column] / rows[column][column]
                rows[row] = [a - times * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [rows[at][size] / rows[at][at] for at in range(size)]


def clip(value, top):
    return min(max(value, LEAST * top), (1 - LEAST) * top)


class ByHand:
    def __init__(self, pages, gains, discount, top):
        self.runs, self.gains, self.discount, self.top = pages, gains, discount, top
        self.queries = len(pages[0])
        self.documents = sorted(
            {(query, one) for run in pages for query, page in enumerate(run) for one in page}
        )
        self.ideal = top * sum(discount)
        self.fit()

    def in_run(self, run, key):
        page = self.runs[run][key[0]]
        return self.discount[page.index(key[1])] if key[1] in page else 0.0

    def features(self, key):
        of_runs = [self.in_run(run, key) for run in range(len(self.runs))]
        shown = sum(value > 0 for value in of_runs)
        return [1.0, *of_runs, float(shown >= 2), float(shown >= 3), shown / len(self.runs)]

    def fit(self):
        known = [key for key in self.documents if key in self.gains]
        values = [self.gains[key] for key in known]
        self.centre = (sum(values) + self.top / 3) / (len(values) + 1)
        rows = [self.features(key) for key in known]
        size = len(self.features(self.documents[0]))
        self.normal = [
            [sum(row[a] * row[b] for row in rows) + PENALTY * (a == b) for b in range(size)]
            for a in range(size)
        ]
        right = [
            sum(row[a] * (value - self.centre) for row, value in zip(rows, values, strict=True))
            for a in range(size)
        ]
        self.slope = eliminate(self.normal, right)
        squares = ASSUMED * 0.5 * self.centre * (self.top - self.centre)
        binary = ASSUMED * self.centre * (self.top - self.centre)
        for key, value in zip(known, values, strict=True):
            mean = self.mean(key)
            squares += (value - mean) ** 2
            binary += mean * (self.top - mean)
        self.spread, self.residual = squares / binary, squares / (len(known) + ASSUMED)

    def by_rank(self, key):
        by_features = sum(a * b for a, b in zip(self.slope, self.features(key), strict=True))
        return clip(self.centre + by_features, self.top)

    def factor(self, query):
        known = [key for key in self.documents if key[0] == query and key in self.gains]
        added = QUERY_WEIGHT * self.centre
        return (sum(self.gains[key] for key in known) + added) / (
            sum(self.by_rank(key) for key in known) + added
        )

    def mean(self, key):
        return clip(self.by_rank(key) * self.factor(key[0]), self.top)

    def variance(self, key):
        return self.spread * self.mean(key) * (self.top - self.mean(key))

    def weight(self, key):
        return (self.in_run(1, key) - self.in_run(0, key)) / self.ideal

    def expected(self):
        return (
            sum(self.weight(key) * self.gains.get(key, self.mean(key)) for key in self.documents)
            / self.queries
        )

    def value(self, key):
        if key in self.gains:
            return 0.0
        return abs(self.weight(key)) * sqrt(self.variance(key)) / self.queries

    def of_difference(self, without=()):
        """The variance, if the documents `without` were judged, too."""
        left = [key for key in self.documents if key not in self.gains and key not in without]
        own = sum(self.value(key) ** 2 for key in left)
        moved = [
            sum(self.weight(key) * self.factor(key[0]) * self.features(key)[at] for key in left)
            / self.queries
            for at in range(len(self.slope))
        ]
        solved = eliminate(self.normal, moved)
        return own + CAUTION * self.residual * sum(a * b for a, b in zip(moved, solved, strict=True))

    def judgments_left(self):
        """The least number of the most valuable documents without which the difference is 2.33 standard errors from 0."""
        order = sorted(self.documents, key=lambda key: (-self.value(key), key))
        for count in range(len(order) + 1):
            if self.expected() ** 2 >= 2.33**2 * self.of_difference(order[:count]):
                return count
        raise AssertionError("Once everything is judged, nothing is in doubt.")
