"""Three ways to rank the catalog, in plain Python: BM25, trigrams of the title, and best sellers first.

Each takes the products and gives a function from a query's text to a retrieval score per product ID; a product
that does not match is left out. Scores are rounded to four decimals before they are ordered, so that the last bit
of a floating-point logarithm cannot change a file.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from examples.shop.files import Product, Query, Run

DEPTH = 50
LEAST_SIMILARITY = 0.12  # below this, titles share trigrams by chance

Scores = Mapping[str, float]
Ranker = Callable[[str], Scores]


def ranked(queries: Sequence[Query], ranker: Ranker) -> Run:
    """Queries with at least one match, each with its best `DEPTH` products."""
    rankings = {query.id: best_first(ranker(query.text)) for query in queries}
    return {query: ranking for query, ranking in rankings.items() if ranking}


def best_first(scores: Scores) -> list[tuple[str, float]]:
    """By score, then by product ID, both descending: the order in which Touchstone reads a run, ties included."""
    rounded = ((product, round(score, 4)) for product, score in scores.items())
    return sorted(rounded, key=lambda pair: (pair[1], pair[0]), reverse=True)[:DEPTH]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def stem(word: str) -> str:
    """Plural to singular and no more: Harman's S stemmer ("How effective is suffixing?", 1991)."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def bm25(products: Sequence[Product], *, k1: float = 1.2, b: float = 0.75) -> Ranker:
    """Title and body as one text; idf = ln(1 + (N − n + 0.5) / (n + 0.5)), which is never negative."""
    counts = {
        product.id: Counter(map(stem, words(f"{product.title} {product.body}"))) for product in products
    }
    lengths = {product: count.total() for product, count in counts.items()}
    mean_length = sum(lengths.values()) / len(lengths)
    found_in = Counter(word for count in counts.values() for word in count)

    def weight(word: str, product: str) -> float:
        n, tf = found_in[word], counts[product][word]
        idf = math.log(1 + (len(counts) - n + 0.5) / (n + 0.5))
        return idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[product] / mean_length))

    def score(text: str) -> Scores:
        asked = [stem(word) for word in words(text)]
        scores = {product: sum(weight(word, product) for word in asked) for product in counts}
        return {product: value for product, value in scores.items() if value > 0}

    return score


def title_trigram(products: Sequence[Product]) -> Ranker:
    """Cosine of tf-idf vectors over the trigrams of the title's words: forgives typing errors, knows no descriptions."""
    counts = {product.id: Counter(trigrams(product.title)) for product in products}
    found_in = Counter(gram for count in counts.values() for gram in count)

    def vector(count: Counter[str]) -> dict[str, float]:
        weights = {
            gram: n * math.log(1 + len(counts) / found_in[gram])
            for gram, n in count.items()
            if found_in[gram]
        }
        norm = math.sqrt(sum(weight**2 for weight in weights.values()))
        return {gram: weight / norm for gram, weight in weights.items()}

    vectors = {product: vector(count) for product, count in counts.items()}

    def score(text: str) -> Scores:
        asked = vector(Counter(trigrams(text)))
        scores = {
            product: sum(weight * title[gram] for gram, weight in asked.items() if gram in title)
            for product, title in vectors.items()
        }
        return {product: value for product, value in scores.items() if value >= LEAST_SIMILARITY}

    return score


def trigrams(text: str) -> list[str]:
    padded = [f" {word} " for word in words(text)]
    return [word[i : i + 3] for word in padded for i in range(len(word) - 2)]


def keyword_popularity(products: Sequence[Product]) -> Ranker:
    """Any word of the query anywhere in the text is enough; then stars by units sold. Few scores, so many ties."""
    texts = {product.id: frozenset(words(f"{product.title} {product.body}")) for product in products}
    stars = {product.id: min(5, 1 + product.sold // 250) for product in products}

    def score(text: str) -> Scores:
        asked = set(words(text))
        found = {product: len(asked & text_words) for product, text_words in texts.items()}
        return {product: float(n + stars[product]) for product, n in found.items() if n}

    return score
