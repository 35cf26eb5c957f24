"""One number for the revisions of many queries, computed in SQL."""

_FOLD = "4611686018427387904"  # 2^62: inside bigint, and never negative


def fingerprint(key: str, revision: str) -> str:
    """An SQL aggregate over rows of (key, revision); 0 over no rows.

    A plain sum of revisions would stay the same if one query goes while another one changes as often. Sums of hashes
    differ.
    """
    total = f"COALESCE(SUM(hashint8extended({key}, {revision})), 0)"
    return f"MOD(MOD({total}, {_FOLD}) + {_FOLD}, {_FOLD})::bigint"
