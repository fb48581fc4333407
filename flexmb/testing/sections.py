"""Check of section kernels: their strains and forces agree with the other kernels of the element."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from flexmb.testing import differences
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, along_weights, check_agreement, random_state, recorders
from flexmb.testing.recorder import UNIT, Array, RecordedInstance, Recorder, require

WHAT = ("axial strain", "curvature", "axial force", "shear force", "moment")
STRAIN, CURVATURE, AXIAL, SHEAR, MOMENT = range(5)
#: Gauss points on [0, 1]: enough for smooth shapes of an element
_NODES, _WEIGHTS = (0.5 * (x + k) for x, k in zip(np.polynomial.legendre.leggauss(32), (1.0, 0.0)))


def check_section(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Strains and section forces of a component with a section kernel agree with its other kernels.

    A rigid motion changes none of them. The integral of the curvature is the turn between the ends by the point kernel.
    At the initial state of a component with a `length`, the stiffness and the damping of sections, integrated over the
    length, are those of the tangent: with forces (N, Q, M) and the strains (ε, γ, κ) on which they do work,

        ∂residual/∂q = ∫ (∂N/∂q ∂ε/∂qᵀ + ∂Q/∂q ∂γ/∂qᵀ + ∂M/∂q ∂κ/∂qᵀ) ds,  and so with v for damping,

    where γ = Q/GA with the `properties` of the component; a theory that gives no N or Q has no strain for it. Damping
    that is not in the section forces (modal damping) is not checked.
    """
    for recorder in recorders(part, (0.0, 0.0)):
        for instance in recorder.instances_with("section"):
            for seed in seeds:
                _check_rigid(recorder, instance, seed)
            length = getattr(instance.owner, "length", None)
            if length is None:
                continue
            length = float(length) / int(getattr(instance.owner, "elements", 1))  # of one element
            if instance.kernels.point is not None:
                for seed in seeds:
                    _check_turn(recorder, instance, seed, length)
            if instance.kernels.tangent is not None:
                _check_stiffness(recorder, instance, length, tol)


def _check_rigid(recorder: Recorder, instance: RecordedInstance, seed: int) -> None:
    """A turned and shifted state has the same strains and forces."""
    s = random_state(recorder, seed)
    rng = np.random.default_rng(seed + 2000)
    turn = float(rng.uniform(-9.0, 9.0))
    q = recorder.moved(s.q, turn, recorder.size * rng.uniform(-1.0, 1.0, 2))
    v = recorder.turned(s.v, turn)
    c = instance.columns
    for along in (0.0, 0.3, 1.0):
        w = along_weights(instance, along)
        before = instance.call("section", s.t, s.q[c], s.v[c], w=w)[0]
        after = instance.call("section", s.t, q[c], v[c], w=w)[0]
        missing = np.isnan(before)
        require(
            np.array_equal(missing, np.isnan(after)) and not missing[[CURVATURE, MOMENT]].any(),
            f"{instance.where('section')}: what it gives at {along:g} is {before.tolist()}, and "
            f"{after.tolist()} after a rigid motion; only forces without a law may be NaN, and always the same ones",
        )
        known = np.flatnonzero(~missing)
        # a force is small or large against the force of a moderate strain
        size = np.abs(_sensitivity(recorder, instance, w)[0]) @ recorder.scales[c]
        check_agreement(
            lambda e, k=known, x=along: (
                f"{instance.where('section')}: {WHAT[k[e[0]]]} at {x:g} after turning the whole by {turn:.4g}"
            ),
            after[known], before[known], 1e-9,
            units=1.0 / np.maximum(size[known], 1e-300), noise=1e-11 * size[known],
        )  # fmt: skip


