"""The base class of joints of the plane: a constraint between two frames.

Forces: the equation of motion is  M a + f + Gᵀ λ = 0, so the force of a joint on the node of a frame is −Gᵀ λ,
with the columns of G that belong to the node. All joints are written as (b) − (a): a row that measures an
angle or a length puts −λ on frame b, a moment that turns b forward or a force that drives b away, and
+λ on frame a. A joint may consist of several instances (a prismatic one of two); its forces are their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from flexmb.joints.pair_joint import PairJoint
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.pairs import PlanarPair
from flexmb.model.ways import Motion, Ways, about_z


@dataclass(eq=False)
class Joint(PairJoint, PlanarPair):
    """A constraint between frames `a` and `b`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> isinstance(hinge, fm.planar.Joint), hinge.a.name, hinge.b.name
    (True, 'ground', 'bob.pivot')
    """

    #: in which ways its frames can move against each other: 'angle', and 'position' along its axis
    coordinates: ClassVar[tuple[str, ...]] = ()
    #: along which of these it drives its frames itself
    acts: ClassVar[tuple[str, ...]] = ()

    def place(self) -> PairPlace:
        measured = tuple(name for name in self.coordinates if name in ("angle", "position"))
        axis = getattr(self, "axis", 0.0) if "position" in measured else None
        place = PairPlace(self.a.name, self.b.name, self.glyphs, axis)
        on_a = 0.0 if axis is None else axis
        if self.acts:
            on_a = float(getattr(self, "axis", 0.0))
        along = JointPlace((on_a,), (on_a - self.initial_angle,), measured, acts=self.acts)
        joint = along if measured or self.acts else None
        return replace(place, joint=joint)

    def ways_along(self, axis: float, *motions: Motion) -> Ways:
        """These motions, for axes that are turned by an angle `axis` [rad] against those of both frames."""
        on = [about_z(frame.offset_angle + axis) for frame in (self.a, self.b)]
        places = [(*frame.offset.tolist(), 0.0) for frame in (self.a, self.b)]
        return Ways(on[0], places[0], motions, on[1], places[1])
