"""Error against time: every method of flexmb on ten mechanisms, beside Exudyn and SciPy.

`python -m flexmb.validation.performance.work_precision --help` says what can be chosen. A run prints a table of all
points, and how the quickest method here stands to the quickest elsewhere at each error; `--pictures` draws a diagram
for each problem, `--out` writes table and summary as CSV and JSON.

**Error** is the largest error of the positions of chosen frames (in model lengths; angles in radians) at a quarter, a
half, three quarters and the end of a motion. Each of these times is the end of a run of its own, so that no
interpolation takes part; `error_between` is the largest error that `solution.at(times)` shows at 41 times of the whole
run. `energy` is the error of the energy ledger.

**Reference** solutions are kept in `validation/references/work_precision/`; each file says by which command it was
made, and how far two methods were apart that computed it (:mod:`.references`). A problem without one is named and left
out.

**Time** is that of the processor, the shortest of several runs, all codes in turn in one process and on one thread. It
is measured alike for all: from a model that is described in Python, but not assembled, to its result in arrays. Of
flexmb that is the whole `simulate`, with assembly, consistent start and the checks of the result, which the others do
not make; of Exudyn `Assemble`, the settings, `SolveDynamic` and the values of the sensors; of SciPy the same assembly
and start as in flexmb, and the steps. `seconds_alone` are those of the methods alone: of flexmb and SciPy by the
processor, of Exudyn by its own clock. In the summary ratios stand for both. Where they are low, and why, is said on
a page of the documentation (`docs/performance/work-precision.md`); how high they could be, :mod:`.bounds` measures.

SciPy's methods integrate the index-1 form by flexmb's own compiled right-hand side. How much of their time that is,
and how much is Python's, the summary says too: no method that needs as many evaluations can be quicker than the former.
Exudyn solves the same rigid mechanisms and the same cable; where flexmb has a CMS element,
Exudyn has a cable of as many elements as give the same motion to the error of that element, and is measured by its
own converged motion (:mod:`.peer_models`).

**Accuracy.** Every method that `simulate` has takes part, by its tolerance (:mod:`.own`), again in joint coordinates by
each of three formulations if it carries these (`--formulations` chooses), and once more with fixed steps if it has
such. A run that takes longer than `--limit` seconds, that does not come to its end, or that a method refuses, is cut
off there and reported.
"""
