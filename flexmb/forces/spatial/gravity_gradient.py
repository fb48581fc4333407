"""Gravity of a central body within a model that weakens with the distance: force and torque on a body, rigid or not.

Each part with mass says how a central gravity attracts it (:meth:`flexmb.Component.attraction`): rigid bodies by their
inertia, to the second order in their size over the distance, MacCullagh's formula, Hughes (1986); reduced bodies by
their mass products, beams at Gauss points. Here the center stands still in the model, and the whole attraction acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.attraction.pull import Attraction
from flexmb.elements.spatial.tank import Tank
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.components import Assembler, Component
from flexmb.model.gravity.held import HeldCenter
from flexmb.model.model import Model


@dataclass(eq=False)
class GravityGradient(Component):
    """The attraction of a central body in the model on a body in space, rigid or flexible: −μ m r/|r|³ on its mass, and
    what its extent adds to that, with the torque 3 μ r × J r/|r|⁵; Hughes (1986).

    It is the whole gravity of that central body: a model in orbit has no other `gravity`. It has a potential energy,
    and the attracted body moves in its orbit: give it the speed of that, √(μ/|r|) on a circle. All that has mass has to
    be attracted, each body and beam by one of its own. Places in the model are those from its origin: 7000 km from a
    center there they keep a nanometer, and a beam is bent by less than their rounding does. A craft far from its center
    has a :class:`~flexmb.spatial.CentralGravity` for that.

    Arguments: `body`: a body, a point mass or a wheel with mass, a reduced body or a beam; `mu` μ [m³/s²], the
    gravitational constant times the central mass, 3.986004e14 of the earth; `center` (3,) [m] of the central body,
    which is fixed in space.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("orbit")
    >>> rod = m.add_body("rod", mass=2.0, inertia=(0.1, 5.0, 5.0), position=(10.0, 0, 0))
    >>> rod.move((0, 10.0**0.5, 0), (0, 0, 0.1 * 10.0**0.5))
    >>> pull = m.gravity_gradient(rod, 100.0)
    >>> run = fm.simulate(m, 1.0, step=0.01)
    >>> bool(run.energy.error < 1e-6)
    True
    """

    body: Component
    mu: float
    _: KW_ONLY
    center: Any = (0.0, 0.0, 0.0)
    kind = "force"
    dimension = 3
    external = True
    fixed_in_space = True
    attracts = True

    def parts(self) -> list[Component]:
        return [self.body] if isinstance(self.body, Component) else []

    def check(self) -> None:
        checks.check_fields(self, checks.positive, self.where, "mu")
        self.center = checks.vector(self.center, "center", self.where, 3)
        if isinstance(self.body, Tank):
            raise ModelError(
                f"{self.where}: {self.body.where} loses mass, which the attraction of a central body does not know; "
                "let a run end before it has lost much, and go on with a lighter body"
            )
        if not isinstance(self.body, Component) or self.body.attraction(self.field) is None:
            raise ModelError(
                f"{self.where}: it acts on bodies, beams, point masses and wheels with mass in space, not on "
                f"{checks.quoted(self.body)}"
            )
        if self._model.gravity.is_central:
            raise ModelError(
                f"{self.where}: the model has a CentralGravity, about whose center it is in orbit and which attracts "
                "all of it already; leave this out, or give the model no gravity, where the center is within it"
            )
        self.load.check()

    @property
    def _model(self) -> Model:
        """The model of the body."""
        body: Any = self.body
        return next((frame.model for frame in body.frames()), None) or body.model

    @property
    def field(self) -> HeldCenter:
        """The field of the center."""
        x, y, z = map(float, self.center)
        return HeldCenter(float(self.mu), (x, y, z))

    @property
    def load(self) -> Attraction:
        """The load by which that field attracts the body."""
        load: Any = self.body.attraction(self.field)
        load.name = self.name
        return load

    @property
    def own_size(self) -> float:
        """The distance [m] of the body from the center at the start: the orbit is a part of the mechanism."""
        return max(float(np.linalg.norm(place - self.center)) for place in self.load.places())

    def check_masses(self, masses: Sequence[Component]) -> None:
        """Refuse masses that the same central body does not attract."""
        everyone = self._model.components.values()
        same = [x for x in everyone if isinstance(x, GravityGradient) and x.field == self.field]
        left = [x for x in masses if x not in [one.body for one in same]]
        if not left or same[0] is not self:
            return
        known = [x for x in left if not isinstance(x, Tank)]
        advice = []
        if known:
            advice.append("give each of them a gravity_gradient of its own, with this mu and center")
        if len(known) < len(left):
            advice.append("tanks it does not attract: make bodies of the mass that is left of them")
        raise ModelError(
            f"{self.where}: a central body attracts all that has mass, and in this model it does not attract "
            f"{', '.join(x.where for x in left)}; {'; '.join(advice)}"
        )

    def assemble(self, assembly: Assembler) -> None:
        self.load.assemble(assembly)
