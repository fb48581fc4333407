"""Static equilibrium of a mechanism, and its steady rotation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexmb.analyses.statics.asked_rotation import asked_rotation
from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.newton import SINGULAR, Convergence, newton
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.analyses.statics.relaxation import descend_to_rest
from flexmb.analyses.statics.rotation import SteadyRotation
from flexmb.analyses.statics.spinning import SpinningBalance
from flexmb.analyses.statics.stability import LowestEigenvalues, lowest_eigenvalues, no_eigenvalues
from flexmb.errors import EquilibriumError, ModelError
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.results.contents import places
from flexmb.results.solution import Solution
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import CONTROLLERS, leave_out_controllers, regular_system, state_of
from flexmb.solvers.rows.left_out import refuse_contradiction
from flexmb.solvers.start.movable_parts import closed_start
from flexmb.system.doubts import warn_of_doubts
from flexmb.system.motions import describe_motion
from flexmb.system.moved_start import GAPS, Move, gaps_of
from flexmb.system.potential import has_potential
from flexmb.system.refusals import refuse_velocity_rows
from flexmb.system.system import System

#: how many eigenvalues of steady rotation are looked through for motions that nothing resists
MOST_LOOSE = 60


@dataclass(eq=False)
class Equilibrium(metaclass=AnswersCalls):
    """An equilibrium: its `state`, the lowest `omega_squared` (c,) [1/s²] with their `shapes` (n, c), and how many
    `iterations` it took.

    `equilibrium["rod.end"]`, `equilibrium["hinge.fy"]` read the state by name.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> rest = fm.equilibrium(m)
    >>> rest["bob"].position.round(9).tolist(), rest.stable
    ([0.0, -1.0], True)
    """

    state: State
    omega_squared: np.ndarray
    shapes: np.ndarray = field(repr=False)
    iterations: int = 0
    follower: bool = False
    flutters: bool = False
    rotation: SteadyRotation | None = None

    @property
    def stable(self) -> bool | None:
        """Whether the mechanism returns after every small push (with follower forces: whether it neither diverges nor
        flutters, damping left aside). None if no eigenvalues were asked for, and for steady rotation, for which
        :func:`flexmb.complex_modes` answers this."""
        freedom = self.state.system.n - self.state.system.m
        if self.rotation is not None or self.state.v.any() or (freedom and not len(self.omega_squared)):
            return None
        return bool(np.all(self.omega_squared > 0.0)) and not self.flutters

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why it may not be the equilibrium that was meant, a sentence each."""
        return self.state.doubts

    @property
    def solution(self) -> Solution:
        """The equilibrium as a solution of one instant, to draw, plot or save it."""
        return self.state.solution

    def __getitem__(self, key: Any) -> Any:
        return self.state[key]

    def reaction(self, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, Any]:
        """Force (2,) [N] and moment [Nm] that a joint exerts, in space (3,) both, see
        :meth:`flexmb.Solution.reaction`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
        >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
        >>> force, moment = fm.equilibrium(m).reaction("hinge")
        >>> force.round(6).tolist()
        [0.0, 19.62]
        """
        return self.state.reaction(joint, frame, axes)

    def __str__(self) -> str:
        unknown = "steady rotation" if self.rotation is not None or self.state.v.any() else "found"
        kind = {None: unknown, True: "stable", False: "unstable"}[self.stable]
        lines = [f"Equilibrium of {self.state.model.name!r}: {kind}"]
        if len(self.omega_squared):
            values = ", ".join(f"{w:.4g}" for w in self.omega_squared)
            lines.append(f"  lowest ω²: {values} 1/s²")
        if self.flutters:
            lines.append("  it flutters: some ω² are complex; complex_modes tells more")
        elif self.stable is False:
            lines.append(f"  it leaves by: {describe_motion(self.state.system, self.shapes[:, 0])}")
        lines += [f"  doubtful: {doubt}" for doubt in self.doubts]
        lines.append(f"  {self.iterations} iterations")
        return "\n".join(lines)

    def __repr__(self) -> str:
        kind = {None: "", True: ", stable", False: ", unstable"}[self.stable]
        return f"Equilibrium({self.state.model.name!r}{kind}, {self.iterations} iterations)"

    def _repr_html_(self) -> str:
        return reports.report_of(str(self), self.solution.small_drawing(), places(self.solution))


