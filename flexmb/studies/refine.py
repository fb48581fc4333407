"""How much an answer changes with twice the elements: an estimate of the error that a mesh leaves."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.machine import reports
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model

#: error of a mesh by the change with half the length of its elements, where errors fall with the square of that; all
#: beam theories do at least as well on smooth motions
SECOND_ORDER = 4.0 / 3.0
#: most quantities in a report
MOST_ROWS = 30
#: errors below this part are round-off, which a report leaves out
ROUNDING = 1e-9
#: quantities with up to so many numbers are shown whole
MOST_SHOWN = 3


@dataclass(frozen=True)
class Change(metaclass=AnswersCalls):
    """One quantity of an answer on both meshes: its numbers, at the end of a motion; the largest `change` between the
    meshes, at any time; and the `size` by which that is judged.

    >>> import numpy as np
    >>> change = Change(coarse=np.array([0.95]), fine=np.array([0.98]), change=0.03, size=1.0)
    >>> round(change.error, 12), round(change.part, 12)
    (0.04, 0.04)
    """

    coarse: np.ndarray
    fine: np.ndarray
    change: float
    size: float

    @property
    def error(self) -> float:
        """The estimated error of the coarse mesh: 4/3 of the change, as if errors fell with the square of the length of
        elements."""
        return SECOND_ORDER * self.change

    @property
    def part(self) -> float:
        """That error as a part of the size."""
        return self.error / self.size if self.size > 0.0 else 0.0


@dataclass(frozen=True)
class Refinement(metaclass=AnswersCalls):
    """An answer on two meshes, of which the second has twice the elements of some beams; printed, it is a table.

    `coarse` and `fine`: the answers; `changes`: their quantities by name; `meshes`: what the beams have in both, by
    name; `doubts`: what is off by more than the `tolerance`, if one was given.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("mast")
    >>> given = fm.spatial.BeamProperties(EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=0.01)
    >>> rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory="exact", elements=4)
    >>> two = fm.refine(m, lambda mast: fm.modes(mast, 2))
    >>> two.meshes, two.changes["frequencies[0]"].part < 1e-3
    ({'rod': ('4 elements', '8 elements')}, True)
    """

    coarse: Any = field(repr=False)
    fine: Any = field(repr=False)
    changes: dict[str, Change]
    meshes: dict[str, tuple[str, str]]
    tolerance: float | None = None

    @property
    def worst(self) -> str:
        """The name of the quantity with the largest relative error."""
        return max(self.changes, key=lambda name: self.changes[name].part)

    @property
    def doubts(self) -> list[str]:
        if self.tolerance is None:
            return []
        beams = ", ".join(f"{name!r} has {count}" for name, (count, _) in self.meshes.items())
        off = {name: x for name, x in self.changes.items() if not x.part <= self.tolerance}
        return [
            f"mesh: {name} is off by about {x.error:.2g}, {100 * x.part:.2g} % (allowed: {100 * self.tolerance:.2g} "
            f"%), where beam {beams}; take more"
            for name, x in off.items()
        ]

    def __str__(self) -> str:
        meshes = ", ".join(f"{name}: {one} → {two}" for name, (one, two) in self.meshes.items())
        lines = [f"{meshes}; errors of the first, if they fall with the square of the length of elements:"]
        rows = sorted(self.changes.items(), key=lambda row: -row[1].part)
        rows = [row for row in rows if row[1].part > ROUNDING] or rows[:1]
        width = max(len(name) for name, _ in rows)
        for name, x in rows[:MOST_ROWS]:
            values = " → ".join(np.array2string(value, precision=6, separator=", ") for value in (x.coarse, x.fine))
            lines.append(f"  {name:{width}s}  {values}  error {x.error:.1e}, {100.0 * x.part:.2g} %")
        if len(rows) > MOST_ROWS:
            lines.append(f"  … {len(rows) - MOST_ROWS} more, which change less")
        return "\n".join([*lines, *(f"  doubtful: {doubt}" for doubt in self.doubts)])

    def _repr_html_(self) -> str:
        return reports.report_of(str(self))


@answers_calls
def refine(
    model: Model, question: Callable[[Any], Any], *, beams: Any = None, tolerance: float | None = None
) -> Refinement:
    """Ask a question of a model, and again with twice the elements of its beams; say what changes.

    model: it stays as it is; a copy gets the finer mesh. All its beams keep their frames, and what stands on them.
    question: a function of a model, which finds what it needs in it by name, such as `lambda m: fm.simulate(m, 2.0)` or
        `fm.modes`. Of what it returns these are compared: of motions, equilibria and load paths the positions of all
        frames that are not fixed, against the length of the longest of these beams; of modes the frequencies; else
        numbers, arrays, or a dict of them.
    beams: the beams, or their names, that are refined; all when None.
    tolerance: the relative error from which on `doubts` say that the mesh is too coarse, also those of a motion.

    A floating beam, which has no mesh, gets twice the modes. The estimate takes the errors to fall with the square of
    the length of elements, and is too large where they fall faster. It sees no error that both meshes share: a theory
    that lacks shear, a step that is too long.

    >>> import flexmb as fm
    >>> from flexmb.examples.pendulum import build
    >>> two = fm.refine(build(), lambda m: fm.simulate(m, 0.2, progress=False)["rod.end"].position[-1], tolerance=1e-3)
    >>> two.meshes, two.doubts
    ({'rod': ('2 elements', '4 elements')}, [])
    """
    where = "refine"
    if not isinstance(model, Model):
        raise ModelError(f"{where}: model must be a model, not {checks.quoted(model)}")
    checks.function(question, "question", where, "model")
    if tolerance is not None:
        tolerance = checks.positive(tolerance, "tolerance", where)
    names = _names(model, beams, where)
    finer = copy.deepcopy(model)
    meshes = {}
    for name in names:
        beam: Any = finer.components[name]
        meshes[name] = beam.make_finer()
    length = max(float(getattr(model.components[name], "length")) for name in names)  # noqa: B009
    coarse, fine = question(model), question(finer)
    changes = _changes(coarse, fine, length, names, where)
    found = Refinement(coarse, fine, changes, meshes, tolerance)
    said = getattr(coarse, "doubts", None)
    if isinstance(said, list):
        said += found.doubts
    return found


def _names(model: Model, beams: Any, where: str) -> list[str]:
    """The names of the beams that are meant."""
    known = [name for name, part in model.components.items() if hasattr(part, "make_finer")]
    if not known:
        raise ModelError(f"{where}: model {model.name!r} has no beam, so it has no mesh")
    if beams is None:
        return known
    some = beams if isinstance(beams, Iterable) and not isinstance(beams, str) else [beams]
    names = [str(getattr(beam, "name", beam)) for beam in some]
    for name in names:
        if name not in known:
            raise checks.unknown(name, known, "beam", f"{where}: model {model.name!r}")
    if not names:
        raise ModelError(f"{where}: beams is empty; leave it out for all of {', '.join(known)}")
    return names


def _changes(coarse: Any, fine: Any, length: float, beams: list[str], where: str) -> dict[str, Change]:
    """All quantities of two answers."""
    if hasattr(coarse, "solution"):
        coarse, fine = coarse.solution, fine.solution
    if hasattr(coarse, "track"):
        return _places(coarse, fine, length, beams)
    found = {}
    named = [_named(x, where) for x in (coarse, fine)]
    if only := sorted(named[0].keys() ^ named[1].keys()):
        raise ModelError(f"{where}: the question returned {only[0]!r} on one mesh alone; ask for what both meshes have")
    for name, one in named[0].items():
        two = named[1][name]
        if not (np.all(np.isfinite(one)) and np.all(np.isfinite(two))):
            raise ModelError(f"{where}: the question returned {name} that is not finite; let it return numbers")
        if one.shape != two.shape:
            raise ModelError(
                f"{where}: {name} has the shape {one.shape} on the one mesh and {two.shape} on the other; let the "
                "question return numbers that any mesh has, such as the positions of a frame at given times"
            )
        size = max(float(np.max(np.abs(x), initial=0.0)) for x in (one, two))
        change = float(np.max(np.abs(two - one), initial=0.0))
        found[name] = Change(_shown(one), _shown(two), change, size)
    return found


def _shown(values: np.ndarray) -> np.ndarray:
    """The numbers of a quantity that a table shows: of one over time the last."""
    return values if values.size <= MOST_SHOWN or values.ndim == 0 else values[-1]


def _named(answer: Any, where: str) -> dict[str, np.ndarray]:
    """The numbers of an answer by name; frequencies one by one."""
    if hasattr(answer, "frequencies"):
        return {f"frequencies[{k}]": np.asarray(x, dtype=float) for k, x in enumerate(answer.frequencies)}
    given = answer if isinstance(answer, Mapping) else {"answer": answer}
    try:
        found = {str(name): np.asarray(x, dtype=float) for name, x in given.items()}
    except (TypeError, ValueError):
        found = {}
    if not found:
        raise ModelError(
            f"{where}: the question returned {checks.quoted(answer)}; return a motion, an equilibrium, modes, numbers, "
            "an array, or a dict of these"
        )
    return found


def _places(coarse: Any, fine: Any, length: float, beams: list[str]) -> dict[str, Change]:
    """The positions of all frames that both solutions have, of the middle of beams where all are fixed: at the times of
    the coarse one, and of rows of equilibria of which the loads differ the last."""
    alike = len(coarse.t) == len(fine.t) and np.array_equal(coarse.t, fine.t)
    rows = slice(None)
    if not alike and coarse.still:
        rows = slice(-1, None)
    elif not alike:
        until = min(coarse.t[-1], fine.t[-1])
        times = coarse.t[coarse.t <= until]
        coarse, fine = coarse.at(times), fine.at(times)
    found = {}
    moving = [name for name, frame in coarse.model.frames.items() if not frame.node.fixed]
    for name in moving or [f"{beam}@0.5" for beam in beams]:
        one, two = coarse[name].position[rows], fine[name].position[rows]
        change = float(np.max(np.linalg.norm(two - one, axis=-1)))
        found[f"{name}.position"] = Change(one[-1], two[-1], change, length)
    return found
