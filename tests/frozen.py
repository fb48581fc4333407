"""The behavior of all methods, frozen: what may not change while code is moved.

python -m tests.frozen write before.json
python -m tests.frozen compare before.json

Every method simulates the mechanisms of the work-precision suite and of the examples, and random ones in the plane, in
space, on knife edges and with pairs of features, which bring loops, singular positions, redundant rows, friction that
sticks, contacts, events, switching and sampled controllers; in absolute coordinates and by each formulation in joint
coordinates. So do blocks of the README and of pages. Of each run a fingerprint of t, q, v, a, λ and of the events is
written, with counts, message and the state at the end. Results are those of one machine and one version of its
libraries; a file is written from an older checkout and compared in a newer one.

A step that only moves code leaves all fingerprints equal. Where one differs, `compare` shows by how much the positions
at the end have changed, as a part of the largest, and how the counts have.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from docs.tools.pages import blocks
from docs.tools.places import ROOT
from flexmb.examples import bicycle, deployment, four_bar, gyroscope, pendulum, slider_crank, spin_up, two_squares
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation.fuzz.clock import limited
from flexmb.validation.performance.work_precision.problems import PROBLEMS
from flexmb.validation.random_mechanisms.mechanisms import KINDS, mechanism

Run = Callable[[], fm.Solution]
#: methods with their options; of the last three every vibration takes steps of its own, so that they take the less
#: stiff mechanisms only
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "generalized_alpha": ("generalized_alpha", {}),
    "radau": ("radau", {}),
    "independent by radau": ("independent", {"integrator": "radau"}),
    "independent": ("independent", {}),
    "dop853": ("dop853", {}),
    "projection": ("projection", {}),
    "baumgarte": ("baumgarte", {}),
}
OF_SOFT = ("dop853", "projection", "baumgarte")
#: random mechanisms of each kind, if no other number is asked for
NUMBERS = 20
#: runs that take longer than this are interrupted and left out, when they are written [s]
LONGEST = 2.0
#: blocks of pages that simulate a mechanism, under the names that they had when all of them were in the README: the
#: page, and words of the block
BLOCKS = {
    "README, block 0": ("README.md", 'PlanarModel("pendulum"'),
    "README, block 1": ("docs/how-to/results.md", 'fm.load("swing.h5")'),
    "README, block 4": ("docs/how-to/events.md", 'PlanarModel("house")'),
    "README, block 7": ("docs/how-to/contact.md", 'SpatialModel("yard"'),
    "README, block 8": ("docs/how-to/contact.md", 'SpatialModel("heap"'),
    "README, block 9": ("docs/how-to/control.md", 'PlanarModel("robot")'),
    "README, block 10": ("docs/how-to/beams.md", 'SpatialModel("rotor"'),
    "README, block 11": ("docs/how-to/orientations.md", 'SpatialModel("gyroscope"'),
    "README, block 13": ("docs/how-to/robots.md", 'robot.actuate("joint1"'),
    "README, block 16": ("docs/how-to/bodies.md", 'SpatialModel("satellite")'),
    "README, block 17": ("docs/how-to/joint-coordinates.md", "folding = fm.simulate"),
    "README, block 18": ("docs/how-to/redundancy.md", "a parallelogram, laid flat"),
}
#: the times to which examples run [s]
EXAMPLES: dict[str, tuple[Callable[[], Any], float]] = {
    "pendulum": (pendulum.build, 1.0),
    "four-bar": (four_bar.build, 1.0),
    "slider-crank": (slider_crank.build, 1.0),
    "spin-up": (spin_up.build, 1.0),
    "two squares": (two_squares.build, 3.0),
    "gyroscope": (gyroscope.build, 0.5),
    "deployment": (deployment.build, 0.5),
    "bicycle": (partial(bicycle.build, 5.0), 0.5),
}


def runs(numbers: int) -> Iterator[tuple[str, Run]]:
    """All runs by name, with so many random mechanisms of each kind."""
    for name, (build, end) in EXAMPLES.items():
        yield from _by_all(name, build, end, steps=100)
    for name, problem in PROBLEMS.items():
        yield from _by_all(f"work-precision, {name}", problem.build, 0.5 * problem.t_end, steps=100)
    for kind, number in itertools.product(KINDS, range(numbers)):

        def make(kind: str = kind, number: int = number) -> Any:
            return mechanism(0, number, kind).model

        try:
            one = mechanism(0, number, kind)
        except fm.FlexmbError:  # what was drawn does not fit together
            continue
        yield from _by_all(f"{kind} {number}", make, 0.3 * one.time, steps=30, stiff=one.stiff)
    for name, (page, words) in BLOCKS.items():
        yield name, partial(_solution_of_block, page, words)


def _by_all(name: str, build: Callable[[], Any], end: float, steps: int, stiff: bool = False) -> Iterator[Any]:
    """A mechanism by all methods: with steps that follow the error, with fixed steps, and in joint coordinates."""
    chosen = {k: v for k, v in METHODS.items() if not (stiff and k in OF_SOFT)}
    chosen["generalized_alpha, fixed"] = ("generalized_alpha", {"step": end / steps})
    chosen["rkf45, fixed"] = ("rkf45", {"step": end / steps})
    chosen["euler, fixed"] = ("euler", {"step": end / steps})
    chosen["rosenbrock"] = ("rosenbrock", {"tolerance": 1e-3})
    for words, (method, options) in chosen.items():
        yield f"{name}, {words}", lambda m=method, o=options: fm.simulate(build(), end, m, progress=False, **o)
    for method, formulation in zip(itertools.cycle(chosen), FORMULATIONS, strict=False):
        m, o = chosen[method]
        given = {**o, "formulation": formulation}
        yield f"{name}, {method}, {formulation}", lambda m=m, o=given: fm.simulate(build(), end, m, progress=False, **o)


def _solution_of_block(page: str, words: str) -> fm.Solution:
    """The solution that the first block with these words makes last; the blocks before it on the page run too."""
    scope: dict[str, Any] = {"__name__": __name__}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in blocks((ROOT / page).read_text(encoding="utf-8")):
            before = dict(scope)
            exec(compile(block.code, page, "exec"), scope)
            if words in block.code:
                break
    known = [value for value in before.values() if isinstance(value, fm.Solution)]
    solutions = [value for value in scope.values() if isinstance(value, fm.Solution)]
    return [value for value in solutions if not any(value is other for other in known)][-1]


def outcome(run: Run, longest: float = LONGEST) -> dict[str, Any]:
    """A run in a few numbers: fingerprint, counts, message, and the state at its end; or why it was refused."""
    begun = time.perf_counter()
    try:
        with limited(longest):
            s = run()
    except (fm.FlexmbError, KeyboardInterrupt) as error:
        return {"refused": type(error).__name__, "message": str(error), "seconds": time.perf_counter() - begun}
    events = json.dumps([repr(event) for event in s.events])
    arrays = (s.t, s.q, s.v, s.a, s.basic_multipliers)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in arrays) + events.encode()).hexdigest()
    counts = {k: v for k, v in s.statistics.as_dict().items() if isinstance(v, int)} if s.statistics else {}
    told = {"status": s.status, "message": s.message, "doubts": list(s.doubts)}
    end = {"end": [float(x) for x in s.q[-1]], "seconds": time.perf_counter() - begun}
    return {"fingerprint": digest, **told, "counts": counts, **end}


def _group(name: str) -> str:
    """The mechanism of a run by its name; all blocks of pages are one."""
    return ",".join(name.split(",")[: 2 if name.startswith("work-precision") else 1])


def _part(given: tuple[str, str, int, dict[str, Any] | None]) -> dict[str, Any]:
    """The runs of one mechanism whose names hold some words; those that were written before, if they are given."""
    warnings.simplefilter("ignore")
    group, words, numbers, known = given
    found: dict[str, Any] = {}
    for name, run in runs(numbers):
        wanted = known is None or name in known
        if _group(name) == group and words in name and wanted:
            with contextlib.suppress(KeyboardInterrupt):  # of a run that has just ended
                found[name] = outcome(run, 1e6 if group == "README" else LONGEST)
    return found


def _all(words: str, processes: int, numbers: int, known: dict[str, Any] | None = None) -> dict[str, Any]:
    groups = dict.fromkeys(_group(name) for name, _ in runs(numbers) if words in name)
    found: dict[str, Any] = {}
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for part in pool.imap_unordered(_part, [(group, words, numbers, known) for group in groups]):
            found |= part
    return found


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """A line for each run that is not the same."""
    lines = []
    for name, old in before.items():
        new = now.get(name, {"refused": "does not run any more"})
        same = ("refused", "fingerprint", "status", "message", "doubts", "counts")
        if all(old.get(what) == new.get(what) for what in same):
            continue
        if "end" in old and "end" in new and len(old["end"]) == len(new["end"]):
            largest = max(map(abs, old["end"]), default=1.0) or 1.0
            away = max(map(abs, np.subtract(old["end"], new["end"])), default=0.0) / largest
            counts = [
                f"{k} {v} -> {new['counts'].get(k)}" for k, v in old["counts"].items() if v != new["counts"].get(k)
            ]
            lines.append(f"{name}: {away:.1e} at the end; {', '.join(counts) or 'the same counts'}")
        else:
            lines.append(f"{name}: {_short(old)} -> {_short(new)}")
    return lines


def _short(one: dict[str, Any]) -> str:
    return str(one.get("refused") or one.get("status")) + ": " + str(one.get("message", ""))[:160]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", metavar="WORDS", help="runs whose names hold these words")
    parser.add_argument("--numbers", type=int, default=NUMBERS, help="random mechanisms of each kind")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    if given.what == "write":
        found = _all(given.only, given.processes, given.numbers)
        kept = {name: one for name, one in found.items() if one["seconds"] < LONGEST or _group(name) == "README"}
        given.file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(f"{len(kept)} runs written, {len(found) - len(kept)} left out, which took longer than {LONGEST:g} s")
        return 0
    before = {k: v for k, v in json.loads(given.file.read_text(encoding="utf-8")).items() if given.only in k}
    lines = differences(before, _all(given.only, given.processes, given.numbers, before))
    print(*lines, f"{len(lines)} of {len(before)} runs differ", sep="\n")
    return int(bool(lines))


if __name__ == "__main__":
    raise SystemExit(main())
