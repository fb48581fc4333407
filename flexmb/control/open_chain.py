"""What controllers of an open chain have in common: coordinates, actuators, sensors, and torques of wanted motions.

Such a controller knows a model of the chain. From joint coordinates q and speeds v, which it reads, it says how the
joints shall accelerate, and inverse dynamics which torques make them do so:

    τ = M(q) v̇ + h(q, v)

Coordinates u that no actuator moves, such as those of a floating base, follow their own equations, and of the others a
only what is left of the inertia resists, as in the partial feedback linearization of Spong (1994):

    v̇_u = −M_uu⁻¹ (h_u + M_ua v̇_a),     τ_a = M* v̇_a + h*
    M* = M_aa − M_au M_uu⁻¹ M_ua,        h* = h_a − M_au M_uu⁻¹ h_u
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.control.gains import Gains
from flexmb.control.references import Motions, same_axes
from flexmb.errors import ControlError
from flexmb.feedback.controller import Controller
from flexmb.feedback.joint_sensors import JointAngle, JointPosition, JointRate, JointSpeed
from flexmb.feedback.laws import PythonLaw
from flexmb.feedback.sensors import RelativeAngle, RelativeRate, Sensor
from flexmb.forces.joint_force import JointForce
from flexmb.formulations.asked import TreeAnswers
from flexmb.formulations.dynamics import TreeDynamics
from flexmb.formulations.tree.tree import Tree
from flexmb.joints.planar.joint import Joint
from flexmb.machine.threads import in_turn
from flexmb.model import checks
from flexmb.model.functions.time_function import Constant, as_function
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model

#: what a chain is made of
KNOWN = ("beam", "body", "figure", "joint", "wheel")
#: a gap of a joint at the start beyond this part of the chain's size, or as many radians, is refused
OPEN = 1e-3


def joint_sensor(joint: Any, coordinate: str, rate: bool, where: str) -> Sensor:
    """What reads a coordinate of a joint, or its rate, in the plane and in space."""
    if isinstance(joint, Joint):
        if coordinate != "angle":
            raise ControlError(
                f"{where}: no sensor of the plane reads the {coordinate} of {joint.where}; read it in a law of your own"
            )
        return (RelativeRate if rate else RelativeAngle)(joint.a, joint.b)
    kinds = ((JointPosition, JointSpeed), (JointAngle, JointRate))
    return kinds[coordinate.startswith("angle")][rate](joint, coordinate)


class Moved(NamedTuple):
    """The equations of the coordinates that actuators move: M* v̇_a + h* = τ_a, and v̇_u = free − follow v̇_a of the
    others."""

    mass: np.ndarray
    bias: np.ndarray
    free: np.ndarray
    follow: np.ndarray


class OpenChain(metaclass=AnswersCalls):
    """A controller of an open chain; its subclasses say `accelerations(q, v, t)`, see :mod:`flexmb.control.open_chain`.

    `where`: its name in messages, without that of the chain. `tree`; `actuators`: the joint forces of the chain, in its
    order; `moved` (nv,): which joint speeds belong to coordinates that actuators move.
    """

    #: the name that its sampled controller gets
    title: str

    def __init__(self, open_chain: Model, where: str) -> None:
        if not isinstance(open_chain, Model):
            raise ControlError(f"{where}: open_chain is {checks.quoted(open_chain)}; give a model")
        self.where = where = f"{where} {open_chain.name!r}"
        self.tree = Tree.of(open_chain)
        if self.tree.chords:
            raise ControlError(
                f"{where}: the chain has loops of its own, by {', '.join(map(repr, self.tree.chords))}; give the "
                "open chain"
            )
        self.actuators = [c for c in open_chain.components.values() if isinstance(c, JointForce)]
        if not self.actuators:
            raise ControlError(f"{where}: the chain has no actuators; give its joints some by joint_force")
        self._dynamics = TreeDynamics(self.tree)
        self._check_closed()
        self._refuse_forces(open_chain)
        acted = [f"{force.joint.name}.{force.acts_on}" for force in self.actuators]
        for k, name in enumerate(acted):
            if name in acted[:k]:
                both = [force.name for force, own in zip(self.actuators, acted) if own == name]
                raise ControlError(f"{where}: {' and '.join(map(repr, both))} both move {name!r}; keep one of them")
        self.moved = np.array([name in acted for name in self.tree.names])
        self._answers = TreeAnswers(self.tree, np.flatnonzero(~self.moved))
        #: which joint speeds the actuators drive, in their order
        self._at = [self.tree.names.index(name) for name in acted]
        #: which joint coordinates are those of the moved speeds
        self._at_q = [k for k, name in enumerate(self.tree.coordinate_names) if name in acted]

    def _check_closed(self) -> None:
        """Refuse a chain whose joints do not fit at its start: its coordinates would count from elsewhere."""
        system = self.tree.system
        g = system.constraint(0.0, system.q0, np.zeros(system.n))[0] / system.row_scale
        worst = int(np.argmax(np.abs(g)))
        if not abs(g[worst]) <= OPEN:
            row, gap = system.rows[worst], abs(g[worst]) * system.row_scale[worst]
            raise ControlError(
                f"{self.where}: joint {row.owner!r} of the chain is open at its start, by {gap:.3g} "
                f"{'m' if row.kind == 'length' else 'rad'} in {row.name!r}; place its bodies where the joint holds them"
            )

    def _refuse_forces(self, chain: Model) -> None:
        """Refuse what pushes or holds the chain besides weight, joints and motors; inverse dynamics leaves it out."""
        held = {row.owner for row in self.tree.system.rows} - {*self.tree.joints}
        for part in chain.components.values():
            what = ""
            if isinstance(part, JointForce):
                own = as_function(part.force, "force", part.where)
                if part.damping or part.friction is not None:
                    what = "its damping and friction"
                elif not (isinstance(own, Constant) and own.value == 0.0):
                    what = "its own force, to which commands are added,"
            elif part.kind not in KNOWN:
                what = "its force"
            elif getattr(part, "friction", None) is not None:
                what = "its friction"
            elif part.kind == "joint" and part.name in held:
                what = "its force"
            if what:
                raise ControlError(
                    f"{self.where}: the controller's model of the chain has {part.where}, and {what} would be missing "
                    "in the torques; leave it out there, and add its torque in a law of your own by drives(q, v)"
                )

    @property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates that actuators move, in the order of the tree."""
        return [name for name, moved in zip(self.tree.names, self.moved) if moved]

    def _sensors(self) -> dict[str, tuple[Sensor, Sensor]]:
        """What reads each coordinate that actuators move, and its rate, in the chain itself, by name."""
        own = self.tree.model
        return {name: (self._sensor(own, name, False), self._sensor(own, name, True)) for name in self.coordinates}

    def _behind(self, motions: Motions, q: Any, v: Any, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By how much the moved coordinates are behind wanted motions, the rates of that, and the accelerations of
        these."""
        x = self.tree.position(q, self.where)[self._at_q]
        u = checks.vector(v, "v", self.where, self.tree.nv)[self.moved]
        place, speed, ahead = motions.at(checks.number(t, "t", self.where))
        return place - x, speed - u, ahead

    def _follow(self, motions: Motions, gains: Gains, q: Any, v: Any, t: float) -> np.ndarray:
        """q̈_d + K_d ė + K_p e of the moved coordinates."""
        e, rate, ahead = self._behind(motions, q, v, t)
        position_gain, rate_gain = gains.at(q, v, t, len(e), self.where)
        return np.asarray(ahead + rate_gain @ rate + position_gain @ e)

    def _equations(self, q: Any, v: Any) -> Moved:
        """The equations of the moved coordinates in a state."""
        M, h, moved, left = self._dynamics.mass_matrix(q), self._dynamics.bias(q, v), self.moved, ~self.moved
        if np.all(moved):
            return Moved(M, h, np.zeros(0), np.zeros((0, len(h))))
        solved = np.linalg.solve(M[np.ix_(left, left)], np.column_stack([-h[left], M[np.ix_(left, moved)]]))
        free, follow, across = solved[:, 0], solved[:, 1:], M[np.ix_(moved, left)]
        return Moved(M[np.ix_(moved, moved)] - across @ follow, h[moved] + across @ free, free, follow)

    def _write(self, q: Any, v: Any) -> None:
        """Write a state as the argument of compiled equations."""
        asked = self._answers.asked
        asked.x[:] = self.tree.position(q, self.where)
        asked.u[:] = checks.vector(v, "v", self.where, self.tree.nv)

    def _tau(self) -> np.ndarray:
        """The drives that compiled equations found."""
        tau = self._answers.asked.tau.copy()
        if not checks.all_finite(tau):
            raise ControlError(
                f"{self.where}: its torques are not finite; the ends of a beam coincide at this q (tree.start() is "
                "where the model stands), or speeds are too large"
            )
        return tau

    def _follow_from(self, q: Any, v: Any, wanted: np.ndarray) -> None:
        """Find the rates of all speeds, and the drives that cause them, from wanted rates of the moved speeds."""
        self._write(q, v)
        self._answers.asked.ud[self.moved] = wanted
        if self._answers.drives_of_moved(0.0):
            self._refuse_left()

    def _refuse_left(self) -> None:
        left = ", ".join(name for name, moved in zip(self.tree.names, self.moved) if not moved)
        raise ControlError(f"{self.where}: {left} can move without any inertia; give the bodies mass and inertia")

    @in_turn
    def _whole(self, q: Any, v: Any, wanted: np.ndarray) -> np.ndarray:
        """v̇ (nv,) of all coordinates from those of the moved ones."""
        self._follow_from(q, v, wanted)
        return self._answers.asked.ud.copy()

    def accelerations(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """v̇ (nv,) that the controller wants in a state of the chain, at a time [s]."""
        raise NotImplementedError

    @in_turn
    def drives(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """τ (nv,) of the chain that causes the wanted accelerations; zero for coordinates that no actuator moves."""
        self._follow_from(q, v, self.accelerations(q, v, t)[self.moved])
        return self._tau()

    def control(self, model: Model, *, period: float, delay: float = 0.0, name: str = "") -> Controller:
        """Add the sampled controller to a `model`, which has the joints of the chain and their actuators by the same
        names: the chain itself, another one with flexible links, or one with other masses. It reads the coordinates of
        all joints and their rates every `period` [s]; `name` is that of the controller."""
        if not isinstance(model, Model):
            raise ControlError(f"{self.where}: model is {checks.quoted(model)}; give a model")
        floating = next((link for link in self.tree.joints if link.endswith(".base")), "")
        if self.tree.nq != self.tree.nv or floating:
            raise ControlError(
                f"{self.where}: it has orientations or a base that floats, of which no sensors of joints know; read "
                "them and call drives(q, v, t) in a law in Python"
            )
        sensors: list[Sensor] = []
        for rates in (False, True):
            sensors += [self._sensor(model, coordinate, rates) for coordinate in self.tree.names]
        for force in self.actuators:
            self._check_actuator(model, force)
        count = self.tree.nv

        def law(t: float, y: np.ndarray) -> np.ndarray:
            return self.drives(y[:count], y[count:], t)[self._at]

        own: Any = model
        return own.add_controller(
            checks.text(name, "name", self.where) or self.title,
            period=period,
            sensors=sensors,
            commands=[force.name for force in self.actuators],
            law=PythonLaw(law, state_count=0),
            delay=delay,
        )

    def _check_actuator(self, model: Model, force: JointForce) -> None:
        """Refuse a model whose actuator of that name is missing, or moves something else than that of the chain."""
        found = model.components.get(force.name)
        if not isinstance(found, JointForce):
            raise ControlError(f"{self.where}: {model.where} has no actuator {force.name!r}, which the chain has")
        acts = [f"{one.joint.name}.{one.acts_on}" for one in (found, force)]
        if acts[0] != acts[1]:
            raise ControlError(f"{self.where}: {found.where} moves {acts[0]!r}, and in the chain {acts[1]!r}")

    def _sensor(self, model: Model, coordinate: str, rate: bool) -> Sensor:
        """What reads a joint coordinate of a model, or its rate."""
        joint, _, what = coordinate.rpartition(".")
        found: Any = model.components.get(joint)
        own: Any = self.tree.model.components.get(joint)
        if found is None or own is None:
            raise ControlError(f"{self.where}: {model.where} has no joint {joint!r}, which the chain has")
        if not isinstance(found, Joint):
            self._check_axes(own, found)
        return joint_sensor(found, what, rate, self.where)

    def _check_axes(self, own: Any, found: Any) -> None:
        """Refuse a joint in space whose coordinates count from another position than those of the chain."""
        if type(own) is not type(found):
            raise ControlError(f"{self.where}: {found.where} is of another kind than in the chain")
        if not same_axes(own.place().joint, found.place().joint):
            raise ControlError(
                f"{self.where}: {found.where} stands otherwise than in the chain, and its coordinates would count "
                "from another place; build both in the same position, and start elsewhere by simulate(initial=…)"
            )
