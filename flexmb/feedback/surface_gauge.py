"""A sensor on the mesh of a body of finite elements: a strain gauge on its surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.bodies.stresses import gauge_modes, needed_elasticity
from flexmb.elements.modal_body import AnyModalBody
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.quantities import formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.results.tracks.stress_track import node_of


@dataclass(frozen=True, eq=False)
class SurfaceGauge(Sensor):
    """The strain [–] of a body from a mesh along a direction, at a node of it.

    Arguments: `body`, what `model.add_modal_body` returned; `node`, its number, or a place (d,) [m] in the axes in
    which the mesh was given, to which it is nearest; `direction` (d,) of the gauge in these axes.

    >>> import flexmb as fm, numpy as np, skfem
    >>> mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), *2 * [np.array([-0.05, 0.05])])
    >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
    >>> m = fm.SpatialModel("m")
    >>> bar = m.add_modal_body("bar", fm.bodies.from_mesh(mesh, fm.Material(7850, 2e11), interfaces=ends, modes=2))
    >>> joint, pull = m.weld(m.ground, bar.at("foot")), m.point_force(bar.at("tip"), (20000.0, 0, 0))
    >>> gauge = fm.control.SurfaceGauge(bar, (0.5, 0.05, 0), (1, 0, 0))
    >>> gauge.readings(fm.equilibrium(m).solution).round(7).tolist()
    [1e-05]
    """

    body: Any
    node: Any
    direction: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._must_be(AnyModalBody, self.body, "body from a mesh; give what model.add_modal_body returned")
        place = needed_elasticity(self.body.mesh_place(), self.body.where)
        dimension = self.body.model.dimension
        where = f"{type(self).__name__} on {self.body.where}"
        along = checks.vector(self.direction, "direction", where, dimension)
        object.__setattr__(self, "node", node_of(place, self.node, where))
        own = gauge_modes(place, self.node, along @ self.body.reduced.orientation, self.body.reduced.modes)
        object.__setattr__(self, "_factors", own)

    @property
    def name(self) -> str:
        return f"strain of {self.body.name} at node {self.node}"

    def parts(self) -> list[Component]:
        return [self.body]

    def function_of_state(self, places: Places) -> Quantity:
        modes = [places.coordinate(f"{self.body.name}.mode{k + 1}") for k in range(self.body.reduced.modes)]
        return Quantity(formulas.weighted_sum, modes, self._factors)  # type: ignore[attr-defined]
