"""Is a difference between runs more than noise? Paired statistics over the same queries, without Django.

`comparison.compare` sets runs against a baseline and `pairs.compare_all` every run against every other; both give frozen
records that a JSON field takes. Scores are arrays of one value per query, runs × queries (R, Q), in the unit of the measure;
differences are run − baseline, so that a positive one is in the run's favor. A query that a run does not answer counts 0,
which the caller puts there: None, NaN and infinity are refused. What is drawn depends on the seed, the number of draws and
the number of queries, on nothing else: not on which other runs stand beside, and not on the machine, which may change the
last digits of the resamples only.
"""
