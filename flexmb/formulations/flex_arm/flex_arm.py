r"""A flexible arm as a linear system that varies with time: the FLEX-ARM of Sunada and Dubowsky (1983), which follows
Sunada and Dubowsky (1981).

The joints turn by given nominal angles θ(t), and small elastic motions q are superposed. Numbers of equations are those
of section 2.9 of the survey of Ohkami et al. (1985). With the fields φ_α of a link, its rotation R, its origin o and
gravity g,

    m_αβ = ∫ φ_αᵀ φ_β dm,   g_αβ = 2 ∫ φ_αᵀ RᵀṘ φ_β dm,   k_αβ = k̃_αβ + ∫ φ_αᵀ RᵀR̈ φ_β dm,
    f_α = −∫ φ_αᵀ Rᵀ (ö + R̈ X − g) dm                                                                        (2.9.9)

the 3 × 3 form of Table 2.9.2, by integrals ∫ φ_α φ_βᵀ dm that are computed once, and with the compatibility α = B(θ) q

    M = Σ Bᵀ m B,   G = Σ Bᵀ g B + 2 Bᵀ m Ḃ,   K = Σ Bᵀ k B + Bᵀ g Ḃ + Bᵀ m B̈,   Q = Σ Bᵀ f               (2.9.16)

as in Table 2.9.3, whose sums over joints are Ḃ and B̈. Modal damping stands in g. The potential energy is ½ pᵀ k̃ p: the
survey's (2.9.8) lacks the factor. Where a joint may deviate, the torque that the rigid arm would need acts on it, and a
servo of stiffness k_s and damping d_s, if there is one. Inertia of turning cross-sections is that of the bodies.

As r is linear in q, K lacks Σ m (∂²r/∂q_s ∂q_t)ᵀ (r̈ − g) (:mod:`flexmb.formulations.flex_arm.second_order`), which
matters on deviations of joints, where k̃ is zero. With `second_order=True` it is there, and the equations are those of
the full nonlinear arm up to first order in the deviations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.flex_arm.bent import state_of
from flexmb.formulations.flex_arm.chain import GROUND, ChainReader
from flexmb.formulations.flex_arm.links import LinkFrame, axial
from flexmb.formulations.flex_arm.motion import ArmMotion, Numbering, Rates, motion_at, rows_of
from flexmb.formulations.flex_arm.run import METHODS, FlexArmRun
from flexmb.formulations.flex_arm.second_order import SecondOrder
from flexmb.model import checks, given_names
from flexmb.model.model import Model
from flexmb.model.spatial_frames import unit_axis
from flexmb.results.state import State
from flexmb.system.moved_start import refuse_gaps
from flexmb.system.system import System

#: a stiffness matrix is singular if its smallest eigenvalue is below this part of the largest
SINGULAR = 1e-13
STARTS = ("undeformed", "quasi-static")
#: what acts on a frame along and about an axis, and on a joint; the answers that belong to them
ACTIONS, ANSWERS = ("force", "moment", "torque"), ("displacement", "rotation", "angle")


class FlexArmMatrices(NamedTuple):
    """M q̈ + G q̇ + K q = Q at an instant, and `statics`, the K of quasi-static deformation, Σ Bᵀ k B with servos.

    >>> import numpy as np
    >>> FlexArmMatrices(*np.zeros((3, 2, 2)), np.zeros(2), np.zeros((2, 2))).K.shape
    (2, 2)
    """

    M: np.ndarray
    G: np.ndarray
    K: np.ndarray
    Q: np.ndarray
    statics: np.ndarray


class FlexArm:
    """A flexible arm about its nominal motion after Sunada and Dubowsky, see
    :mod:`flexmb.formulations.flex_arm.flex_arm`.

    `model`: a model in space of rigid and modal bodies, one after the other or branching, on revolute joints and welds;
    each revolute joint has a drive, the nominal motion. `servos`: stiffness [Nm/rad], or stiffness and damping
    [Nms/rad], of each joint against its nominal angle, a value for all or by names; zero when not given: then the
    torque of the rigid arm alone acts there, as in the paper. `math.inf`: the joint follows its nominal angle.
    `second_order`: whether K has the work of inertia on displacements of second order, which the paper leaves out.

    Attributes: `coordinates`, their names. Of a link that bends they are the displacements of the frame at which the
    next link begins, in axes of the link, and amplitudes of modes; of a joint the turn of the link that it carries.

    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.06, inner_diameter=0.05)
    >>> boom = fm.spatial.ArmLink("boom", material=steel, section=tube, modes=0)
    >>> arm = fm.denavit_hartenberg([[0, 0, 1.5, 0]], links=[boom], gravity=(0, -9.81, 0))
    >>> _ = arm.drive("joint 1", fm.SmoothStep(0.0, 1.0, 0.0, 1.2))
    >>> flex = fm.formulations.FlexArm(arm, servos=float("inf"))
    >>> flex.coordinates
    ['boom.beam.x', 'boom.beam.y', 'boom.beam.z', 'boom.beam.turn x', 'boom.beam.turn y', 'boom.beam.turn z']
    >>> sag = float(flex.quasi_static(0.0)[1])  # w g L⁴/(8 EI), and shear
    >>> round(1e3 * sag, 3)
    -0.626
    >>> run = flex.run(1.0, 0.002)
    >>> run.deflection("tool").shape
    (501, 3)
    """

    def __init__(
        self,
        model: Model,
        *,
        servos: float | Mapping[str, Any] = 0.0,
        second_order: bool = False,
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(f"FLEX-ARM: {checks.quoted(model)} is not a model; give a SpatialModel")
        self.where = f"FLEX-ARM of {model.where}"
        self._gravity = np.array(model.gravity.uniform(self.where))
        self.model, self.second_order = model, checks.flag(second_order, "second_order", self.where)
        for component in model.components.values():
            component.check()
        reader = ChainReader(model, self.where)
        reader.servos = self._servos(servos, list(reader.drives))
        self._chain = reader.read()
        refuse_gaps(System(model), self.where)
        self._numbers = Numbering(self._chain)
        self._second = SecondOrder(self._chain) if self.second_order else None
        self.coordinates = list(self._numbers.names)
        self._check_mass()

    def _check_mass(self) -> None:
        """Raise a FormulationError if something moves without any inertia, as a last link without mass does."""
        if not self.coordinates:
            raise FormulationError(f"{self.where}: nothing of it bends, and its joints follow their drives")
        M = self.matrices(0.0).M
        scale = np.sqrt(np.maximum(np.diagonal(M), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
        if values[0] <= SINGULAR or np.any(np.diagonal(M) <= 0.0):
            worst = np.diagonal(M) <= 0.0 if np.any(np.diagonal(M) <= 0.0) else np.abs(vectors[:, 0])
            raise FormulationError(
                f"{self.where}: nothing with an inertia moves by its coordinate "
                f"{self.coordinates[int(np.argmax(worst))]!r}; give the links mass, and moments of inertia"
            )

    def _servos(self, servos: Any, joints: list[str]) -> dict[str, tuple[float, float]]:
        """Stiffness and damping of each joint."""
        if isinstance(servos, Mapping):
            for name in servos:
                given_names.known(name, joints, "driven joint", f"{self.where}, servos")
            given = {name: servos.get(name, 0.0) for name in joints}
        else:
            given = dict.fromkeys(joints, servos)
        found = {}
        for name, servo in given.items():
            values = (servo, 0.0) if np.ndim(servo) == 0 else tuple(servo)
            pair = f"{self.where}, servo of {name!r}"
            if len(values) != 2:
                raise FormulationError(f"{pair}: give its stiffness, or stiffness and damping, not {servo!r}")
            stiffness = np.inf if values[0] == np.inf else checks.not_negative(values[0], "stiffness", pair)
            found[name] = (stiffness, checks.not_negative(values[1], "damping", pair))
        return found

    # -- equations -------------------------------------------------------------------------------------------------

    def matrices(self, t: float, *, frozen: bool = False) -> FlexArmMatrices:
        """M, G, K, Q at time t [s]; `frozen`: of the arm at rest in its posture at that time."""
        return self._matrices(self._motion(t, frozen))

    def _motion(self, t: float, frozen: bool = False) -> ArmMotion:
        return motion_at(self._chain, self._numbers, checks.number(t, "t", self.where), frozen)

    def _matrices(self, motion: ArmMotion) -> FlexArmMatrices:
        size = self._numbers.size
        M, G, K, statics = np.zeros((4, size, size))
        Q = np.zeros(size)
        for link, at in zip(self._chain.links, motion.links, strict=True):
            sigma, J, X, k, d = link.by_alpha
            R = at.R.value
            spin, turn = R.T @ at.R.rate, R.T @ at.R.second
            m = np.einsum("abii->ab", J)
            g = 2.0 * np.einsum("abij,ij->ab", J, spin) + d
            stiffness = k + np.einsum("abij,ij->ab", J, turn)
            f = -sigma @ (R.T @ (at.o.second - self._gravity)) - np.einsum("aij,ij->a", X, turn)
            B, B1, B2 = at.B
            own = B.T @ stiffness @ B
            M += B.T @ m @ B
            G += B.T @ (g @ B + 2.0 * m @ B1)
            K += own + B.T @ (g @ B1 + m @ B2)
            statics += own
            Q += B.T @ f
        for number, row in motion.deviations.items():
            spring_rate, damping = self._chain.joints[number].servo
            spring = spring_rate * np.outer(row.value, row.value)
            K += spring + damping * np.outer(row.value, row.rate)
            statics += spring
            G += damping * np.outer(row.value, row.value)
        torques = self._torques(motion)
        for number, row in motion.deviations.items():
            Q += torques[number] * row.value
        if self._second is not None:
            Y = self._second.deviations(motion)
            more = Y.T @ self._second.matrix(motion, self._gravity) @ Y
            K, statics = K + more, statics + more
        return FlexArmMatrices(M, G, K, Q, statics)

    def _torques(self, motion: ArmMotion) -> list[float]:
        """The torques with which the rigid arm runs its nominal motion: of each joint, about its axis, on what it
        carries."""
        links, joints = self._chain.links, self._chain.joints
        forces, moments = np.zeros((2, len(links), 3))
        found = [0.0] * len(links)
        for k in reversed(range(len(links))):
            link, joint, at = links[k], joints[k], motion.links[k]
            R, turn = at.R.value, at.R.value.T @ at.R.second
            a0 = R.T @ (at.o.second - self._gravity)
            force = link.mass * a0 + turn @ link.first[0]
            about = axial(np.outer(link.first[0], a0) + link.products[0, 0] @ turn.T)
            forces[k] += R @ force
            moments[k] += R @ (about - np.cross(joint.on_link.position, force))
            found[k] = float(R @ joint.own_axis @ moments[k])
            if joint.parent != GROUND:
                above = motion.links[joint.parent].R.value
                arm = above @ (joint.on_parent.position - joints[joint.parent].on_link.position)
                forces[joint.parent] += forces[k]
                moments[joint.parent] += moments[k] + np.cross(arm, forces[k])
        return found

    def torques(self, t: float) -> dict[str, float]:
        """The torque [Nm] of each joint with which the rigid arm runs its nominal motion, at time t [s]."""
        found = zip(self._chain.joints, self._torques(self._motion(t)), strict=True)
        return {joint.name: joint.sense * torque for joint, torque in found if joint.motion is not None}

    def compatibility(self, t: float) -> dict[str, np.ndarray]:
        """B (6 + n, coordinates) of each link by its name at time t [s], eq. (2.9.15)."""
        motion = self._motion(t)
        names = (link.name for link in self._chain.links)
        return {name: at.B.value for name, at in zip(names, motion.links, strict=True)}

    # -- answers ---------------------------------------------------------------------------------------------------

    def quasi_static(self, t: float) -> np.ndarray:
        """q (size,) of Σ Bᵀ k B q = Q at time t [s]: the deformation by weight and inertia without vibration."""
        system = self.matrices(t)
        self._check_stiff(system.statics)
        return np.asarray(np.linalg.solve(system.statics, system.Q))

    def _check_stiff(self, K: np.ndarray) -> None:
        values = np.abs(np.linalg.eigvals(K))
        if values.min() <= SINGULAR * values.max():
            loose = [j.name for j in self._chain.joints if j.free and j.servo[0] == 0.0]
            raise FormulationError(
                f"{self.where}: its stiffness is singular, since nothing holds joint {loose[0]!r} in place; give servos"
                if loose
                else f"{self.where}: its stiffness is singular"
            )

    def frequencies(self, t: float = 0.0, count: int | None = None) -> np.ndarray:
        """Natural frequencies (count,) [Hz] of the arm at rest in its posture at time t [s], all when not given,
        without damping. Those of motions that grow by themselves are NaN."""
        squares, _ = self._undamped(t)
        size = np.abs(squares).max()
        squares = np.where(np.abs(squares) < SINGULAR * size, 0.0, squares)
        with np.errstate(invalid="ignore"):
            found = np.sqrt(squares) / (2.0 * np.pi)
        return np.asarray(found[: None if count is None else checks.count(count, "count", self.where, 1)])

    def _undamped(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """ω² (size,) and shapes (size, size) of the arm at rest in its posture, without damping."""
        system = self.matrices(t, frozen=True)
        squares, shapes = eigh(0.5 * (system.K + system.K.T), system.M)
        return squares, shapes

    def shapes(self, t: float = 0.0, count: int | None = None) -> np.ndarray:
        """Mode shapes φ (size, count) of the arm at rest in its posture at time t [s], in the order of
        :meth:`frequencies`, with φᵀ M φ = 1. :meth:`state` shows one."""
        return self._undamped(t)[1][:, : None if count is None else checks.count(count, "count", self.where, 1)]

    def state(self, q: Any, t: float = 0.0) -> State:
        """The model at rest with elastic coordinates q (size,) about its nominal posture at time t [s]: a state for
        pictures, of a mode shape or of a deflection. Places and turns of frames are linear in q.

        >>> import flexmb as fm
        >>> steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.06, inner_diameter=0.05)
        >>> boom = fm.spatial.ArmLink("boom", material=steel, section=tube, modes=0)
        >>> arm = fm.denavit_hartenberg([[0, 0, 1.5, 0]], links=[boom])
        >>> _ = arm.drive("joint 1", 0.0)
        >>> flex = fm.formulations.FlexArm(arm, servos=float("inf"))
        >>> first = flex.shapes()[:, 0]
        >>> shown = flex.state(0.1 * first)
        >>> shift = shown["tool"].position - flex.nominal("tool", 0.0)
        >>> bool(abs(shift - 0.1 * flex.displacement("tool", 0.0)[:3] @ first).max() < 1e-15)
        True
        """
        amplitudes = checks.vector(q, "q", self.where, self._numbers.size)
        motion = self._motion(t, True)
        shifts = {name: self._displacement(motion, name).value for name in self._chain.frames}
        return state_of(self.model, self._chain, motion, shifts, amplitudes, float(t))

    def frequency_response(
        self, frequencies: Any, force: Sequence[Any], at: Sequence[Any], t: float = 0.0
    ) -> np.ndarray:
        """The answer (k,) complex, at `frequencies` (k,) [Hz], of the arm at rest in its posture at time t [s], for
        every N or N m.

        `force`: `("force", frame, axis)` [N], `("moment", frame, axis)` [N m], or `("torque", joint)` [N m], which
        acts along the angle of a joint that has a servo. `at`: `("displacement", frame, axis)` [m],
        `("rotation", frame, axis)` [rad], or `("angle", joint)` [rad], the deviation of a joint from its nominal
        angle. An axis is 'x', 'y', 'z' or a direction (3,) in axes of the ground.

        >>> import flexmb as fm
        >>> steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.06, inner_diameter=0.05)
        >>> boom = fm.spatial.ArmLink("boom", material=steel, section=tube, modes=0)
        >>> arm = fm.denavit_hartenberg([[0, 0, 1.5, 0]], links=[boom])
        >>> _ = arm.drive("joint 1", 0.0)
        >>> flex = fm.formulations.FlexArm(arm, servos=1e4)
        >>> tip = flex.frequency_response([0.0], ("moment", "tool", "z"), ("angle", "joint 1"))
        >>> round(float(tip[0].real * 1e4), 6)  # the moment goes through the servo
        1.0
        """
        motion = self._motion(t, True)
        system = self._matrices(motion)
        acts, answers = self._row(motion, force, "force", ACTIONS), self._row(motion, at, "at", ANSWERS)
        omega = 2.0 * np.pi * np.atleast_1d(checks.numbers(frequencies, "frequencies", self.where, "numbers"))
        self._check_response(system, omega)
        dynamic = -(omega**2)[:, None, None] * system.M + 1j * omega[:, None, None] * system.G + system.K
        found = np.linalg.solve(dynamic, np.broadcast_to(acts, (len(omega), len(acts)))[..., None])
        return np.asarray(found[..., 0] @ answers)

    def _row(self, motion: ArmMotion, given: Any, what: str, kinds: Sequence[str]) -> np.ndarray:
        """The motion (size,) by each coordinate that a force does work on, or that an answer is: of a frame along or
        about an axis, or of a joint. `kinds`: the words for a shift, a turn and an angle."""
        along, about, of_joint = kinds
        if not isinstance(given, tuple | list) or not given or given[0] not in kinds:
            raise ModelError(
                f"{self.where}: {what} is {checks.quoted(given)}; give ({along!r}, frame, axis), "
                f"({about!r}, frame, axis) or ({of_joint!r}, joint), such as ({along!r}, 'tool', 'x')"
            )
        if len(given) != (2 if given[0] == of_joint else 3):
            wanted = "the name of a joint" if given[0] == of_joint else "the name of a frame and an axis"
            raise ModelError(f"{self.where}: {what} is {checks.quoted(given)}; after {given[0]!r} give {wanted}")
        if given[0] == of_joint:
            return self._angle(motion, given[1], what)
        axis = unit_axis(given[2], self.where, frame="of the ground")
        of_frame = self._displacement(motion, given[1]).value
        return np.asarray(axis @ (of_frame[:3] if given[0] == along else of_frame[3:]))

    def _angle(self, motion: ArmMotion, name: str, what: str) -> np.ndarray:
        """The deviation (size,) of a joint by each coordinate."""
        k = self._driven(name)
        if k not in motion.deviations:
            raise ModelError(
                f"{self.where}: {what}: joint {name!r} follows its nominal angle; give it a servo of finite stiffness"
            )
        return self._chain.joints[k].sense * motion.deviations[k].value

    def _driven(self, name: str) -> int:
        """The index of a driven joint."""
        joints = {j.name: k for k, j in enumerate(self._chain.joints) if j.motion is not None}
        return joints[given_names.known(name, joints, "joint", self.where)]

    def _check_response(self, system: FlexArmMatrices, omega: np.ndarray) -> None:
        if np.any(omega == 0.0):
            self._check_stiff(system.K)

    def run(
        self, t_end: float, step: float, *, t_start: float = 0.0, start: str = "undeformed", method: str = "newmark"
    ) -> FlexArmRun:
        """The elastic motion from `t_start` to `t_end` [s] in steps of `step` [s]. `method`: 'newmark', the paper's,
        average acceleration with β = ¼ and γ = ½, or 'gauss', of order 4. `start`: 'undeformed', without any rate of
        deformation, or 'quasi-static'."""
        first = checks.number(t_start, "t_start", self.where)
        length = checks.positive(checks.number(t_end, "t_end", self.where) - first, "t_end − t_start", self.where)
        count = max(1, round(length / checks.positive(step, "step", self.where)))
        times = np.linspace(first, first + length, count + 1)
        checks.choice(start, STARTS, "start", self.where)
        q = np.zeros(self._numbers.size) if start == "undeformed" else self.quasi_static(first)
        found, rates = METHODS[checks.choice(method, METHODS, "method", self.where)](self.matrices, times, q)
        return FlexArmRun(self, times, found, rates)

    # -- frames ----------------------------------------------------------------------------------------------------

    def _frame(self, name: str) -> tuple[int, LinkFrame]:
        return self._chain.frames[given_names.known(name, self._chain.frames, "frame", self.where)]

    def _displacement(self, motion: ArmMotion, name: str) -> Rates:
        """Shift and turn (6, size) of a frame by q, in axes of the ground."""
        k, frame = self._frame(name)
        if k == GROUND:
            return Rates(*(np.zeros((6, self._numbers.size)) for _ in range(3)))
        R, zero = motion.links[k].R, np.zeros((3, 3))
        both = Rates(*(np.block([[x, zero], [zero, x]]) for x in R))
        return both @ rows_of(self._chain, motion, k, frame)

    def displacement(self, frame: str, t: float) -> np.ndarray:
        """Shift [m] and turn [rad] (6, size) of a frame by each coordinate at time t [s], in axes of the ground."""
        return self._displacement(self._motion(t), frame).value

    def nominal(self, frame: str, t: float) -> np.ndarray:
        """The place (3,) [m] of a frame in the nominal motion at time t [s]."""
        k, on = self._frame(frame)
        if k == GROUND:
            return on.position
        at = self._motion(t).links[k]
        return np.asarray(at.o.value + at.R.value @ on.position)

    def deviation(self, joint: str, t: float) -> np.ndarray:
        """The row (size,) that gives how far a joint is from its nominal angle [rad] at time t [s]."""
        k, motion = self._driven(joint), self._motion(t)
        if k not in motion.deviations:
            return np.zeros(self._numbers.size)
        return self._chain.joints[k].sense * motion.deviations[k].value
