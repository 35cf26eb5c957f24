"""Gains, discounts, ideals and measures, as whole-array functions without Django.

`arrays.join` makes a `JudgedRun` of a run and a judgment list, and `measure.parse` makes a `Measure` of a text, which
gives one value per query. `formula.Formula` and `ladder.ladder` give DCG with its four ideals at once. `worked_query.work_out`
gives the same for one query, rank by rank, so that people can check it by hand. `presets` names the formulas of other tools.
"""
