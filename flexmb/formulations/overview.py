"""Which formulations take a model, and what keeps the others from it."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.formulations.classical.scope import ASSUMPTIONS, Scope, obstacles
from flexmb.formulations.classical_formulation import takes
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.papers import NAMES, paper_for
from flexmb.formulations.tree.tree import Tree
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model


@dataclass(frozen=True)
class FormulationRow:
    """A formulation: its `name`; the `authors`, and the `classes` ① to ⑤ of the survey, of a classical one: ① rigid
    bodies in a tree, ② flexible ones at its ends, ③ flexible chains, ④ flexible trees, ⑤ any bodies with loops; and
    what keeps it from a model, `broken`, pairs of a component and the assumption that it breaks. That is empty for a
    formulation that takes the model.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    >>> row = fm.formulations_of(m).rows[-1]
    >>> row.name, row.classes, row.takes
    ('singh-likins', '④', True)
    """

    name: str
    authors: str
    classes: str
    broken: tuple[tuple[str, str], ...]

    @property
    def takes(self) -> bool:
        """Whether it takes the model."""
        return not self.broken


@dataclass(frozen=True)
class FormulationTable:
    """All formulations and whether they take a model; it prints as a table, see :func:`flexmb.formulations_of`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=1.0)
    >>> fm.formulations_of(m).taken[:5]
    ['aba', 'lagrange', 'ada', 'dca', 'hybrid']
    """

    where: str
    rows: tuple[FormulationRow, ...]

    @property
    def taken(self) -> list[str]:
        """Names of the formulations that take the model."""
        return [row.name for row in self.rows if row.takes]

    def __repr__(self) -> str:
        wide = max(len(row.name) for row in self.rows)
        lines = [f"formulations of {self.where}"]
        for row in self.rows:
            why = "; ".join(f"{component!r}: it assumes that {what}" for component, what in row.broken)
            lines.append(f"{row.name:{wide}} {row.classes:5} {'yes' if row.takes else 'no   ' + why}".rstrip())
        return "\n".join(lines)


@answers_calls
def formulations_of(model: Model | Tree) -> FormulationTable:
    """Which formulations take a model; for each of the others the components that break one of its assumptions, the
    first of each kind. FLEX-ARM is not among them, since it yields no accelerations but a linear system about the
    nominal motion of an arm: :class:`flexmb.formulations.FlexArm`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("slider", gravity=(0, 0, -9.81))
    >>> block = m.add_body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> rail = m.prismatic(m.ground, block.frame, axis="x", name="rail")
    >>> fm.formulations_of(m)
    formulations of model 'slider'
    aba                        yes
    lagrange                   yes
    ada                        yes
    dca                        yes
    hybrid                     yes
    roberson-wittenburg  ①     no   'rail': it assumes that the base shifts freely, or not at all
    hooker-margulies     ①     no   'rail': it assumes that the base shifts freely, or not at all
    hooker-1970          ①     no   'rail': it assumes that the base shifts freely, or not at all
    boland-samin-willems ⑤     yes
    frisch               ④     yes
    ho                   ④     yes
    discos               ⑤     yes
    jerkovsky            ① (⑤) yes
    kane                 ⑤     yes
    gibbs-appell         ④     yes
    hooker-1975          ②     no   'rail': it assumes that the base shifts freely, or not at all
    likins-1974          ②     no   'rail': it assumes that the mechanism floats freely
    singh-likins         ④     yes
    """
    tree = Tree.fitting(model)
    found, rows = obstacles(tree), list[FormulationRow]()
    for name in (*FORMULATIONS, *NAMES):
        paper = paper_for(name, found) if name in NAMES else None
        broken = Scope(takes(name, found)).broken(found)
        why = tuple((obstacle.component, ASSUMPTIONS[obstacle.feature]) for obstacle in broken)
        authors, classes = (paper.authors, paper.scope.classes) if paper else ("", "")
        rows.append(FormulationRow(name, authors, classes, why))
    return FormulationTable(tree.model.where, tuple(rows))
