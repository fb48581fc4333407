"""Start of an episode: a state by names of joint coordinates and their rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexmb.batches.members import rates_of
from flexmb.elements.beam import AnyBeam
from flexmb.errors import ModelError
from flexmb.formulations.tree.tree import Tree
from flexmb.model import given_names
from flexmb.results.state import State


class Start:
    """The states of a `model` in which joint coordinates and rates with these `names` are given, and all others are
    those of the model.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum")
    >>> rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (-1.0, 0.0)), name="hinge")
    >>> Start(m, ["hinge.angle"], "m").state({"hinge.angle": 1.5707963267948966})["rod"].position.round(9).tolist()
    [0.0, 1.0]
    """

    def __init__(self, model: Any, names: Sequence[str], where: str) -> None:
        where = f"{where}, initial"
        self._tree = tree = Tree.of(model)
        if tree.chords:
            raise ModelError(
                f"{where}: names of joints say a start where they form a tree, and {tree.chords[0]!r} closes a loop; "
                "let the model begin as it does, and leave initial out"
            )
        bent = next((c for c in model.components.values() if isinstance(c, AnyBeam)), None)
        if bent is not None and names:
            raise ModelError(
                f"{where}: {names[0]!r} would turn one end of {bent.where} alone, and bend it; let the model begin as "
                "it does, and leave initial out"
            )
        coordinates, rates = tree.coordinate_names, rates_of(tree.names)
        self._x, self._u = tree.start()
        self._places: dict[str, tuple[bool, int]] = {}
        for name in names:
            if name in coordinates:
                self._places[name] = False, coordinates.index(name)
            elif name in rates:
                self._places[name] = True, rates.index(name)
            else:
                raise given_names.unknown(name, [*coordinates, *rates], "joint coordinate or rate", where)

    def state(self, values: Mapping[str, float]) -> State:
        """The state with these values."""
        x, u = self._x.copy(), self._u.copy()
        for name, (is_rate, number) in self._places.items():
            (u if is_rate else x)[number] = values[name]
        return self._tree.state(x, u)
