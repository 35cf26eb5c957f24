"""Names of measures as trec_eval and pytrec_eval write them, such as `ndcg_cut_10` and `recip_rank`, in our grammar."""

import re
from typing import Final

from touchstone_core.metrics.errors import TextError

_WITH_CUTOFF: Final = {"ndcg_cut": "nDCG", "map_cut": "AP", "p": "P", "recall": "R", "success": "Success"}
_WITHOUT: Final = {"recip_rank": "RR"}
_NAME: Final = re.compile(
    r"\s*(?P<name>[a-z]+(?:_[a-z]+)*)(?:[_.](?P<cutoffs>[0-9,]+))?\s*", re.ASCII | re.IGNORECASE
)


def in_our_grammar(text: str) -> str:
    """The text of a measure, or what we write for one of trec_eval. Only names that mean exactly one of our measures are known.

    Raises TextError for several cutoffs or none.
    """
    match = _NAME.fullmatch(text)
    return (_own_text(match) if match else None) or text


def _own_text(match: re.Match[str]) -> str | None:
    name, cutoffs = match["name"].lower(), match["cutoffs"]
    if cutoffs is None:
        if name in _WITH_CUTOFF and "_" in name:
            raise TextError(
                match.string, match.start("name"), f"{name} needs a cutoff. Write {_WITH_CUTOFF[name]}@10"
            )
        return _WITHOUT.get(name)
    if name not in _WITH_CUTOFF:
        return None
    own = [f"{_WITH_CUTOFF[name]}@{cutoff}" for cutoff in cutoffs.split(",") if cutoff]
    if len(own) != 1:
        instead = " ".join(own[:5]) or f"{_WITH_CUTOFF[name]}@10"
        raise TextError(match.string, match.start("cutoffs"), f"expected one cutoff. Write {instead}")
    return own[0]
