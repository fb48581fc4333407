"""Natural frequencies and mode shapes of small undamped motions about a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.analyses.vibration.mode_shapes import AnyModes, with_definite_signs
from flexmb.analyses.vibration.rotating import SmallMotions, small_motions
from flexmb.analyses.vibration.undamped import Undamped
from flexmb.errors import BalanceWarning, ModelError, SolverError, warn
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import analyzed_state
from flexmb.system.motions import describe_motion
from flexmb.system.potential import ROUND_OFF_ROW, asymmetry, asymmetry_is_held, row_stiffness
from flexmb.system.refusals import refuse_velocity_rows
from flexmb.system.shear import warn_of_shear_in_modes

#: a stiffness matrix is symmetric if no entry differs from its mirror by more than this part of the geometric mean of
#: the stiffnesses of its row and its column
SYMMETRIC = 1e-10
#: a state is out of balance if its equilibrium is this far away, in units of the model's length, and radians
NOTICEABLE = 1e-4
#: number of modes when not given
DEFAULT_COUNT = 10


@dataclass(eq=False)
class Modes(AnyModes):
    """Modes about a `state`, in the order of ascending ω².

    `omega_squared` (c,) [1/s²]: negative where a motion leads away from an unstable equilibrium; `shapes` (n, c) in
    the coordinates of the system, φᵀ M φ = 1, with definite signs; `rigid` (c,): whether nothing resists the mode (ω²
    is zero to round-off); `round_off` (c,) [1/s²]: the possible error of ω² by round-off in the stiffness matrix;
    `dense`: whether all eigenvalues were computed, or only those nearest to zero.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame, name="slide")
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
    >>> found = fm.modes(m, 1)
    >>> found.omegas.round(9).tolist(), found.stable
    ([2.0], True)
    """

    state: State
    omega_squared: np.ndarray
    shapes: np.ndarray = field(repr=False)
    rigid: np.ndarray = field(repr=False)
    round_off: np.ndarray = field(repr=False)
    dense: bool = True

    @property
    def omegas(self) -> np.ndarray:
        """Circular frequencies ω (c,) [rad/s]; 0 for rigid motions, NaN for unstable ones, which do not swing."""
        with np.errstate(invalid="ignore"):
            return np.where(self.rigid, 0.0, np.sqrt(self.omega_squared))

    @property
    def frequencies(self) -> np.ndarray:
        """Frequencies (c,) [Hz]; 0 for rigid motions, NaN for unstable ones."""
        return self.omegas / (2.0 * np.pi)

    @property
    def stable(self) -> bool:
        """Whether no mode leads away from the state; rigid motions count as stable."""
        return not np.any((self.omega_squared < 0.0) & ~self.rigid)

    def _rate(self, k: int) -> float:
        omega = self.omegas[k]
        return float(omega) if np.isfinite(omega) else 0.0

    def title(self, k: int) -> str:
        """What a picture of mode k says: its number, frequency and damping.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> found.title(0)
        'mode 0: 0.3183 Hz'
        """
        if self.rigid[k]:
            return f"mode {k}: rigid"
        if self.omega_squared[k] < 0.0:
            return f"mode {k}: unstable"
        return f"mode {k}: {self.frequencies[k]:.4g} Hz"

    def __repr__(self) -> str:
        return f"Modes({self.name!r}, {len(self)} modes{'' if self.stable else ', unstable'})"

    def _repr_html_(self) -> str:
        kinds = [
            "rigid" if rigid else "unstable" if w < 0.0 else "" for w, rigid in zip(self.omega_squared, self.rigid)
        ]
        head = ["mode", "frequency [Hz]", "ω² [1/s²]", ""]
        rows = list(zip(range(len(self)), self.frequencies, self.omega_squared, kinds))
        unit = "" if self.stable else "unstable"
        return reports.report(
            f"Modes of {self.name!r}: {len(self)}", [unit], self.small_drawings(), reports.table(head, rows)
        )

    def __str__(self) -> str:
        count = int(np.sum(self.rigid))
        lines = [f"Modes of {self.name!r}: {len(self)}" + (f", {count} of them rigid" if count else "")]
        for k, f in enumerate(self.frequencies):
            motion = describe_motion(self.state.system, self.shapes[:, k])
            if self.rigid[k]:
                lines.append(f"  [{k}]  rigid motion: {motion}")
            elif np.isnan(f):
                lines.append(f"  [{k}]  unstable, ω² = {self.omega_squared[k]:.4g} 1/s²: {motion}")
            else:
                unsure = 0.5 * self.round_off[k] / self.omega_squared[k]
                lines.append(f"  [{k}]  {f:.6g} Hz" + (f" (±{100 * unsure:.1g} %: round-off)" if unsure > 1e-5 else ""))
        return "\n".join(lines)


@answers_calls
@interruptible
@one_thread
def modes(model: Any, count: int | None = None, *, dense: bool | None = None, controllers: str = "refuse") -> Modes:
    """The lowest modes of small undamped motions:  K φ = ω² M φ  with  G φ = 0.

    K holds the elastic and geometric stiffness and that of the joint forces, ∂(Gᵀλ)/∂q; damping is left out, and so are
    the speeds of the state. See :func:`flexmb.complex_modes` for damping, follower forces, wheels and steady rotation.
    Large models get the modes nearest to ω² = 0, by a sparse factorization.

    Arguments: `model`: a model (in its initial position), a state, a solution (its last time) or an equilibrium;
    `count` (ten, or as many as there are, when not given); `dense`: True computes all eigenvalues, False only the
    wanted ones; chosen by size when not given; `controllers`: "refuse" a model that has some, or leave their commands
    "held".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 18.0, 0.4))
    >>> modes(m, 3).omegas.round(9).tolist()
    [2.0, 2.0, 3.0]
    """
    state = analyzed_state(model, "modes", controllers)
    where = f"modes of model {state.model.name!r}"
    refuse_velocity_rows(state.system, where)
    motions = small_motions(state, getattr(model, "rotation", None))
    if motions.rotation is not None and not motions.rotation.rests:
        what = "the state turns" if motions.rotation.spin else "what spins in it turns"
        raise SolverError(
            f"{where}: {what} steadily at {motions.rotation.rate:g} rad/s, where gyroscopic forces act; use "
            "complex_modes"
        )
    wheels = [component.where for component in state.model.components.values() if component.spins()]
    if wheels:
        raise SolverError(f"{where}: {wheels[0]} turns, and gyroscopic forces act; use complex_modes")
    count = checked_count(count, motions, where)
    _check_symmetric(motions, where)
    undamped = Undamped(motions, count, dense, where)
    most = len(undamped.values)
    if most < count:
        raise ModelError(
            f"{where}: {most} of its degrees of freedom have inertia; {count} modes were asked for; "
            f"ask for at most {most}"
        )
    warn_if_out_of_balance(motions, undamped.values, undamped.shapes, undamped.is_zero, where)
    about_state = State(state.system, state.t, state.q, *motions.rates, motions.lam)
    warn_of_shear_in_modes(state.system, state.q, undamped.shapes, undamped.is_zero, where)
    shapes = with_definite_signs(undamped.shapes, state.system.scale)
    return Modes(about_state, undamped.values, shapes, undamped.is_zero, undamped.round_off, undamped.dense)


def checked_count(count: Any, motions: SmallMotions, where: str, each: int = 1) -> int:
    """The number of modes to compute, checked: a mechanism has `each` for every degree of freedom."""
    freedom = motions.system.n - motions.system.m
    most = each * freedom
    if count is None:
        count = max(1, min(DEFAULT_COUNT, most))
    count = checks.count(count, "count", where, 1)
    if count > most:
        raise ModelError(
            f"model {motions.system.model.name!r} has {freedom} degrees of freedom; {count} modes were asked for; "
            f"ask for at most {most}"
        )
    return count


def warn_if_out_of_balance(
    motions: SmallMotions, omega_squared: np.ndarray, shapes: np.ndarray, rigid: np.ndarray, where: str
) -> None:
    """Warn when the equilibrium is noticeably far away; the modes give the distance,  Δq = −Σ φ φᵀ r/|ω²|, and the
    energy Σ (φᵀ r)²/|ω²|. A motion that nothing resists turns the loads r, and gains about that energy by its square:
    slower ω² may be those of the distance alone."""
    loads = np.abs(np.conj(shapes).T @ motions.residual)
    size = np.max(np.abs(shapes) / motions.system.scale[:, None], axis=0)
    # For a rigid motion the distance is what it covers within the time of the slowest vibration, or in a second.
    stiffness = np.abs(omega_squared).astype(float)
    elastic = stiffness[~rigid]
    stiffness = np.where(rigid, elastic.min() if len(elastic) else 1.0, stiffness)
    away = float(np.max(loads * size / stiffness, initial=0.0))
    if away > NOTICEABLE:
        warn(
            f"{where}: the state is not an equilibrium (it is about {away:.2g} of the mechanism's length, or rad, away "
            "from one); give fm.equilibrium(model) in its place",
            BalanceWarning,
        )
        return
    energy = loads**2 / stiffness
    slow = np.flatnonzero(~rigid & (np.abs(omega_squared) < (energy.sum() - energy) * size**2))
    if len(slow):
        k = int(slow[0])
        warn(
            f"{where}: the state is not an equilibrium, though near one, and that may be all that makes ω² = "
            f"{omega_squared[k].real:.3g} 1/s² of mode {k}; give fm.equilibrium(model) in its place",
            BalanceWarning,
        )


def _check_symmetric(motions: SmallMotions, where: str) -> None:
    """Raise a SolverError if K is unsymmetric on the motions that joints leave free, as follower forces make it, and in
    space moments about axes of the ground or moments out of balance: ω² need not be real then."""
    K = motions.K
    off = asymmetry(motions.system, K)
    if off.nnz and off.data.max() > SYMMETRIC and asymmetry_is_held(motions.system, K, motions.G, where):
        return
    while off.nnz and off.data.max() > SYMMETRIC:
        worst = int(off.data.argmax())
        i, j = int(off.row[worst]), int(off.col[worst])
        names = motions.system.names
        which = f"{where}: the stiffness is not symmetric (in {names[i]!r} and {names[j]!r})"
        turned, moment = _moment_out_of_balance(motions, i)
        if not turned:
            raise SolverError(f"{which}, as with forces that follow the motion; use complex_modes")
        if moment > ROUND_OFF_ROW * float(np.max(row_stiffness(motions.system, K))):
            raise SolverError(
                f"{which}, since the state is not an equilibrium and moments turn bodies in space; give "
                "fm.equilibrium(model) in its place"
            )
        off.data[np.isin(off.row, turned) & np.isin(off.col, turned)] = 0.0  # what is left of an equilibrium's search


def _moment_out_of_balance(motions: SmallMotions, i: int) -> tuple[range, float]:
    """The numbers of the orientation of coordinate i and the size of the moments r on it that are out of balance, if
    these are all that makes K unsymmetric there; no numbers if they are not.

    With a potential V, K = ∂r/∂y is symmetric but for K − Kᵀ = ±r̃, since ∂²V/∂y² along turns in the body's own axes
    depends on their order where ∂V/∂y = r is not zero.
    """
    first = motions.system.orientations[:, 0]
    first = first[(first <= i) & (i < first + 3)]
    if not len(first):
        return range(0), 0.0
    r, at = motions.residual[first[0] : first[0] + 3], slice(first[0], first[0] + 3)
    K = dense(motions.K)[at, at]
    skew = np.array([K[1, 2] - K[2, 1], K[2, 0] - K[0, 2], K[0, 1] - K[1, 0]])
    size = float(np.max(np.abs(r)))
    missing = min(np.max(np.abs(skew - r)), np.max(np.abs(skew + r)))
    explained = missing <= max(1e-6 * size, 1e-14 * float(abs(motions.K).max()))
    return range(first[0], first[0] + 3) if explained else range(0), size
