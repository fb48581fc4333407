"""Computed torque: joints that follow wanted motions, by the inverse dynamics of the chain.

With the joint coordinates q of the chain, wanted motions q_d(t) and the error e = q_d − q,

    τ = M(q) (q̈_d + K_d ė + K_p e) + h(q, q̇)

by Markiewicz (1973), with inverse dynamics by Luh, Walker and Paul (1980); Craig (2005), chapter 10. Where the model is
exact and torques change at every instant, the error obeys  ë + K_d ė + K_p e = 0,  whatever the motion. Torques that
are held for a period T leave errors of the first order in T. A bias h that is wrong by Δh leaves, at rest, an error
K_p e = M⁻¹ Δh,  with the M of the controller's model.

Coordinates that no actuator moves follow their own equations (:mod:`flexmb.control.open_chain`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.control.gains import Gains, checked_gains
from flexmb.control.open_chain import OpenChain
from flexmb.control.references import Motions, joint_motions
from flexmb.model.model import Model


class ComputedTorque(OpenChain):
    """The torques by which joints of an open chain follow wanted motions, see :mod:`flexmb.control.computed_torque`.

    `open_chain`: a model of the chain, as the controller knows it, with its weight, and a `joint_force` at each joint
    that has a motor; `wanted`: the motion of the coordinates that these move, a mapping from their names
    ("elbow.angle") to functions of time or numbers, or a row of such in the order of `coordinates`, or a solution whose
    motion is replayed, finished or from a file; before and after its time it holds its ends. `gains`:
    :class:`flexmb.control.Gains`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -10.0))
    >>> rod = m.add_body("rod", mass=1.0, inertia=1.0, position=(1, 0))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (-1, 0)), name="hinge")
    >>> motor = m.joint_force(hinge, 0.0, name="motor")
    >>> law = fm.control.ComputedTorque(m, {"hinge.angle": 0.1}, fm.control.Gains.of(10.0))
    >>> law.accelerations([0.0], [0.0]).round(6)  # 10² · 0.1
    array([10.])
    >>> law.drives([0.0], [0.0]).round(6)  # (1 + 1) · 10 and the weight
    array([30.])
    """

    title = "computed torque"

    def __init__(self, open_chain: Model, wanted: Any, gains: Gains) -> None:
        super().__init__(open_chain, "computed torque of chain")
        self.gains = checked_gains(gains, len(self.coordinates), self.where)
        self.wanted = Motions(joint_motions(wanted, self._sensors(), self.where, "wanted"))

    def errors(self, q: Any, v: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """e and ė of the coordinates that actuators move, at a time [s]."""
        return self._behind(self.wanted, q, v, t)[:2]

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v̇ (nv,) in joint coordinates q (nq,) and speeds v (nv,) of the chain, at a time [s]."""
        wanted = self._follow(self.wanted, self.gains, q, v, t)
        return self._whole(q, v, wanted)
