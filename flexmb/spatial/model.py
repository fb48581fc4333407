"""The model of a mechanism in space."""

from __future__ import annotations

from collections.abc import Iterable

from flexmb.feedback.controlled import ControlledModel
from flexmb.model.checks import Vector
from flexmb.model.components import Component
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.spatial_frames import Frame
from flexmb.spatial.bodies import BodyVerbs
from flexmb.spatial.heat import HeatVerbs
from flexmb.spatial.verbs import SpatialVerbs


class SpatialModel(BodyVerbs, SpatialVerbs, HeatVerbs, ControlledModel):
    """A mechanism in space.

    Arguments: `name`; `gravity` (3,) [m/s²], the same everywhere, or a :class:`~flexmb.spatial.CentralGravity`, about
    whose center the model's origin is in orbit. Orientations are rotations of SciPy, matrices, or what
    :func:`flexmb.euler_angles`, :func:`flexmb.euler_parameters`, :func:`flexmb.rotation_vector` and
    :func:`flexmb.axes_along` make.

    >>> m = SpatialModel("top", gravity=(0, 0, -9.81))
    >>> top = m.add_body("top", mass=15.0, inertia=(0.2, 0.4, 0.2), position=(0, 1, 0))
    >>> joint = m.spherical(m.ground, top.attach("tip", (0, -1, 0)))
    >>> sorted(m.frames)
    ['ground', 'top', 'top.tip']
    """

    ground: Frame
    frames: dict[str, Frame]  # type: ignore[assignment]
    dimension = 3

    def __init__(self, name: str, gravity: Vector | CentralGravity = (0.0, 0.0, 0.0)) -> None:
        super().__init__(name, gravity)
        self.ground = self.add_frame("ground", fixed=True)

    def set_rigid_motion(
        self,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),  # type: ignore[override]
        about: Vector = (0.0, 0.0, 0.0),
        components: Iterable[Component] | None = None,
    ) -> None:
        """Start some components (all of them when not given) as one rigid body: `velocity` (3,) [m/s] of the point
        `about` (3,) [m], `angular_velocity` (3,) [rad/s], in the axes of the ground.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
        >>> m.set_rigid_motion(angular_velocity=(0, 0, 2.0))
        >>> fm.simulate(m, 0.1, step=0.1)["bob"].velocity[0].tolist()
        [0.0, 2.0, 0.0]
        """
        self._start_rigidly(velocity, angular_velocity, about, components)
