"""Checks of friction that follows from a joint's own forces."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.testing import differences
from flexmb.testing.derivatives import many
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, check_agreement, slopes
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import UNIT, Array, RecordedInstance, require
from flexmb.testing.recorder import Recorder

#: the round-off of a difference of two forces, divided by the smallest move that is made, as a part of the force
ROUNDING = 1e-12


def check_friction(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """∂F/∂λ, ∂F/∂v and ∂F/∂q of friction by a joint's own forces against differences; it takes energy, vᵀF ≥ 0, does
    not touch the motion of the whole as one body, and vanishes at rest.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> friction = fm.JointFriction(coefficient=0.2, radius=0.01)
    >>> part = testing.Recorder.of(m.revolute(m.ground, body.frame, friction=friction))
    >>> testing.check_friction(part)
    """
    for recorder, instance, whole in differences.trials(part, seeds, "friction"):
        _check_friction(recorder, instance, instance.at(whole), tol)


def _check_friction(recorder: Recorder, instance: RecordedInstance, s: TrialState, tol: float) -> None:
    where, scales = instance.where("friction"), recorder.scales[instance.columns]
    names = [recorder.names[c] for c in instance.columns]
    m, nv = len(instance.rows), len(instance.columns)
    lam = np.random.default_rng(m + nv).uniform(-3.0, 3.0, m)

    def friction(q: Array, v: Array, forces: Array) -> Array:
        """F and D of states, a row each."""
        return instance.call("friction", s.t, q, v, lam=forces)[0]

    def tangent(w: Array) -> Array:
        return instance.call("friction", s.t, s.q, s.v, lam=lam, w=w)[1]

    out = friction(s.q, s.v, lam)
    F, D = out[:nv], out[nv:].reshape(m, nv).T
    units = scales[:, None]
    measured, error = slopes(
        lambda moves: friction(many(s.q, moves), many(s.v, moves), lam + moves)[:, :nv], np.ones(m)
    )
    check_agreement(
        lambda e: f"{where}: ∂F[{names[e[0]]}]/∂λ[{instance.rows[e[1]][0]}]", D, measured, tol, error=error, units=units
    )
    # F may hardly depend on a speed or a place at all: then its own round-off stands in the differences
    noise = ROUNDING * np.abs(F)[:, None] / scales[None, :]
    by_v, error = slopes(lambda moves: friction(many(s.q, moves), s.v + moves, many(lam, moves))[:, :nv], scales)
    units = scales[:, None] * scales[None, :]
    check_agreement(
        lambda e: f"{where}: ∂F[{names[e[0]]}]/∂v[{names[e[1]]}]",
        tangent(UNIT[1]),
        by_v,
        tol,
        error=error,
        units=units,
        noise=noise,
    )
    by_q, error = slopes(lambda moves: friction(s.retracted(moves), many(s.v, moves), many(lam, moves))[:, :nv], scales)
    check_agreement(
        lambda e: f"{where}: ∂F[{names[e[0]]}]/∂q[{names[e[1]]}]",
        tangent(UNIT[2]),
        by_q,
        tol,
        error=error,
        units=units,
        noise=noise,
    )
    require(not tangent(UNIT[0]).any(), f"{where}: K depends on the weight of M, which friction has no part in")
    power, size = float(s.v @ F), float(np.abs(s.v) @ np.abs(F))
    require(power >= -1e-12 * size, f"{where}: friction puts energy in, vᵀF is {power:.6g} W")
    still = friction(s.q, np.zeros(nv), lam)[:nv]
    require(not still.any(), f"{where}: there is friction at rest, where a law that depends on the speed has none")
