"""The formulas of other tools: what each calls NDCG, or reports instead, as one of our measures."""

from dataclasses import dataclass
from typing import Final

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.types import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """`text` is the measure without its cutoff. `digits` are the decimals to which the tool rounds each query's value."""

    key: str
    name: str
    text: str
    words: str
    trap: str
    source: str
    digits: int | None = None

    def measure(self, cutoff: int) -> Measure:
        """Returns the measure at this cutoff."""
        return parse(f"{self.text}@{cutoff}")

    def rounded_measure(self, cutoff: int) -> RoundedMeasure:
        """Returns the measure with the tool's rounding."""
        return RoundedMeasure(self.measure(cutoff), self.digits)

    def values(self, run: JudgedRun, cutoff: int) -> Floats:
        """The value of every query (Q,), rounded if the tool rounds before it averages."""
        return self.rounded_measure(cutoff).values(run)


_ALL: Final = (
    Preset(
        key="trec-eval",
        name="trec_eval ndcg_cut",
        text="nDCG",
        words="Linear gain, discount log2(i + 1), ideal over all judged documents cut at k; 0 if nothing is relevant. "
        "TREC Deep Learning, BEIR and nDCG@k of ir_measures are the same.",
        trap="Without -c, trec_eval 9 leaves out queries that the run does not answer, and 10.0 stops. It compares scores in "
        "single precision (10.0 in double), sorts documents with equal scores by ID, descending, and ignores the rank column.",
        source="trec_eval 10.0, m_ndcg_cut.c",
    ),
    Preset(
        key="scikit-learn",
        name="scikit-learn ndcg_score",
        text="nDCG(ideal='recall')",
        words="Linear gain, discount log2(i + 1), ideal over the array that you give it: for a retrieved list, all of "
        "it.",
        trap="The gain is not exponential, although people often write so. It averages over equal scores, and ignores documents "
        "that you do not give it: for the top k alone it is nDCG(ideal='local').",
        source="scikit-learn 1.9.1, metrics/_ranking.py",
    ),
    Preset(
        key="lightgbm",
        name="LightGBM ndcg",
        text="nDCG(gain='exp', ideal='recall', zero=1)",
        words="Exponential gain, discount log2(i + 1), ideal over the documents of the group; 1 if nothing is relevant.",
        trap="A query without a relevant document raises the mean. You can change the gain (label_gain). The group contains "
        "the documents that you pass to LightGBM, seldom all judged ones.",
        source="LightGBM 4.7.0, dcg_calculator.cpp",
    ),
    Preset(
        key="xgboost",
        name="XGBoost ndcg",
        text="nDCG(gain='exp', ideal='recall', zero=1)",
        words="Exponential gain, discount log2(i + 1), ideal over the documents of the group; 1 if nothing is relevant.",
        trap="ndcg@10- (with the hyphen) gives 0 instead of 1, and ndcg_exp_gain=false makes the gain linear. Some steps "
        "use single precision.",
        source="XGBoost 3.2.0, rank_metric",
    ),
    Preset(
        key="ranklib",
        name="RankLib NDCG",
        text="nDCG(gain='exp', ideal='recall')",
        words="Exponential gain, discount log2(i + 1), ideal over the list that you give it.",
        trap="The gain is not linear, although people often write so. Without -qrel it ignores documents outside the list.",
        source="RankLib 2.10.2, NDCGScorer.java",
    ),
    Preset(
        key="ranklib-qrel",
        name="RankLib NDCG with -qrel",
        text="nDCG(gain='exp')",
        words="Exponential gain, discount log2(i + 1), ideal over all judged documents cut at k.",
        trap="The option -qrel changes the ideal of NDCG and the denominator of MAP, but nothing else.",
        source="RankLib 2.10.2, NDCGScorer.java",
    ),
    Preset(
        key="quepid",
        name="Quepid nDCG@10 (since 8.1)",
        text="nDCG(gain='exp', ideal='global-uncut')",
        words="Exponential gain, discount log2(i + 1), ideal over all rated documents, not cut at k.",
        trap="A perfect top 10 scores 0.775 if 15 documents are relevant: the more documents are rated, the lower the number.",
        source="Quepid f80322f3, the scorer nDCG@10",
    ),
    Preset(
        key="quepid-old",
        name="Quepid nDCG@10 (before 8.1)",
        text="nDCG(gain='exp')",
        words="Exponential gain, discount log2(i + 1), ideal over all rated documents cut at k.",
        trap="The upgrade to 8.1 lowers the number of an unchanged search with unchanged ratings.",
        source="Quepid before commit 0e92b094, the scorer nDCG@10",
    ),
    Preset(
        key="quepid-cut",
        name="Quepid NDCG_CUT@10",
        text="nDCG(gain='exp')",
        words="Exponential gain, discount log2(i + 1), ideal over all rated documents cut at k.",
        trap="In Quepid, a rating below 0 has a gain below 0. Here its gain is 0.",
        source="Quepid f80322f3, the scorer nDCG_CUT@10",
    ),
    Preset(
        key="elasticsearch",
        name="Elasticsearch rank_eval dcg, normalized",
        text="nDCG(gain='exp', ideal='global-hits')",
        words="Exponential gain, discount log2(i + 1), ideal over the rated documents cut at the number of hits returned.",
        trap="One good hit alone scores 1, so a search that returns less looks better.",
        source="Elasticsearch d04e4001, DiscountedCumulativeGain.java",
    ),
    Preset(
        key="opensearch",
        name="OpenSearch search relevance NDCG",
        text="nDCG(gain='exp')",
        words="Exponential gain, discount log2(i + 1), ideal over all judgments cut at k, each query rounded to 2 decimals.",
        trap="Rounding before averaging changes the mean by up to 0.005, more than many real improvements.",
        source="OpenSearch search-relevance d8be5d1b",
        digits=2,
    ),
    Preset(
        key="gdeval",
        name="TREC Web 2010–14 (gdeval)",
        text="nDCG(gain='exp')",
        words="Exponential gain, discount log2(i + 1), ideal over all judged documents cut at k; prints 5 decimals.",
        trap="Grades must be whole numbers up to 4 and query IDs numbers; it removes hyphens from IDs silently. Its ERR always "
        "uses 4 as the top grade: ERR(max=4).",
        source="gdeval.pl, as called by ir_measures 0.4.3 for dcg='exp-log2'",
        digits=5,
    ),
    Preset(
        key="jarvelin-kekalainen",
        name="Järvelin & Kekäläinen 2002",
        text="nDCG(discount='jk')",
        words="Linear gain, no discount at ranks 1 and 2 and then 1/log2(i), ideal over all judged documents cut at k.",
        trap="Ranks 1 and 2 count the same. The gain is linear; 2^g − 1 is from Burges et al. 2005, although people cite this paper.",
        source="Järvelin & Kekäläinen, TOIS 20(4), 2002; pyNTCIREVAL 0.0.3",
    ),
    Preset(
        key="ms-marco",
        name="MS MARCO passage ranking",
        text="RR",
        words="The reciprocal rank of the first relevant document in the top k.",
        trap="This is no NDCG, although leaderboards show both side by side. It reads the rank column, not the scores.",
        source="ms_marco_eval.py 28b36939",
    ),
)

PRESETS: Final = {preset.key: preset for preset in _ALL}
