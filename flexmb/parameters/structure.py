"""Whether two systems differ in numbers alone, as those of a model with other parameters should, and whether at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.kernels.images import Image
from flexmb.system.system import System


def structure_of(system: System) -> list[tuple[Any, ...]]:
    """The structure of a system, which is the same in models that differ in numbers only. Names of coordinates may
    differ: those of a body have another name where its mass center lies beside its frame than where it lies in it."""
    every = system.assembly.instances
    return [(i.owner.name, id(i.kernels), len(i.parameters), i.coordinates.tolist()) for i in every]


def differ_in_numbers(one: System, other: System) -> bool:
    """Whether two systems have the same joints, kernels and coordinates, so that they differ in numbers only.

    >>> import flexmb as fm
    >>> from flexmb.parameters.names import changed
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), properties=given, modes=1)
    >>> stiffer, finer = (fm.System(changed(m, {name: 2}, "m")) for name in ("rod.properties.EI", "rod.modes"))
    >>> differ_in_numbers(fm.System(m), stiffer), differ_in_numbers(fm.System(m), finer)
    (True, False)
    """
    rows = [[row.where for row in system.assembly.rows] for system in (one, other)]
    return rows[0] == rows[1] and structure_of(one) == structure_of(other)


def are_alike(one: System, other: System) -> bool:
    """Whether two systems have the same equations of motion and the same start, to the bit.

    >>> import flexmb as fm
    >>> from flexmb.parameters.names import changed
    >>> m = fm.PlanarModel("m")
    >>> given = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6, rhoI=1e-5)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), properties=given)
    >>> heavier, turning = (fm.System(changed(m, {f"rod.properties.{x}": 1.0}, "m")) for x in ("rhoA", "rhoI"))
    >>> are_alike(fm.System(m), heavier), are_alike(fm.System(m), turning)  # thin beams have no rotary inertia
    (False, True)
    """
    a, b = ((Image(x.plan).contents, x.initial, x.initial_speeds) for x in (one, other))
    return all(np.array_equal(x, y) for x, y in zip(a, b))
