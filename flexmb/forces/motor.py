"""Motor: a rotor that drives one frame against another through a reducer, in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.elements.spatial.attraction.masses import Lump, MassAttraction
from flexmb.elements.spatial.rotor import ROTOR as SPATIAL_ROTOR
from flexmb.elements.spatial.rotor import TORQUE
from flexmb.errors import ModelError
from flexmb.forces.about_axis import AboutAxis
from flexmb.forces.coordinate_force import ALONE, COORDINATE_SPRING
from flexmb.forces.drives.backlash import GearLaw, add_gear
from flexmb.forces.drives.lugre import LuGre
from flexmb.forces.friction import Friction
from flexmb.forces.planar.rotor import ROTOR
from flexmb.joints.coordinates import COORDINATE_DRIVE, COUPLING
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.functions.time_function import TimeFunction, as_function, as_motion
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.spatial_frames import unit_axis

#: kernels of the rotor in the plane and in space, and the place of its torque among their parameters
KERNELS = {2: (ROTOR, 2), 3: (SPATIAL_ROTOR, TORQUE)}


@dataclass(eq=False)
class Motor(AboutAxis):
    """A motor whose stator sits on frame `a` and whose output drives frame `b`; Kobayashi (n.d.), §2.3.2, eq. (66).

    Its own coordinate φ is the angle of the rotor against the stator, on the motor's side of the reducer. N is the
    gear ratio (turns of the motor for one turn of the output, negative when the reducer reverses), s the angle of the
    output, and δ the twist of the reducer on its output side. In the plane s = θ_b − θ_a, and the rotor's axis is
    normal to the plane, so that it turns in space at θ̇_a + φ̇:

        δ = (φ − φ₀)/N − (s − s₀)
        T = ½ J (θ̇_a + φ̇)²,   U = ½ k δ²,   lost: c δ̇² + F φ̇,   input: τ φ̇

        φ:    J (φ̈ + θ̈_a) + M/N + F(φ̇) − τ = 0        with M = k δ + c δ̇
        θ_a:  J (φ̈ + θ̈_a) + M,    θ_b:  −M

    The stator feels −τ + F − (1 − 1/N) M, the reaction of motor and gear case. (The source's (66) has the
    rotor's inertia J on its own coordinate alone: with the stator on ground the two are the same.)

    In space the rotor turns about the unit vector u along `axis`, which is fixed to a, and s is the counted angle of b
    against a (:mod:`flexmb.joints.spatial.rows.counted_angle`), a second coordinate. With the angular momentum
    h = J (u · ω_a + φ̇) of the rotor about its axis:

        T = ½ J (u · ω_a + φ̇)²
        φ:    ḣ + M/N + F(φ̇) − τ = 0,      s:  −M
        a:    u ḣ + ω_a × u h,   in the axes of its body:  the second term is the gyroscopic moment

    The row of s hands its force, M, on to the bodies: M u on b, −M u on a.

    The rotor's mass, and its inertia across the axis, belong to the body that carries it. At the start the reducer is
    not twisted. Without `stiffness` the reducer is rigid: the constraint δ = 0.

    The friction F acts between rotor and stator, on the motor's side of the reducer, where bearings, brushes and the
    fast stage of the reducer are; the output feels it N-fold. A number d is viscous friction, F = d φ̇; a
    :class:`flexmb.Friction` has Coulomb's and Stribeck's part too. If the friction is known at the output,
    divide torques by N and the viscous coefficient by N², and multiply speeds by N.

    The motor is driven by a torque, or by a given rotor angle (the constraint φ = α(t), and the rotor starts
    at α(0)). It does not hold the two frames together; add a revolute joint on the same axis.

    Arguments: `a` stator; `b` output; `inertia` J of the rotor about its axis [kg m²]; `ratio` N [–];
    `stiffness` k [Nm/rad] and `damping` c [Nms/rad] of the reducer on the output side; `friction` of the rotor, a
    number d [Nms/rad], a `Friction` or bristles, :class:`flexmb.LuGre`; `backlash` of the reducer [rad], on the output
    side, a gap of its teeth as that of :class:`flexmb.planar.Backlash`, with k and c; `load` [Nm] that the reducer
    carries at the start, on the output: 0 where the gap is centred, else it presses the teeth together; `torque` τ [Nm]
    on the rotor or `angle` α [rad] of the rotor, a number or a function of time; `axis`, in space: 'x', 'y', 'z' or a
    direction (3,), in the axes of frame a.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=0.1)
    >>> hinge = m.revolute(m.ground, arm.frame)
    >>> m.motor(m.ground, arm.frame, inertia=1e-4, ratio=100.0, stiffness=500.0, torque=0.2).name
    'motor 1'
    >>> m = fm.SpatialModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.02))
    >>> hinge = m.revolute(m.ground, arm.frame, axis="x")
    >>> drive = m.motor(m.ground, arm.frame, axis="x", inertia=1e-4, ratio=100.0, torque=0.2, name="drive")
    >>> solution = fm.simulate(m, 1.0, step=0.01, progress=False)
    >>> round(float(solution["arm.wx"][-1]), 6)  # N τ t/(I + N² J)
    18.181818
    """

    _: KW_ONLY
    inertia: float = 0.0
    ratio: float = 1.0
    stiffness: float | None = None
    damping: float = 0.0
    friction: float | Friction | LuGre = 0.0
    backlash: float = 0.0
    load: float = 0.0
    torque: TimeFunction | float = 0.0
    angle: TimeFunction | float | None = None
    kind = "motor"
    glyphs = ("motor",)
    measured = ()  # its angle is that of the rotor
    strength = "torque"
    strength_unit = "Nm"
    prescribed = "angle"
    prescribed_unit = "rad"

    @property
    def measures_from_start(self) -> bool:
        return True  # the rotor stands where the mechanism starts

    def check(self) -> None:
        super().check()
        free = self.stiffness is not None and self.angle is None
        checks.check_fields(self, checks.positive if free else checks.not_negative, self.where, "inertia")
        checks.check_fields(self, checks.number, self.where, "ratio")
        checks.check_fields(self, checks.not_negative, self.where, "damping")
        if self.ratio == 0.0:
            raise ModelError(
                f"{self.where}: ratio is 0; give motor turns for a turn of the output, 1 without a reducer"
            )
        if self.stiffness is not None:
            checks.check_fields(self, checks.positive, self.where, "stiffness")
        elif self.damping > 0.0:
            raise ModelError(f"{self.where}: damping of a reducer that cannot twist; give its stiffness too")
        checks.check_fields(self, checks.not_negative, self.where, "backlash")
        checks.check_fields(self, checks.number, self.where, "load")
        if self.backlash and not (self.damping > 0.0 and self.stiffness is not None):
            raise ModelError(
                f"{self.where}: backlash needs a reducer with stiffness and damping, those of the shaft whose end "
                "moves in the gap; give both"
            )
        if self.load and not self.backlash:
            raise ModelError(
                f"{self.where}: load says to which side teeth with backlash are pressed; give backlash too"
            )
        if not isinstance(self.friction, Friction | LuGre):
            checks.check_fields(self, checks.not_negative, self.where, "friction")
        self.torque = as_function(self.torque, "torque", self.where)
        if self.angle is not None:
            self.angle = as_motion(self.angle, "angle", self.where)

    def place(self) -> PairPlace:
        place = super().place()
        return replace(place, rotor=f"{self.name}.rotor") if self.stands_in == 3 else place

    def lump(self) -> Lump:
        """The inertia of its rotor about the axis, as a central gravity turns it; its mass is that of the body."""
        axis = self._axis_on_node()
        return Lump(self.a.node, 0.0, np.zeros(3), self.inertia * np.outer(axis, axis))

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return MassAttraction(self, gravity) if self.inertia else None

    def assemble(self, assembly: Assembler) -> None:
        turn = self.turn(assembly)
        rotor, start = self._add_rotor(assembly)
        law = self.friction if isinstance(self.friction, Friction | LuGre) else None
        viscous: Any = self.friction if law is None else law.viscous
        kernels, strength = KERNELS[self.stands_in]
        p = np.array([*self._axis_on_node(), self.inertia, viscous, *assembly.strength(self).slot()])
        on = [assembly.node(self.a.node)[1], rotor]
        assembly.instance(self, kernels, on, p, label="motor", strength=strength)
        if law is not None:  # an instance of its own: a motor without it costs nothing more
            law._add(assembly, self, [rotor], ALONE[:1], self.ratio * self._rate())
        # the reducer: a spring on the twist δ, or a row where it is rigid
        shafts = [*turn.coordinates, rotor]
        twist = [*(-w for w in turn.weights), 1.0 / self.ratio, start / self.ratio - turn.start]
        if self.backlash and self.stiffness is not None:
            gear = GearLaw(self.stiffness, self.damping, self.backlash, self.load)
            add_gear(assembly, self, shafts, twist[:-1], twist[-1], gear)
        elif self.stiffness is None:
            assembly.instance(self, COUPLING, shafts, np.array(twist), [("reducer", "angle")], label="reducer")
        else:
            p = np.array([*twist, self.stiffness, self.damping])
            assembly.instance(self, COORDINATE_SPRING, shafts, p, label="reducer")
        if self.angle is not None:  # the row by which the rotor follows it
            own_angle, row = assembly.prescribed(self).parameters(), [("rotor", "angle")]
            assembly.instance(self, COORDINATE_DRIVE, rotor, own_angle, row, label="drive", prescribed=0)

    def _add_rotor(self, assembly: Assembler) -> tuple[Numbers, float]:
        """The angle of the rotor against the stator, a new coordinate, and its value at the start."""
        start = [0.0, self.ratio * self._rate()]
        if self.angle is not None:
            angle = self.function("angle")
            start = [angle(0.0), angle.rate(0.0)]
        blocks = [free(["rotor"], "angle")]
        (rotor,) = assembly.coordinates(self, blocks, np.array(start[:1]), np.array(start[1:]), given=False)
        return rotor, start[0]

    def _axis_on_node(self) -> list[float]:
        """Axis of the motor in the axes of body a, in space."""
        return [] if self.stands_in == 2 else self.a.on_node(unit_axis(self.axis, self.where)).tolist()

    def _rate(self) -> float:
        """How fast b turns against a about the axis at the start [rad/s]."""
        a, b = (frame.node.moving_at(frame.node.position)[1] for frame in self.frames())
        if self.stands_in == 2:
            return b - a
        stator: Any = self.a
        return float(np.dot(turned(tuple(stator.quaternion), tuple(unit_axis(self.axis, self.where))), b - a))