@answers_calls
@interruptible
@one_thread
def equilibrium(
    model: Model,
    *,
    t: float = 0.0,
    initial: Any = None,
    spin: float = 0.0,
    axis: Any = "z",
    center: Vector | None = None,
    rotors: Mapping[str, Any] | None = None,
    advance: float = 0.0,
    stable: bool = True,
    count: int = 3,
    redundant: str = "remove",
    gaps: str = "refuse",
    tolerance: float = 1e-10,
    controllers: str = "refuse",
) -> Equilibrium:
    """Where a mechanism rests:  f(q) + Gᵀ λ = 0,  g(q) = 0  (Skyenginlab (n.d.), eq. (18)), by Newton's method.

    Drives and loads have their values at the time `t`. Where Newton's method does not converge, or finds an unstable
    equilibrium, the mechanism sinks as in a viscous fluid until it rests.

    Arguments: `model`; `t` [s]; `initial`: the state to begin from instead of the model's own; `spin` [rad/s]: the
    equilibrium of steady rotation, in which all turns about the `axis` ('x', 'y', 'z' or a direction (3,) of space)
    through `center` (2,), in space (3,) [m] (the origin when not given), with no weight but along the axis; `rotors`:
    what spins besides, by name: {body: its angular velocity (3,) [rad/s] against the axes that turn along, in its own
    axes, a number in the plane} or {coordinate, "wheel.rotor": its rate}, which is that of the model at the start when
    not given; {} without `spin` asks for rest as the limit of slow rotation; `advance` [m/s]: the speed along the axis,
    of a steady screw; `stable`: False takes the first equilibrium found, stable or not, as steady rotation always does;
    `count` of eigenvalues to compute (with 0 the first equilibrium found is taken, too); `redundant`: "remove"
    constraint rows that repeat others, with a warning, or "error"; `gaps` of joints at the start, see
    :func:`flexmb.simulate`; `tolerance` in units of the model's length, and
    radians; `controllers`: "refuse" a model that has some, or leave their commands "held" at zero.

    If nothing resists some motion, the mechanism has no single equilibrium: an EquilibriumError names the motion. In
    steady rotation nothing may resist a turn about the axis, a way along it, or the turn of a rotor; the position
    nearest to the start is taken then. A motion that does not go on in the same way is refused.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> rest = fm.equilibrium(m)
    >>> round(rest["bob.y"], 9), round(rest["hinge.fy"], 6), rest.stable
    (-1.0, 19.62, True)

    A governor: a ball on an arm stands out at cos θ = g/(Ω² l), if its own inertia is small.

    >>> m = fm.SpatialModel("governor", gravity=(0, 0, -9.81))
    >>> ball = m.add_body("ball", mass=1.0, inertia=(1e-9, 1e-9, 1e-9), position=(0.5, 0, -0.5))
    >>> post = m.add_body("post", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> shaft = m.revolute(m.ground, post.frame, axis="z")
    >>> motor = m.drive_angle(m.ground, post.frame, fm.Polynomial([0.0, 6.0]), axis="z")
    >>> arm = m.revolute(post.frame, ball.frame.attach("top", (-0.5, 0, 0.5)), axis="y")
    >>> round(fm.equilibrium(m, spin=6.0, axis="z")["ball.z"], 6), round(-9.81 / 36.0, 6)
    (-0.2725, -0.2725)
    """
    where = f"equilibrium of model {getattr(model, 'name', model)!r}"
    checks.count(count, "count", where)
    t = checks.number(t, "t", where)
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    system = regular_system(model, t, redundant=redundant)
    refuse_velocity_rows(system, where)
    leave_out_controllers(model, controllers, where)
    rotation, turning = asked_rotation(system, t, spin, axis, center, rotors, advance, where)
    q, moved = first_position(system, t, initial, gaps, where)
    balance = Balance(system, t) if rotation is None else SpinningBalance(system, t, rotation, rotors=turning)
    exchanged(balance, q, np.zeros(balance.m))
    if isinstance(balance, SpinningBalance):
        balance.hold_cyclic(q)
    lam = balance.first_multipliers(q)
    checks.positive(tolerance, "tolerance", where)
    checks.flag(stable, "stable", where)
    at_start = balance.system.kept
    ended = newton(balance, q, lam, tolerance=tolerance, exchange=True)
    iterations = ended.iterations
    spectrum = _stability(balance, ended, count)
    conservative = True
    if ended.converged and count:
        K = balance.tangent(ended.q, ended.lam, (0.0, 0.0, 1.0))
        conservative = has_potential(balance.system, K, balance.system.jacobian(t, ended.q), where)

    def good(result: Convergence) -> bool:
        return not (stable and conservative) or not _stability(balance, result, 1).downhill

    if not ended.converged or (stable and conservative and spectrum.downhill):
        balance.use_rows(at_start)
        other = descend_to_rest(balance, q, lam, tolerance, good)
        if ended.converged and not other.converged:
            other = ended
        iterations += other.iterations
        ended, spectrum = other, _stability(balance, other, count)
        if ended.converged and stable and conservative and spectrum.downhill:
            shape = spectrum.shapes[:, 0]
            push = 1e-2 * shape / np.max(np.abs(shape) / system.scale)
            other = descend_to_rest(balance, system.retract(ended.q, push), ended.lam, tolerance, good)
            iterations += other.iterations
            if other.converged:
                ended, spectrum = other, _stability(balance, other, count)
    balance.use_rows(ended.kept)
    system = balance.system
    if not ended.converged:
        raise EquilibriumError(_why_not(balance, q, ended, where))
    if spectrum.free:
        motion = describe_motion(system, spectrum.shapes[:, spectrum.free[0]])
        raise EquilibriumError(
            f"{where}: nothing resists this motion: {motion}; so there is no single place of rest; hold it by a "
            "joint, a lock or a spring"
        )
    refuse_contradiction(system, t, ended.q, where)
    state = replace(balance.state(ended.q, ended.lam), doubts=moved.doubts)
    if isinstance(balance, SpinningBalance):
        balance.check(state, where)
    warn_of_doubts(system, state.q[None, :], lambda: state.solution.multipliers, where)
    eigenvalues = (spectrum.values, spectrum.shapes)
    return Equilibrium(state, *eigenvalues, iterations, not conservative, spectrum.flutters, rotation)


