"""Gain, discount, the four ideals and what follows from them, as whole-array functions without Django.

`arrays.join` makes a `JudgedRun` of a run and a judgment list, `formula.Formula` says how to score it, and
`ladder.ladder` scores it. `worked.work_out` does the same for one query, rank by rank, to be checked by hand.
"""
