"""States of first order of a component: ẋ = f(t, q, v, x) beside its forces.

A state is the speed of a coordinate of unit mass (:func:`flexmb.kernels.blocks.states`), so that every method
integrates it as it integrates speeds. Its inertia is an instance of its own, here; the family of the component puts −f
into the equation of the state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.kernels.blocks import Numbers, states
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Assembler


@kernel
def inertia_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for c in range(iv.shape[1]):
            out[i, c] = a[iv[i, c]]


@kernel
def inertia_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for c in range(iv.shape[1]):
            K[i, c, c] += w[0]


#: The unit masses of states.
STATE_INERTIA: Kernels = Kernels("inertia of states", residual=inertia_residual, tangent=inertia_tangent)


def add_state(assembly: Assembler, owner: Any, name: str, start: float, size: float) -> Numbers:
    """A new state of a component, 'OWNER.name', with its value at the start and its size, by which errors of it are
    measured."""
    blocks, begin = [states([name])], np.array([start])
    (own,) = assembly.coordinates(owner, blocks, np.zeros(1), begin, given=True, sizes=np.array([size]))
    assembly.instance(owner, STATE_INERTIA, [own], np.zeros(0), label=f"inertia of {name}")
    return own
