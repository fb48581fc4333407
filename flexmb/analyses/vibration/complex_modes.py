"""Complex modes: with damping, gyroscopic and follower forces, about rest or steady rotation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.analyses.statics.rotation import SteadyRotation
from flexmb.analyses.vibration.damped import Damped
from flexmb.analyses.vibration.mode_shapes import AnyModes, with_definite_signs
from flexmb.analyses.vibration.modes import checked_count, warn_if_out_of_balance
from flexmb.analyses.vibration.rotating import SmallMotions, small_motions
from flexmb.errors import BalanceWarning, warn
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model.hints import answers_calls
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import analyzed_state
from flexmb.system.motions import describe_motion
from flexmb.system.refusals import refuse_velocity_rows
from flexmb.system.shear import warn_of_shear_in_modes

#: a real part below this part of |λ| counts as zero
NEUTRAL = 1e-8
#: gyroscopic forces below this part of the inertia forces of the slowest mode may be left aside without a word
SMALL = 1e-3


def damping_ratios(eigenvalues: np.ndarray) -> np.ndarray:
    """−Re λ/|λ|, zero where λ is."""
    size = np.abs(eigenvalues)
    return np.where(size > 0.0, -eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0)


@dataclass(eq=False)
class ComplexModes(AnyModes):
    """Modes φ e^{λt} about a `state`, the slowest first.

    `eigenvalues` λ (c,) [rad/s]: all real ones, and of each conjugate pair the one with Im λ > 0; `shapes`
    (n, c), complex, φᴴ M φ = 1 with the phase at which φᵀ M φ is real and positive; `rigid` (c,): whether nothing
    resists the mode (λ is zero to round-off; such a motion is listed once, though its eigenvalue is double);
    `round_off` (c,) [1/s]: the possible error of λ by round-off in the matrices; `rotation`: the steady rotation that
    the modes are about (in the axes that turn along), None about rest.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame, name="slide")
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
    >>> found = fm.complex_modes(m, 1)
    >>> found.eigenvalues.round(6).tolist(), found.damping.round(9).tolist(), found.stable
    ([(-0.2+1.989975j)], [0.1], True)
    """

    state: State
    eigenvalues: np.ndarray
    shapes: np.ndarray = field(repr=False)
    rigid: np.ndarray = field(repr=False)
    round_off: np.ndarray = field(repr=False)
    rotation: SteadyRotation | None = None

    @property
    def omegas(self) -> np.ndarray:
        """Damped circular frequencies Im λ (c,) [rad/s]."""
        return self.eigenvalues.imag

    @property
    def frequencies(self) -> np.ndarray:
        """Damped frequencies Im λ/2π (c,) [Hz]."""
        return self.omegas / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios ζ = −Re λ/|λ| (c,): 1 if it decays without swinging, negative if it grows."""
        return damping_ratios(self.eigenvalues)

    @property
    def grows(self) -> np.ndarray:
        """Whether each mode grows (c,), by more than may be round-off; rigid motions do not."""
        return np.asarray((self.eigenvalues.real > self._unsure) & ~self.rigid)

    @property
    def _unsure(self) -> np.ndarray:
        """Real parts (c,) up to which a mode may neither grow nor decay."""
        return np.maximum(NEUTRAL * np.abs(self.eigenvalues), self.round_off)

    @property
    def stable(self) -> bool:
        """Whether no mode grows; rigid motions count as stable."""
        return not self.grows.any()

    def _rate(self, k: int) -> float:
        return 0.0 if self.rigid[k] else float(self.eigenvalues[k].imag)

    def title(self, k: int) -> str:
        """What a picture of mode k says: its number, frequency and damping.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
        >>> fm.complex_modes(m, 1).title(0)
        'mode 0: 0.3167 Hz, ζ = 0.1'
        """
        if self.rigid[k]:
            return f"mode {k}: rigid"
        value = self.eigenvalues[k]
        if value.imag == 0.0:
            return f"mode {k}: {'decays' if value.real < 0.0 else 'grows'}, {value.real:.4g} 1/s"
        damping = f", ζ = {self.damping[k]:.3g}" if abs(value.real) > self._unsure[k] else ""
        return f"mode {k}: {self.frequencies[k]:.4g} Hz{damping}"

    def __repr__(self) -> str:
        return f"ComplexModes({self.name!r}, {len(self)} modes, {'stable' if self.stable else 'unstable'})"

    def _repr_html_(self) -> str:
        kinds = ["rigid" if rigid else "grows" if grows else "" for rigid, grows in zip(self.rigid, self.grows)]
        head = ["mode", "frequency [Hz]", "damping ζ [–]", "λ [1/s]", ""]
        rows = list(zip(range(len(self)), self.frequencies, self.damping, self.eigenvalues, kinds))
        return reports.report(str(self).split("\n", 1)[0], [], self.small_drawings(), reports.table(head, rows))

    def __str__(self) -> str:
        turning = ""
        if self.rotation is not None and self.rotation.spin:
            turning = f" turning at {self.rotation.spin:g} rad/s"
        if self.rotation is not None and self.rotation.relative:
            turning += ", in which rotors spin" if turning else " with rotors that spin"
        lines = [f"Complex modes of {self.name!r}{turning}: {len(self)}, {'stable' if self.stable else 'unstable'}"]
        grows = self.grows
        for k in range(len(self)):
            line = f"  [{k}]  {self.frequencies[k]:.6g} Hz, ζ = {self.damping[k]:.4g}"
            if grows[k]:
                line += f", grows: {describe_motion(self.state.system, np.abs(self.shapes[:, k]))}"
            lines.append(line + (", rigid motion" if self.rigid[k] else ""))
        return "\n".join(lines)


