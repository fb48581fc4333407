"""Friction of Coulomb that truly sticks beside a row in one direction: surfaces that touch and slip in one direction.

The contact owns the slip σ, a coordinate without inertia, and a velocity row by which σ̇ = u is the speed at which its
surfaces slip. What acts on σ is friction, as on the coordinate of a joint that sticks (:mod:`flexmb.joints.sticking`),
with the force N = −λ of the gap for the pressure:

    open      λ_σ = 0
    slides    λ_σ = ±μ(|u|) N,  with a sign that stays until u = 0
    sticks    σ̈ = 0;  then |λ_σ| ≤ μ_S N
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.joints import sticking
from flexmb.joints.friction import JointFriction
from flexmb.joints.sticking import FREE, INERTIA, KEPT, STATE, STICKS, coefficient_of
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Assembler, Component


@kernel
def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 1  # the row of σ is the last, that of the gap stands before it
    for i in range(p.shape[0]):
        state = p[i, STATE]
        if state == STICKS or state == KEPT:
            out[i, 0] = lam[i, own]
            out[i, 1 + own] = 1.0
        elif state != FREE:
            mu, steeper = coefficient_of(p[i], v[iv[i, 0]])
            out[i, 0] = -state * mu * lam[i, own - 1]
            out[i, own] = -state * mu
            K[i, 0, 0] -= w[1] * state * steeper * lam[i, own - 1]


#: On the slip σ, whose coefficient in its row is −1; its multipliers are those of the component up to that row.
#: Parameters: those of a joint that sticks.
RUBBING = Kernels("friction beside a gap", residual=sticking.residual, tangent=sticking.tangent, friction=friction)


def add_rubbing(
    assembly: Assembler, owner: Component, name: str, speed: float, row: Kernels, nodes: list[Any],
    parameters: np.ndarray, law: JointFriction,
) -> None:  # fmt: skip
    """Add the slip beside the gap that was added last, as a coordinate of its owner with a `speed` at the start: its
    velocity row, on two nodes, and its friction."""
    (slip,) = assembly.coordinates(owner, [free([name], "length")], np.zeros(1), np.array([speed]), given=False)
    blocks: list[Numbers] = [*nodes, slip]
    assembly.instance(owner, row, blocks, parameters, [(name, "length", "velocity")], stays=True)
    p = np.zeros(INERTIA + 1)
    numbers = law.parameters()
    p[: len(numbers)], p[STATE], p[INERTIA] = numbers, FREE, 1.0
    assembly.instance(owner, RUBBING, slip, p, reads=True, state=STATE)


def is_rubbing(series: Any) -> bool:
    """Whether an instance with states is the friction beside a gap."""
    return series.kernels.name == RUBBING.name
