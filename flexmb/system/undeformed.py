"""Flexible bodies that keep their undeformed shapes: rows that an analysis adds to those of the joints.

The amplitudes of modes are held at their initial values, g = ξ − ξ₀, and the method
:meth:`~flexmb.model.components.Component.keep_shape` of a body adds rows that hold its nodes relative to each other.
The rows belong to the body. Its coordinates are then left with its motions as a rigid body, and its mass is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.joints.coordinates import COUPLING
from flexmb.kernels.blocks import MODAL
from flexmb.model.components import Assembler, Component
from flexmb.system.instances import InstanceSeries
from flexmb.system.numbering import Numbering


def hold_undeformed(component: Component, own: Sequence[InstanceSeries], free: Numbering, assembly: Assembler) -> None:
    """Add the rows that hold a component in its undeformed shape, if it is a body with `keep_shape`. `own`: its
    instances; `free`: the free coordinates numbered so far."""
    bodies = [x.coordinates.v for x in own if not x.rows.shape[1] and x.kernels.residual is not None]
    if not bodies or not component.keep_shape(assembly):
        return
    modal = np.flatnonzero(free.mask(MODAL))
    for k in np.intersect1d(modal, np.concatenate(bodies, axis=None)).tolist():
        name, measure = free.names[k].removeprefix(f"{component.name}."), free.measures[k]
        kind = "length" if measure == "length" else "angle"
        parameters = np.array([1.0, free.values[k]])
        assembly.instance(component, COUPLING, np.array([k]), parameters, [(f"undeformed {name}", kind)])