@answers_calls
@interruptible
@one_thread
def complex_modes(
    model: Any, count: int | None = None, *, dense: bool | None = None, controllers: str = "refuse"
) -> ComplexModes:
    """The slowest modes φ e^{λt} of small motions:  (λ² M + λ C + K) φ + Gᵀ μ = 0,  G φ = 0.

    C = ∂r/∂v holds damping and gyroscopic terms; K may be unsymmetric (follower forces). About a state in steady
    rotation, in space about any axis and with bodies that spin besides, the equations are those in axes that turn along
    (:mod:`flexmb.analyses.vibration.rotating`). Speeds other than those of a steady rotation are left aside.

    Arguments: `model`: a model (in its initial position), a state, a solution (its last time) or an equilibrium;
    `count` (ten, or as many as there are, when not given); `dense`: True computes all eigenvalues, False only the
    wanted ones; chosen by size when not given; `controllers`: "refuse" a model that has some, or leave their commands
    "held".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame)
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
    >>> found = complex_modes(m, 1)
    >>> [round(float(x), 9) for x in (*found.damping, abs(found.eigenvalues[0]))]
    [0.1, 2.0]
    """
    state = analyzed_state(model, "complex modes", controllers)
    where = f"complex modes of model {state.model.name!r}"
    refuse_velocity_rows(state.system, where)
    motions = small_motions(state, getattr(model, "rotation", None))
    count = checked_count(count, motions, where, 2)
    motions.check_constant(where)
    damped = Damped(motions, count, dense, where)
    shapes = damped.shapes
    phase = np.einsum("ij,ij->j", shapes, motions.M @ shapes)
    phase = np.where(np.abs(phase) > 1e-6, np.sqrt(phase / np.where(phase == 0.0, 1.0, np.abs(phase))), 1.0)
    shapes = shapes / phase
    shapes = with_definite_signs(shapes, state.system.scale)
    about_state = State(state.system, state.t, state.q, *motions.rates, motions.lam)
    warn_if_out_of_balance(motions, np.abs(damped.values) ** 2, shapes, damped.is_zero, where)
    warn_of_shear_in_modes(state.system, state.q, shapes, damped.is_zero, where)
    if motions.rotation is None:
        _warn_if_gyroscopic(motions, state, np.abs(damped.values[~damped.is_zero]), where)
    return ComplexModes(about_state, damped.values, shapes, damped.is_zero, damped.round_off, motions.rotation)


def _warn_if_gyroscopic(motions: SmallMotions, state: State, fast: np.ndarray, where: str) -> None:
    """Warn about gyroscopic forces that were left aside with the speeds of bodies and rotors that turn in space, though
    they are not small against the inertia forces of modes as `fast` as these |λ| (c,) [1/s]."""
    turns = np.array([measure == "angle" for measure in state.system.assembly.free.measures])
    if not len(state.system.orientations) or not state.v[turns].any():
        return
    scale = sp.diags_array(state.system.scale)
    moving = state.system.tangent(state.t, state.q, state.v, state.a, state.lam, (0.0, 1.0, 0.0))
    left_aside = abs(scale @ (moving - motions.C) @ scale).max() / abs(scale @ motions.M @ scale).max()
    if left_aside > SMALL * (np.min(fast) if len(fast) else 0.0):
        warn(
            f"{where}: bodies or rotors turn, not all together in steady rotation; these are modes of rest, without "
            "the gyroscopic forces; linearize(...).poles has them",
            BalanceWarning,
        )
