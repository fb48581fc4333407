"""The law of sliding mode control with switched gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.laws import Law, LinearLaw, linear_step
from flexmb.kernels.compilation import kernel
from flexmb.model import checks


@dataclass(eq=False)
class SlidingLaw(Law):
    """u_i = −Σ_j K'_ij e_j with gains that switch, Kobayashi (n.d.), eq. (96):

        K'_ij = K_ij + Δ_ij  where  s_i e_j > 0,    K_ij − Δ_ij  where  s_i e_j < 0,    s = (S B)ᵀ σ,  σ = S_c e

    so that u_i = −Σ_j K_ij e_j − sign(s_i) Σ_j Δ_ij |e_j|. The switched part adds −Σ_i |s_i| Σ_j Δ_ij |e_j| ≤ 0 to the
    rate of L = ½ σᵀσ, eqs. (94)-(95). The source takes σ_i for s_i, which is the same where S B is diagonal. With a
    boundary layer φ_i, sign(s_i) becomes s_i/φ_i for |s_i| < φ_i: the commands then do not chatter, but σ need not
    become zero within the layer.

    Arguments: `gain` K, `surface` S_c, `switching` Δ ≥ 0, all (commands, errors); `reach` S B (commands, commands), the
    identity when not given; `layer` φ ≥ 0, a number or one for each command, in the unit of s; `errors`: a linear law
    that turns the readings into e; without it the readings are e.

    >>> SlidingLaw([[2.0, 1.0]], [[3.0, 1.0]], [[1.0, 0.5]]).memory
    2
    """

    gain: Any
    surface: Any
    switching: Any
    reach: Any = None
    layer: Any = 0.0
    errors: LinearLaw | None = None

    def __post_init__(self) -> None:
        where = "sliding law"
        checks.check_fields(self, checks.matrix, where, "gain", "surface", "switching")
        commands, errors = self.gain.shape
        self.reach = np.eye(commands) if self.reach is None else checks.matrix(self.reach, "reach", where)
        shapes = {"surface": (commands, errors), "switching": (commands, errors), "reach": (commands, commands)}
        for what, shape in shapes.items():
            if getattr(self, what).shape != shape:
                raise ModelError(f"{where}: {what} has the shape {getattr(self, what).shape}; it must be {shape}")
        if np.any(self.switching < 0.0):
            raise ModelError(f"{where}: switching has negative entries; gains switch by plus and minus its entries")
        wanted = f"a number, or {commands} of them"
        layer = checks.numbers(self.layer, "layer", where, wanted)
        if layer.shape not in ((), (commands,)):
            raise ModelError(f"{where}: layer must be {wanted}, not {checks.quoted(layer)}")
        self.layer = np.broadcast_to(layer, (commands,)).copy()
        if not np.all(self.layer >= 0.0):
            raise ModelError(f"{where}: layer is {self.layer.tolist()}; give numbers that are not negative")
        if self.errors is None:
            self.errors = LinearLaw(D=np.eye(errors))
        if not isinstance(self.errors, LinearLaw):
            raise ModelError(f"{where}: errors must be a LinearLaw, not {checks.quoted(self.errors)}")
        if len(self.errors.D) != errors:
            raise ModelError(f"{where}: there are {len(self.errors.D)} errors; the gain is for {errors}")
        self.kernel = sliding_law

    def __repr__(self) -> str:
        commands, errors = self.gain.shape
        return f"SlidingLaw({errors} errors, {commands} commands)"

    def parameters(self) -> np.ndarray:
        assert self.errors is not None
        commands, errors = self.gain.shape
        sizes = [float(len(self.errors.A)), float(self.errors.D.shape[1]), float(commands), float(errors)]
        # s = (S B)ᵀ S_c e
        matrices = (self.gain, self.reach.T @ self.surface, self.switching, self.layer)
        stage = (self.errors.A, self.errors.B, self.errors.C, self.errors.D)
        return np.concatenate([sizes, *(x.ravel() for x in (*matrices, *stage))])

    @property
    def memory(self) -> int:
        assert self.errors is not None
        return 2 * len(self.errors.A) + len(self.errors.D)

    @property
    def remembers(self) -> bool:
        assert self.errors is not None
        return self.errors.remembers

    def check(self, sensors: int, commands: int, where: str) -> None:
        assert self.errors is not None
        self._check_sizes(self.errors.D.shape[1], len(self.gain), sensors, commands, where)


@kernel
def sliding_law(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n, ny, nu, ne = int(p[0, 0]), int(p[0, 1]), int(p[0, 2]), int(p[0, 3])
    gain = 4
    surface = gain + nu * ne
    switching = surface + nu * ne
    layer = switching + nu * ne
    e = 2 * n
    linear_step(p[0], layer + nu, n, ny, ne, w, work, work[e:])
    for i in range(nu):
        u = 0.0
        s = 0.0
        amount = 0.0
        for j in range(ne):
            u -= p[0, gain + i * ne + j] * work[e + j]
            s += p[0, surface + i * ne + j] * work[e + j]
            amount += p[0, switching + i * ne + j] * abs(work[e + j])
        if abs(s) < p[0, layer + i]:
            u -= s / p[0, layer + i] * amount
        elif s > 0.0:
            u -= amount
        elif s < 0.0:
            u += amount
        out[0, i] = u