def _check_turn(recorder: Recorder, instance: RecordedInstance, seed: int, length: float) -> None:
    """The integral of the curvature is the turn from the start to the end."""
    s = random_state(recorder, seed).at(instance.columns)
    total = 0.0
    for x, weight in zip(_NODES, _WEIGHTS):
        total += weight * length * instance.call("section", s.t, s.q, s.v, w=along_weights(instance, x))[0][CURVATURE]
    ends = [instance.call("point", s.t, s.q, s.v, s.a, w=along_weights(instance, x))[0][2] for x in (0.0, 1.0)]
    turn = np.array([differences.less_than_a_turn(ends[1] - ends[0])])
    sentence = f"{instance.where('section')}: the curvature, summed over the length,"
    check_agreement(lambda _: sentence, np.array([total]), turn, 1e-8, noise=1e-10)


def _check_stiffness(recorder: Recorder, instance: RecordedInstance, length: float, tol: float) -> None:
    """Stiffness and damping of the sections, integrated over the length, are those of the tangent."""
    c = instance.columns
    names = [recorder.names[k] for k in c]
    shear = getattr(getattr(instance.owner, "properties", None), "GA", math.inf)
    stiffness, damping = np.zeros((2, len(c), len(c)))
    doubt, doubt_of_damping = np.zeros((2, len(c), len(c)))
    stretching = []
    for x, weight in zip(_NODES, _WEIGHTS):
        w = along_weights(instance, x)
        by_q, error = _sensitivity(recorder, instance, w)
        by_v, error_v = _sensitivity(recorder, instance, w, speeds=True)
        stretching.append(by_q[STRAIN] * recorder.scales[c])
        strains = [by_q[STRAIN], by_q[SHEAR] / shear, by_q[CURVATURE]]
        errors = [error[STRAIN], error[SHEAR] / shear, error[CURVATURE]]
        for force, strain, off in zip((AXIAL, SHEAR, MOMENT), strains, errors):
            if np.any(np.isnan(by_q[force])):
                continue
            ds, size = weight * length, np.abs(strain)
            stiffness += ds * np.outer(by_q[force], strain)
            damping += ds * np.outer(by_v[force], strain)
            doubt += ds * (np.outer(error[force], size) + np.outer(np.abs(by_q[force]), off))
            doubt_of_damping += ds * (np.outer(error_v[force], size) + np.outer(np.abs(by_v[force]), off))
    zero = np.zeros(len(c))
    scales = recorder.scales[c]
    # motions with and without stretching are compared apart, since the stiffness of stretching is much larger
    axes = np.linalg.svd(np.array(stretching))[2]
    names = [" ".join(f"{part:+.2g} {name}" for part, name in zip(axis, names) if abs(part) > 1e-3) for axis in axes]

    def turned(matrix: Array, axes: Array = axes) -> Array:
        return axes @ (matrix * scales[:, None] * scales[None, :]) @ axes.T

    kinds = (("stiffness", "q", stiffness, doubt), ("damping", "v", damping, doubt_of_damping))
    for word, letter, integral, off in kinds:
        if letter == "v" and not np.any(integral):
            continue
        wanted = instance.call("tangent", 0.0, recorder.q[c], zero, zero, w=UNIT["avq".index(letter)])[1]
        check_agreement(
            lambda e, word=word, letter=letter: (
                f"{instance.where('section')}: the {word} of its sections, ∂r[{names[e[0]]}]/∂{letter}[{names[e[1]]}],"
            ),
            turned(integral), turned(wanted), tol, error=turned(off, np.abs(axes)),
        )  # fmt: skip


def _sensitivity(recorder: Recorder, instance: RecordedInstance, w: Array, speeds: bool = False) -> tuple[Array, Array]:
    """Derivatives of strains and forces of a section by the coordinates or the speeds at the initial state, (5, nv),
    and the error of these numbers."""
    c = instance.columns

    def section(moves: Array) -> Array:
        none = np.zeros(moves.shape)
        dq, v = (none, moves) if speeds else (moves, none)
        return instance.call("section", 0.0, recorder.q[c] + dq, v, w=w)[0]

    return differences.slopes(section, recorder.scales[c])
