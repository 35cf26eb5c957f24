"""Is a difference between runs more than noise? Paired statistics over the same queries, without Django.

`comparison.compare` compares runs with a baseline, `pairs.compare_all` every run with every other. Both return frozen
records that fit into a JSON field. Scores are arrays of one value per query, runs × queries (R, Q), in the unit of the
measure. Differences are run − baseline, so positive ones favor the run. Callers give a query without an answer the score 0;
None, NaN and infinity are refused. Random draws depend on the seed, the number of draws and the number of queries only, not
on the other runs. Another machine may change the last digits of the resamples.
"""
