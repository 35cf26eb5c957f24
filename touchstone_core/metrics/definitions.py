"""Every measure. The documentation consists of these texts."""

from typing import Final

from touchstone_core.metrics import binary, cascade, coverage, dcg, incomplete
from touchstone_core.metrics.definition import Definition, check_biased, check_discounted

_DCG_PARAMETERS: Final = ("gain", "discount", "base", "missing", "unjudged")
_IDEAL_PARAMETERS: Final = (*_DCG_PARAMETERS, "ideal", "depth", "max")
_BINARY_PARAMETERS: Final = ("missing", "rel", "unjudged")

_ALL: Final = (
    Definition(
        name="nDCG",
        line="How much of the best possible DCG the ranking reaches.",
        formula="DCG@k / IDCG@k, both with the same gain, discount and cutoff.",
        edges="If the ideal DCG is 0, the value is the parameter zero. A judged query that the run does not answer counts "
        "as 0 even under zero=1. Under zero='skip' it is left out only if its judgments hold no gain. Without a cutoff, as "
        "in trec_eval’s ndcg, a short ranking cannot reach 1 unless it holds every document with a gain.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002; the discount log2(i + 1) is from Burges et al., ICML 2005.",
        compute=dcg.ndcg,
        parameters=(*_IDEAL_PARAMETERS, "zero"),
        check=check_discounted,
    ),
    Definition(
        name="DCG",
        line="The sum of the gains of the documents shown, each discounted by its rank.",
        formula="The sum of gain(g_i) · discount(i) over the ranks i from 1 to k.",
        edges="It has no greatest value, so compare it only under the same scale, gain and cutoff. A negative grade has "
        "a gain of 0.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002.",
        compute=dcg.dcg,
        is_share=False,
        parameters=_DCG_PARAMETERS,
        check=check_discounted,
    ),
    Definition(
        name="IDCG",
        line="The best DCG that the documents of the ideal could have. nDCG divides by it.",
        formula="The sum of the discounted gains of the documents that the parameter ideal selects, in descending order, cut at k.",
        edges="Under the ideals global, max and global-uncut it depends on the judgments and not on the run, so a query "
        "that the run does not answer has it, too.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002; ideals other than global: the tools that use them.",
        compute=dcg.ideal_dcg,
        is_share=False,
        parameters=_IDEAL_PARAMETERS,
        check=check_discounted,
    ),
    Definition(
        name="CG",
        line="The sum of the gains of the documents shown, whatever their ranks.",
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
        edges="Divides by k even if the ranking is shorter, as trec_eval does. RankLib, Quepid and OpenSearch divide by the "
        "number of documents shown.",
        source="trec_eval, measure P.",
        compute=binary.precision,
        parameters=_BINARY_PARAMETERS,
        cutoff="required",
    ),
    Definition(
        name="R",
        line="Recall: the share of the relevant documents that are in the top k.",
        formula="Relevant documents in the top k / R, where R is the number of relevant documents in the judgments.",
        edges="0 if there is no relevant document.",
        source="trec_eval, measure recall.",
        compute=binary.recall,
        parameters=_BINARY_PARAMETERS,
        cutoff="required",
    ),
    Definition(
        name="Success",
        line="Whether there is a relevant document in the top k.",
        formula="1 if one of the top k is relevant, otherwise 0.",
        edges="Also called hit rate; some tools even call it recall.",
        source="trec_eval, measure success.",
        compute=binary.success,
        parameters=_BINARY_PARAMETERS,
        cutoff="required",
    ),
    Definition(
        name="AP",
        line="Average precision: the precision at the rank of each relevant document, averaged over all of them.",
        formula="The sum of P@i over the ranks i (to k) of relevant documents / R.",
        edges="A relevant document that is not retrieved counts as 0. AP@k also divides by R, not by min(R, k). 0 if there "
        "is no relevant document.",
        source="trec_eval, measures map and map_cut.",
        compute=binary.average_precision,
        parameters=_BINARY_PARAMETERS,
    ),
    Definition(
        name="RR",
        line="Reciprocal rank: how early the first relevant document comes. Its mean is the MRR.",
        formula="1 / the rank of the first relevant document.",
        edges="0 if no document is relevant, or none within the top k.",
        source="trec_eval, measure recip_rank; with a cutoff, the script of MS MARCO.",
        compute=binary.reciprocal_rank,
        parameters=_BINARY_PARAMETERS,
    ),
    Definition(
        name="Rprec",
        line="R-precision: the precision at the rank where precision and recall meet.",
        formula="Relevant documents in the top R / R, where R is the number of relevant documents in the judgments.",
        edges="Divides by R even if the ranking is shorter. 0 if there is no relevant document.",
        source="trec_eval, measure Rprec.",
        compute=binary.r_precision,
        parameters=_BINARY_PARAMETERS,
        cutoff="none",
    ),
    Definition(
        name="ERR",
        line="Expected reciprocal rank: the expected value of 1 / the rank at which a searcher is satisfied.",
        formula="The sum over the ranks i of 1/i · p_i · (1 − p_1) · … · (1 − p_(i−1)), with p_i = (2^g_i − 1) / 2^G.",
        edges="G is the top grade of the scale, not of the query. gdeval and RankLib always use 4 and Quepid its scorer’s scale, "
        "so their values may differ. A perfect ranking does not reach 1.",
        source="Chapelle et al., CIKM 2009.",
        compute=cascade.expected_reciprocal_rank,
        parameters=("max", "missing", "unjudged"),
    ),
    Definition(
        name="RBP",
        line="Rank-biased precision: the expected gain per document of a searcher who continues with probability p.",
        formula="(1 − p) times the sum of r_i · p^(i−1), where r_i is grade / top grade or, with rel, 1 or 0.",
        edges="A lower bound, since unjudged documents count as 0. RBP plus RBPres is the upper bound.",
        source="Moffat & Zobel, TOIS 27(1), 2008. trec_eval 10.0 reads two variables here that it never sets.",
        compute=cascade.rank_biased_precision,
        parameters=("max", "missing", "p", "rel", "unjudged"),
        cutoff="none",
        check=check_biased,
    ),
    Definition(
        name="RBPres",
        line="The residual of RBP: how much greater RBP would be if every unjudged document had the top grade.",
        formula="(1 − p) times the sum of p^(i−1) over the unjudged ranks i, plus p^n for a ranking of n documents.",
        edges="A negative grade counts as unjudged. 1 for an empty ranking, but 0 for a query that the run does not answer, "
        "since no judgment changes its RBP. trec_eval leaves out p^n if all documents of the ranking are judged.",
        source="Moffat & Zobel, TOIS 27(1), 2008.",
        compute=cascade.rank_biased_residual,
        parameters=("missing", "p"),
        cutoff="none",
    ),
    Definition(
        name="Bpref",
        line="How seldom a document judged not relevant is above a relevant one. Unjudged documents are ignored.",
        formula="The sum over the relevant documents retrieved of 1 − min(n, R) / min(N, R), divided by R; n is the "
        "number of documents judged not relevant above it, N the number of all of them. The term is 1 if n is 0.",
        edges="A negative grade counts as unjudged. 0 if there is no relevant document.",
        source="Buckley & Voorhees, SIGIR 2004, as corrected in trec_eval 8.0.",
        compute=incomplete.bpref,
        parameters=("missing", "rel"),
        cutoff="none",
    ),
    Definition(
        name="infAP",
        line="Inferred average precision: the expected AP if only a sample of the pool was judged.",
        formula="The sum over the relevant documents, at rank k, of 1/k + c/k · (r + e) / (r + s + 2e), divided by R. "
        "Above it are r relevant and s other judged documents, and c documents of the pool; e is 0.00001.",
        edges="A negative grade means: in the pool, but not judged. Without any it is AP, except for e. 0 if there is no "
        "relevant document.",
        source="Yilmaz & Aslam, CIKM 2006, as computed by trec_eval.",
        compute=incomplete.inferred_ap,
        parameters=("missing", "rel"),
        cutoff="none",
    ),
    Definition(
        name="Judged",
        line="The share of the documents shown that are judged.",
        formula="Judged documents in the top k / min(k, n) for a ranking of n documents.",
        edges="A negative grade is a judgment (as in ir_measures, unlike unj of trec_eval). 0 for an empty ranking.",
        source="ir_measures, measure Judged.",
        compute=coverage.judged_share,
        parameters=("missing",),
    ),
    Definition(
        name="Holes",
        line="The number of unjudged documents in the top k.",
        formula="min(k, n) − the judged documents in the top k, for a ranking of n documents.",
        edges="A number, not a share. Ranks after the end of a short ranking are no holes.",
        source="The number of holes, as ir_measures and BEIR define them.",
        compute=coverage.holes,
        is_share=False,
        parameters=("missing",),
    ),
)

DEFINITIONS: Final = {definition.name: definition for definition in _ALL}