def first_position(system: System, t: float, start: Any, gaps: str, where: str) -> tuple[np.ndarray, Move]:
    """The position (nq,) from which an equilibrium is looked for: that of a state to `start` from, or the model's own,
    joints closed at t where they are open; and how far closing them moved it."""
    checks.choice(gaps, GAPS, "gaps", where)
    q = system.q0 if start is None else starting_state(start, system, where).q.copy()
    if all(gap.drives for gap in gaps_of(system, t, q)):
        return q, Move()
    return closed_start(system.whole, t, q, gaps, where)


def starting_state(start: Any, system: System, where: str) -> State:
    """The state that `start` means, checked to be one of a system with the same coordinates."""
    state = state_of(start, f"{where}, initial")
    if state.system.names != system.names:
        raise ModelError(f"{where}: the state to start from is of another mechanism; give a state of this model")
    return state


def _stability(balance: Balance, ended: Convergence, count: int) -> LowestEigenvalues:
    """The lowest eigenvalues at the end of an iteration; none if it did not converge, or in steady rotation."""
    if not ended.converged or not count or isinstance(balance, SpinningBalance):
        return no_eigenvalues(balance.n)
    balance.use_rows(ended.kept)
    return lowest_eigenvalues(balance, ended.q, ended.lam, count)


def _why_not(balance: Balance, q: np.ndarray, ended: Convergence, where: str) -> str:
    """The message about an equilibrium that was not found: it names the motion that nothing resists in any position, or
    else the reason why the iteration ended."""
    system = balance.system
    if not np.all(np.isfinite(balance.residual(ended.q, ended.lam))):
        return f"{where}: it leads to a position in which {ended.reason}; begin from a position nearer to it, initial=…"
    rng = np.random.default_rng(0)
    near = system.retract(q, 1e-3 * system.scale * rng.normal(size=balance.n))
    force = balance.stiffness * system.length_scale * 1e-3
    most = 3 if system.model.dimension == 2 else 6
    if isinstance(balance, SpinningBalance):  # motions that lead away are lower than those that nothing resists
        spectrum = lowest_eigenvalues(balance, ended.q, ended.lam, min(balance.n, MOST_LOOSE))
    else:
        spectrum = lowest_eigenvalues(balance, near, force * rng.normal(size=balance.m), most)
        if not spectrum.free:
            spectrum = lowest_eigenvalues(balance, ended.q, ended.lam, most)  # where the iteration ended
    loose = spectrum.shapes[:, spectrum.free]
    if loose.shape[1]:
        motions = "; ".join(describe_motion(system, shape) for shape in loose.T)
        return f"{where}: nothing resists these motions: {motions}; hold them by a joint, a lock or a spring"
    if ended.reason == SINGULAR:
        return f"{where}: in its course {ended.reason}; begin from a position nearer to it, initial=…"
    return (
        f"{where}: not found ({ended.reason}); begin from a position nearer to it (initial=…), or follow the loads "
        "with equilibrium_path"
    )
