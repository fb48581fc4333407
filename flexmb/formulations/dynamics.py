"""Dynamics of a mechanism in joint coordinates: mass matrix, inverse dynamics, Jacobians, momentum."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.elements.spatial.tank import Tank
from flexmb.errors import FormulationError
from flexmb.formulations.arguments import forces_on
from flexmb.formulations.asked import TreeAnswers
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.rotations import product, rotation_matrix, turned
from flexmb.machine.threads import in_turn
from flexmb.model import checks
from flexmb.model.frames import Frame
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model
from flexmb.system.whole_tables import point_on_floor


class MassCenter(NamedTuple):
    """Position (3,) [m], velocity (3,) [m/s] and acceleration (3,) [m/s²] of a mass center.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -10))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> center = fm.TreeDynamics(m).mass_center([0.0], [2.0], [0.0])
    >>> [abs(x).round(9).tolist() for x in center]
    [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 4.0]]
    """

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class Pose(NamedTuple):
    """Where a frame is: its position (3,) [m], its axes (3, 3) as columns in ground axes, and in the plane its angle
    [rad], counted through all turns (0 in space).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum")
    >>> rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (-1, 0)), name="hinge")
    >>> pose = fm.TreeDynamics(m).pose("rod", [7.0])
    >>> pose.position.round(6).tolist(), pose.angle
    ([0.753902, 0.656987, 0.0], 7.0)
    """

    position: np.ndarray
    axes: np.ndarray
    angle: float


class TreeDynamics(metaclass=AnswersCalls):
    """Dynamics of the tree of a mechanism as functions of joint coordinates q (nq,), speeds v (nv,) and their rates
    vdot (nv,).

    It contains links and joints with masses and gravity, wheels, and beams and rotors with elasticity and damping;
    joint friction, springs, rigid reducers of motors (in space all reducers) and other components are left out. Loops
    are open. Six-vectors have the angular part first, in ground axes; planar mechanisms lie in z = 0.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -10))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> dynamics = fm.TreeDynamics(m)
    >>> q = [0.5 * 3.141592653589793]
    >>> dynamics.mass_matrix(q).round(6), dynamics.drives(q, [0.0], [2.0]).round(6)
    (array([[1.1]]), array([12.2]))
    >>> dynamics.jacobian("rod.top", q).round(6).T + 0.0
    array([[0., 1., 0., 0., 0., 0.]])
    """

    def __init__(self, model: Model | Tree) -> None:
        self.tree = Tree.fitting(model)
        self._where = f"dynamics of {self.tree.model.where}"
        self.tree.model.gravity.uniform(self._where)
        for component in self.tree.model.components.values():
            if isinstance(component, Tank):
                raise FormulationError(
                    f"{self._where}: {component.where} loses mass, of which q says nothing; leave it out, or let its "
                    "body have the mass"
                )
        self._links, self._answers = self.tree.arrays, TreeAnswers(self.tree)
        self._asked, self._room = self._answers.asked, self._answers.asked.room
        self._numbers = {id(link.node): k for k, link in enumerate(self.tree.graph.links)}

    # -- equations of motion -----------------------------------------------------------------------------------------

    @in_turn
    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (nv, nv) in M v̇ + h = τ."""
        self._ask(q)
        self._answers.mass_matrix(0.0)
        lower = self._finite(np.tril(self._room.mass))
        return np.asarray(lower + np.tril(lower, -1).T)

    def bias(self, q: Any, v: Any, wrench: Any = None) -> np.ndarray:
        """h (nv,): gravity, velocity-dependent and elastic forces, less external forces `wrench` (n, 6), [n; f] at the
        origins of the links."""
        return self.drives(q, v, np.zeros(self.tree.nv), wrench)

    @in_turn
    def drives(self, q: Any, v: Any, vdot: Any, wrench: Any = None) -> np.ndarray:
        """Inverse dynamics: the drives τ (nv,) that a motion needs, by the recursive Newton-Euler algorithm."""
        self._ask(q, v, vdot, wrench)
        self._answers.drives(0.0)
        return self._finite(self._asked.tau.copy())

    # -- frames and their Jacobians ----------------------------------------------------------------------------------

    @in_turn
    def pose(self, frame: Frame | str, q: Any) -> Pose:
        """Where a frame on a link is."""
        frame = self._frame(frame)
        if frame.node.fixed:
            node: Any = frame.node
            if self._planar:
                return Pose(np.append(frame.position, 0.0), _about_z(frame.angle), float(frame.angle))
            return Pose(np.array(frame.position), _matrix(product(tuple(node.orientation), _axes_on_node(frame))), 0.0)
        k, nodes, moving = self._place(frame, q), self.tree.nodes, self._room.moving
        if self._planar:
            angle = float(moving.angle[k] + nodes.angle[k] + frame.offset_angle)
            return Pose(self._at.copy(), _about_z(angle), angle)
        own = _matrix(product(tuple(nodes.axes[k]), _axes_on_node(frame)))
        return Pose(self._at.copy(), moving.rotation[k].reshape(3, 3) @ own, 0.0)

    @in_turn
    def jacobian(self, frame: Frame | str, q: Any) -> np.ndarray:
        """J (6, nv): [ω; v] of a frame is J v."""
        frame = self._frame(frame)
        if not frame.node.fixed and (id(frame.node) not in self._numbers or self._on_a_place(frame)):
            return self._along_a_beam(frame, q)
        self._asked.number[0], self._asked.place[:] = self._place(frame, q), self._at
        self._answers.jacobian(0.0)
        return self._asked.J.copy()

    @in_turn
    def jacobian_rate(self, frame: Frame | str, q: Any, v: Any) -> np.ndarray:
        """J̇ (6, nv): [α; a] of a frame on a link is J v̇ + J̇ v."""
        frame = self._frame(frame)
        k = self._place(frame, q, v)
        if self._on_a_place(frame):
            raise FormulationError(
                f"{self._where}: {frame.where} hangs on a place within a beam, of which no rates are known; "
                "tree.state(q, v) has its accelerations for v̇ = 0"
            )
        self._asked.number[0], self._asked.place[:] = k, self._at
        self._answers.jacobian_rate(0.0)
        return self._asked.J.copy()

    # -- sums over all links -----------------------------------------------------------------------------------------

    @in_turn
    def mass_center(self, q: Any, v: Any = None, vdot: Any = None) -> MassCenter:
        """The mass center of all links; speeds and their rates are zero when not given."""
        found = self._sums(q, v, vdot)
        return MassCenter(found[1:4] / found[0], found[7:10] / found[0], found[13:16] / found[0])

    @in_turn
    def momentum(self, q: Any, v: Any, about: Any = None) -> np.ndarray:
        """[L; p] (6,) of all links, about their mass center or about a point (3,)."""
        return self._about(self._sums(q, v, None), slice(4, 10), about)

    @in_turn
    def momentum_rate(self, q: Any, v: Any, vdot: Any, about: Any = None) -> np.ndarray:
        """The rate of :meth:`momentum` (6,), about the mass center or about a point (3,) at rest."""
        return self._about(self._sums(q, v, vdot), slice(10, 16), about)

    @in_turn
    def momentum_matrix(self, q: Any, about: Any = None) -> np.ndarray:
        """A (6, nv): the momentum about the mass center, or about a point (3,), is A v, and what wheels of constant
        speed have at rest."""
        if about is None:
            found = self._sums(q, None, None)
            self._asked.place[:] = found[1:4] / found[0]
        else:
            self._asked.place[:] = checks.vector(about, "about", self._where, 3)
            self._move(q)
        self._answers.momentum_columns(0.0)
        return self._asked.J.copy()

    @in_turn
    def zero_moment_point(
        self, q: Any, v: Any, vdot: Any, *, height: float = 0.0, normal: Any = None, wrench: Any = None
    ) -> np.ndarray:
        """The point on a floor (3,) about which the floor acts on the mechanism with a force and a moment about the
        normal alone, Vukobratović and Borovac (2004).

        Arguments: `height` [m] of the floor along its `normal` (3,), which points against gravity when not given;
        `wrench` (n, 6), external forces on the links other than those from the floor.
        """
        where = f"zero-moment point of {self.tree.model.where}"
        up = -self._links.gravity if normal is None else checks.vector(normal, "normal", where, 3)
        size = float(np.linalg.norm(up))
        if size == 0.0:
            why = "there is no gravity to say which way is up; give `normal`" if normal is None else "normal is zero"
            raise FormulationError(f"{where}: {why}")
        up, height = up / size, checks.number(height, "height", where)
        found, outside = self._sums(q, v, vdot), 0.0 * self._asked.wrench
        if wrench is not None:
            outside = forces_on(self.tree, wrench, self._where)
        weight = found[0] * self._links.gravity
        force = found[13:16] - weight - outside[:, 3:].sum(axis=0)
        arms = self._room.moving.at[:, :3]
        moment = found[10:13] - np.cross(found[1:4], self._links.gravity)
        moment = moment - (outside[:, :3] + np.cross(arms, outside[:, 3:])).sum(axis=0)
        press = float(up @ force)
        if not press > 1e-12 * float(np.linalg.norm(force) + np.linalg.norm(weight)):
            raise FormulationError(f"{where}: the floor does not press, its force upwards is {press:.4g} N")
        return point_on_floor(force, moment, up, height)

    # -- arguments and motion of the links ---------------------------------------------------------------------------

    def _ask(self, q: Any, v: Any = None, vdot: Any = None, wrench: Any = None) -> None:
        """Write the arguments of a question: a state, rates of speeds and external forces, zero when not given."""
        asked = self._asked
        asked.x[:] = self.tree.position(q, self._where)
        for own, given, what in ((asked.u, v, "v"), (asked.ud, vdot, "vdot")):
            own[:] = 0.0 if given is None else checks.vector(given, what, self._where, self.tree.nv)
        asked.wrench[:] = 0.0 if wrench is None else forces_on(self.tree, wrench, self._where)

    def _move(self, q: Any, v: Any = None) -> None:
        """Move the links."""
        self._ask(q, v)
        self._answers.move(0.0)

    @property
    def _planar(self) -> bool:
        return self.tree.system.model.dimension == 2

    def _finite(self, found: np.ndarray) -> np.ndarray:
        if not checks.all_finite(found):
            raise FormulationError(
                f"{self._where}: the result is not finite; the ends of a beam coincide at this q (tree.start() is "
                "where the model stands), or speeds are too large"
            )
        return found

    def _frame(self, frame: Frame | str) -> Frame:
        if isinstance(frame, str):
            return self.tree.model.frame(frame)
        frame = getattr(frame, "own_frame", None) or frame
        if getattr(frame, "model", None) is not self.tree.model:
            raise FormulationError(f"{self._where}: {frame!r} is no frame of this model")
        return frame

    def _on_a_place(self, frame: Frame) -> bool:
        """Whether a frame's link stands on an interior point of a beam, or is carried by a link that does."""
        k, within = self._numbers.get(id(frame.node), GROUND), {place.link for place in self.tree.graph.places}
        while k not in within and k != GROUND:
            k = int(self._links.parent[k])
        return k != GROUND

    def _along_a_beam(self, frame: Frame, q: Any) -> np.ndarray:
        """J (6, nv) at an interior point of a beam, or on a link that stands there, from its motion for each unit
        speed."""
        J = np.zeros((6, self.tree.nv))
        for j, alone in enumerate(np.eye(self.tree.nv)):
            track: Any = self.tree.state(q, alone)[frame.name]
            velocity = np.asarray(track.velocity)
            J[3 - np.size(track.angular_velocity) : 3, j] = track.angular_velocity  # in the plane about z alone
            J[3 : 3 + len(velocity), j] = velocity
        return self._finite(J)

    def _place(self, frame: Frame, q: Any, v: Any = None) -> int:
        """Move the links; return the index of the link under a frame, −1 for the ground, and store the frame's position
        in `_at`."""
        self._move(q, v)
        if frame.node.fixed:
            self._at = np.zeros(3)
            return GROUND
        if id(frame.node) not in self._numbers:
            raise FormulationError(f"{self._where}: {frame.where} is a place along a beam; rates are those on links")
        k, nodes, moving = self._numbers[id(frame.node)], self.tree.nodes, self._room.moving
        offset = tuple(np.append(frame.offset, 0.0)[:3].tolist())
        arm = np.array(turned(tuple(nodes.axes[k]), offset)) + nodes.place[k]
        self._at = moving.at[k, :3] + moving.rotation[k].reshape(3, 3) @ arm
        return k

    def _sums(self, q: Any, v: Any, vdot: Any) -> np.ndarray:
        """Mass, mass times center (3), [L; p] (6) and its rate (6), about the origin of the ground."""
        self._ask(q, v, vdot)
        self._answers.sums(0.0)
        return self._finite(self._asked.found.copy())

    def _about(self, found: np.ndarray, part: slice, about: Any) -> np.ndarray:
        six = found[part].copy()
        at = found[1:4] / found[0] if about is None else checks.vector(about, "about", self._where, 3)
        (x, y, z), (a, b, c) = at.tolist(), six[3:].tolist()
        six[:3] -= y * c - z * b, z * a - x * c, x * b - y * a  # np.cross takes longer than all sums
        return six


def _axes_on_node(frame: Any) -> tuple[float, ...]:
    """The quaternion from the axes of a frame in space to those of its node."""
    return tuple(frame.axes.tolist())


def _matrix(quaternion: Any) -> np.ndarray:
    return np.reshape(rotation_matrix(tuple(float(x) for x in quaternion)), (3, 3))


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
