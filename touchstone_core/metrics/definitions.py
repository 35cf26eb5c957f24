"""Every measure that there is. The documentation is made of these texts, so they are written to be read."""

from typing import Final

from touchstone_core.metrics import binary, cascade, coverage, dcg, incomplete
from touchstone_core.metrics.definition import Definition, check_biased, check_discounted

_DISCOUNTED: Final = ("gain", "discount", "base", "missing", "unjudged")
_IDEAL: Final = (*_DISCOUNTED, "ideal", "depth", "max")
_BINARY: Final = ("missing", "rel", "unjudged")

_ALL: Final = (
    Definition(
        name="nDCG",
        line="How much of the best possible DCG the ranking reaches.",
        formula="DCG@k / IDCG@k, both with the same gain, discount and cutoff.",
        edges="Where the ideal DCG is 0, nothing can be gained, and the value is that of the parameter zero. A "
        "judged query that the run does not answer counts 0 even under zero=1; under zero='skip' it is left out "
        "only if its judgments hold no gain at all. Without a cutoff, as trec_eval's ndcg, a short ranking "
        "cannot reach 1 unless it holds every document with a gain.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002; the discount log2(i + 1) is that of Burges et al., ICML 2005.",
        compute=dcg.ndcg,
        parameters=(*_IDEAL, "zero"),
        check=check_discounted,
    ),
    Definition(
        name="DCG",
        line="The gains of the documents shown, each discounted by its rank, added up.",
        formula="The sum of gain(g_i) · discount(i) over the ranks i from 1 to k.",
        edges="Has no upper end: compare it only under the same scale, gain and cutoff. A negative grade has a "
        "gain of 0.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002.",
        compute=dcg.dcg,
        is_share=False,
        parameters=_DISCOUNTED,
        check=check_discounted,
    ),
    Definition(
        name="IDCG",
        line="The best DCG that a chosen list of documents could have: what nDCG divides by.",
        formula="The gains of the list that ideal names, in descending order and cut at k, discounted and added up.",
        edges="Under the ideals global, max and global-uncut it says something of the judgments and not of the run, "
        "and a query that the run does not answer has it too, instead of 0.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002; ideals other than global: the tools that use them.",
        compute=dcg.ideal_dcg,
        is_share=False,
        parameters=_IDEAL,
        check=check_discounted,
    ),
    Definition(
        name="CG",
        line="The gains of the documents shown, added up whatever their rank.",
        formula="The sum of gain(g_i) over the ranks i from 1 to k.",
        edges="The same as DCG with discount='none'.",
        source="Järvelin & Kekäläinen, SIGIR 2000.",
        compute=dcg.cg,
        is_share=False,
        parameters=("gain", "missing", "unjudged"),
    ),
    Definition(
        name="P",
        line="Precision: the share of relevant documents in the top k.",
        formula="Relevant documents in the top k / k.",
        edges="A ranking shorter than k still divides by k (trec_eval); RankLib, Quepid and OpenSearch divide by "
        "the documents shown.",
        source="trec_eval, measure P.",
        compute=binary.precision,
        parameters=_BINARY,
        cutoff="required",
    ),
    Definition(
        name="R",
        line="Recall: the share of the relevant documents that the top k holds.",
        formula="Relevant documents in the top k / R, where R counts the relevant documents of the judgments.",
        edges="0 where there is no relevant document.",
        source="trec_eval, measure recall.",
        compute=binary.recall,
        parameters=_BINARY,
        cutoff="required",
    ),
    Definition(
        name="Success",
        line="Whether there is a relevant document in the top k.",
        formula="1 if one of the top k is relevant, otherwise 0.",
        edges="Called hit rate elsewhere, and by some even recall.",
        source="trec_eval, measure success.",
        compute=binary.success,
        parameters=_BINARY,
        cutoff="required",
    ),
    Definition(
        name="AP",
        line="Average precision: the precision at the rank of each relevant document, averaged over all of them.",
        formula="The sum of P@i over the ranks i (to k) of relevant documents / R.",
        edges="A relevant document that is not retrieved counts 0. AP@k divides by R as well, not by min(R, k). "
        "0 where there is no relevant document.",
        source="trec_eval, measures map and map_cut.",
        compute=binary.average_precision,
        parameters=_BINARY,
    ),
    Definition(
        name="RR",
        line="Reciprocal rank: how early the first relevant document comes. Its mean is the MRR.",
        formula="1 / the rank of the first relevant document.",
        edges="0 where none is relevant, or none down to k.",
        source="trec_eval, measure recip_rank; with a cutoff, the script of MS MARCO.",
        compute=binary.reciprocal_rank,
        parameters=_BINARY,
    ),
    Definition(
        name="Rprec",
        line="R-precision: the precision at the rank where precision and recall meet.",
        formula="Relevant documents in the top R / R, where R counts the relevant documents of the judgments.",
        edges="A ranking shorter than R still divides by R. 0 where there is no relevant document.",
        source="trec_eval, measure Rprec.",
        compute=binary.r_precision,
        parameters=_BINARY,
        cutoff="none",
    ),
    Definition(
        name="ERR",
        line="Expected reciprocal rank: 1 / the rank where a searcher, who reads from the top, finds what satisfies.",
        formula="The sum over the ranks i of 1/i · p_i · (1 − p_1) · … · (1 − p_(i−1)), with p_i = (2^g_i − 1) / 2^G.",
        edges="G is the top grade of the scale, not of the query: gdeval and RankLib fix it at 4, Quepid takes "
        "its scorer's scale, and their values differ for that alone. A perfect ranking does not reach 1.",
        source="Chapelle et al., CIKM 2009.",
        compute=cascade.expected_reciprocal_rank,
        parameters=("max", "missing", "unjudged"),
    ),
    Definition(
        name="RBP",
        line="Rank-biased precision: what a searcher gains per document, who goes on to the next with probability p.",
        formula="(1 − p) times the sum of r_i · p^(i−1), where r_i is grade / top grade or, with rel, 1 or 0.",
        edges="The lower end of an interval: unjudged documents count nothing. RBPres says how far up it reaches.",
        source="Moffat & Zobel, TOIS 27(1), 2008. trec_eval 10.0 reads two variables here that it never set.",
        compute=cascade.rank_biased_precision,
        parameters=("max", "missing", "p", "rel", "unjudged"),
        cutoff="none",
        check=check_biased,
    ),
    Definition(
        name="RBPres",
        line="The residual of RBP: what it would gain if everything unjudged were of the top grade.",
        formula="(1 − p) times the sum of p^(i−1) over the unjudged ranks i, plus p^n for a ranking of n documents.",
        edges="A negative grade counts as unjudged. 1 for an empty ranking, of which nothing is known, but 0 for a query "
        "that the run does not answer, which counts 0 for good. trec_eval leaves p^n out where it met no unjudged "
        "document.",
        source="Moffat & Zobel, TOIS 27(1), 2008.",
        compute=cascade.rank_biased_residual,
        parameters=("missing", "p"),
        cutoff="none",
    ),
    Definition(
        name="Bpref",
        line="How seldom a document judged not relevant stands above a relevant one; the unjudged are passed over.",
        formula="The sum over the relevant documents retrieved of 1 − min(n, R) / min(N, R), divided by R; n counts "
        "the documents judged not relevant above it, N all of them. The term is 1 where n is 0.",
        edges="A negative grade counts as unjudged. 0 where there is no relevant document.",
        source="Buckley & Voorhees, SIGIR 2004, as corrected in trec_eval 8.0.",
        compute=incomplete.bpref,
        parameters=("missing", "rel"),
        cutoff="none",
    ),
    Definition(
        name="infAP",
        line="Inferred average precision: the AP to expect of a pool of which only a sample was judged.",
        formula="The sum over the relevant documents, at rank k, of 1/k + c/k · (r + e) / (r + s + 2e), divided by R; "
        "above it stand r relevant and s other judged documents, c documents of the pool, and e is 0.00001.",
        edges="A negative grade says: in the pool, not judged. Without one it is AP but for e. 0 where there is no "
        "relevant document.",
        source="Yilmaz & Aslam, CIKM 2006, as computed by trec_eval.",
        compute=incomplete.inferred_ap,
        parameters=("missing", "rel"),
        cutoff="none",
    ),
    Definition(
        name="Judged",
        line="The share of the documents shown that have been judged.",
        formula="Judged documents in the top k / min(k, n) for a ranking of n documents.",
        edges="A negative grade is a judgment (as in ir_measures, unlike trec_eval's unj). 0 for an empty ranking.",
        source="ir_measures, measure Judged.",
        compute=coverage.judged,
        parameters=("missing",),
    ),
    Definition(
        name="Holes",
        line="The number of unjudged documents in the top k.",
        formula="min(k, n) − the judged documents in the top k, for a ranking of n documents.",
        edges="A count, and not a share. The ranks after the end of a short ranking are no holes.",
        source="The holes of ir_measures and BEIR, counted.",
        compute=coverage.holes,
        is_share=False,
        parameters=("missing",),
    ),
)

DEFINITIONS: Final = {definition.name: definition for definition in _ALL}
