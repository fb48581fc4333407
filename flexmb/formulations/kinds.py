"""The formulations that are compiled, by name, and options of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from flexmb.formulations.arguments import BUDGET
from flexmb.formulations.binding import FormulationKind
from flexmb.machine.late_names import Choice
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls

#: the formulations by name
FORMULATIONS: Mapping[str, FormulationKind] = Choice(
    aba="flexmb.formulations.aba:FORMULATION",
    lagrange="flexmb.formulations.lagrange:FORMULATION",
    ada="flexmb.formulations.pieces.ada:FORMULATION",
    dca="flexmb.formulations.pieces.dca:FORMULATION",
    hybrid="flexmb.formulations.hybrid:FORMULATION",
)


@dataclass(frozen=True)
class Hybrid(metaclass=AnswersCalls):
    """Formulation "hybrid" with options, as `formulation` of :func:`flexmb.simulate`: the largest number of links in a
    `block`, chosen by the number of operations when not given, and the `budget`, the largest number of statements that
    the derivation of a block may take. A block beyond it is left to numbers, with a warning.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = m.add_body("rod", mass=2.0, inertia=0.1, position=(0.5, 0))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (-0.5, 0)), name="hinge")
    >>> solution = fm.simulate(m, 0.1, "dop853", formulation=fm.Hybrid(block=4), progress=False)
    >>> float(solution["rod"].angle[-1].round(5))
    -0.08173
    """

    block: int | None = None
    budget: int = BUDGET

    def __post_init__(self) -> None:
        if self.block is not None:
            checks.count(self.block, "block", "Hybrid", least=1)
        checks.count(self.budget, "budget", "Hybrid", least=1)

    @property
    def name(self) -> str:
        """The name of the formulation."""
        return "hybrid"

    @property
    def kind(self) -> FormulationKind:
        """The formulation, with these options."""
        hybrid = FORMULATIONS[self.name]
        return hybrid._replace(room_for=partial(hybrid.room_for, size=self.block, budget=self.budget))


def kind_of(formulation: str | Hybrid) -> tuple[str, FormulationKind]:
    """The name of a formulation, and the formulation, with its options."""
    if isinstance(formulation, str):
        return formulation, FORMULATIONS[formulation]
    return formulation.name, formulation.kind
