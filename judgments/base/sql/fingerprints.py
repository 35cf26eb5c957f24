"""A number that stands for the revisions of many queries at once, computed in SQL."""

_FOLD = "4611686018427387904"  # 2^62: inside bigint, and never negative


def fingerprint(key: str, revision: str) -> str:
    """An SQL aggregate over rows of (key, revision); 0 over no rows.

    A plain sum of revisions would call a set unchanged from which one query went while another one changed as
    often; hashes of both do not add up to the same number.
    """
    total = f"COALESCE(SUM(hashint8extended({key}, {revision})), 0)"
    return f"MOD(MOD({total}, {_FOLD}) + {_FOLD}, {_FOLD})::bigint"
