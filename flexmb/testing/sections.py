"""Check of section kernels: their strains and forces agree with the other kernels of the element."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.polynomial import legendre
from scipy.spatial.transform import Rotation

from flexmb.kernels.widths import SPACE
from flexmb.testing import differences
from flexmb.testing.derivatives import many
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, along_weights, check_agreement, random_state, recorders
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import UNIT, Array, RecordedInstance, require
from flexmb.testing.recorder import Recorder

#: what a kernel fills, in the plane and in space
WHAT = {
    2: ("axial strain", "curvature", "axial force", "shear force", "moment"),
    3: tuple(name.replace("_", " ") for name in SPACE.section),
}
STRAIN, CURVATURE, AXIAL, SHEAR, MOMENT = range(5)
#: strains that turn the section, and their forces: these no theory may leave out
TURNING = {2: [CURVATURE, MOMENT], 3: [3, 4, 5, 9, 10, 11]}
#: a turn that is off by less than this [rad] is that of the curvatures
EXACT = 1e-8
#: Gauss points on [0, 1]: enough for smooth shapes of an element
_NODES, _WEIGHTS = (0.5 * (x + k) for x, k in zip(legendre.leggauss(32), (1.0, 0.0)))
#: what turns values of a polynomial at these points into its integrals from 0 to each of them
_INTEGRALS = (
    0.5
    * legendre.legval(2.0 * _NODES - 1.0, legendre.legint(np.eye(len(_NODES)), lbnd=-1.0)).T
    @ np.linalg.inv(legendre.legvander(2.0 * _NODES - 1.0, len(_NODES) - 1))
)


def check_section(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Strains and section forces of a component with a section kernel agree with its other kernels.

    A rigid motion changes none of them. The integral of the curvature is the turn between the ends by the point kernel.
    At the initial state of a component with a `length`, the stiffness and the damping of sections, integrated over the
    length, are those of the tangent: with forces (N, Q, M) and the strains (ε, γ, κ) on which they do work,

        ∂residual/∂q = ∫ (∂N/∂q ∂ε/∂qᵀ + ∂Q/∂q ∂γ/∂qᵀ + ∂M/∂q ∂κ/∂qᵀ) ds,  and so with v for damping,

    where γ = Q/GA with the `properties` of the component; a theory that gives no N or Q has no strain for it. In space
    there are six strains and the six forces that do work on them. Damping that is not in the section forces (modal
    damping) is not checked.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e5, EI=10, rhoA=1))
    >>> part = testing.Recorder.of(rod)
    >>> testing.check_section(part)
    """
    for recorder in recorders(part, light=True):
        for instance in recorder.instances_with("section"):
            for seed in seeds:
                _check_rigid(recorder, instance, seed)
            length = getattr(instance.owner, "length", None)
            if length is None:
                continue
            length = float(length) * _share(recorder, instance)
            if instance.kernels.point is not None:
                for seed in seeds:
                    _check_turn(recorder, instance, seed, length)
            if instance.kernels.tangent is not None:
                _check_stiffness(recorder, instance, length, tol)


def _share(recorder: Recorder, instance: RecordedInstance) -> float:
    """The part of the length of a component that one of its elements has."""
    stations = getattr(instance.owner, "stations", None)
    if stations is None:
        return 1.0 / int(getattr(instance.owner, "elements", 1))
    own = [x for x in recorder.instances_with("section") if x.owner is instance.owner]
    k = next(k for k, x in enumerate(own) if x is instance)
    return float(stations[k + 1] - stations[k])


def _check_rigid(recorder: Recorder, instance: RecordedInstance, seed: int) -> None:
    """A turned and shifted state has the same strains and forces."""
    s = random_state(recorder, seed)
    rng = np.random.default_rng(seed + 2000)
    motion = recorder.random_motion(rng, 9.0)
    q = recorder.moved(s.q, motion)
    v = recorder.turned(s.v, motion)
    c, c_q, what = instance.columns, instance.coordinates, WHAT[recorder.dimension]
    for along in (0.0, 0.3, 1.0):
        w = along_weights(instance, along)
        before = instance.call("section", s.t, s.q[c_q], s.v[c], w=w)[0]
        after = instance.call("section", s.t, q[c_q], v[c], w=w)[0]
        if instance.owner.axis_alone:
            before, after = _sizes(before), _sizes(after)
        missing = np.isnan(before)
        require(
            np.array_equal(missing, np.isnan(after)) and not missing[TURNING[recorder.dimension]].any(),
            f"{instance.where('section')}: what it gives at {along:g} is {before.tolist()}, and "
            f"{after.tolist()} after a rigid motion; only forces without a law may be NaN, and always the same ones",
        )
        known = np.flatnonzero(~missing)
        # a force is small or large against the force of a moderate strain
        size = np.abs(_sensitivity(recorder, instance, w)[0]) @ recorder.scales[c]
        check_agreement(
            lambda e, k=known, x=along: (
                f"{instance.where('section')}: {what[k[e[0]]]} at {x:g} after turning the whole by {motion}"
            ),
            after[known], before[known], 1e-9,
            units=1.0 / np.maximum(size[known], 1e-300), noise=1e-11 * size[known],
        )  # fmt: skip


def _sizes(section: Array) -> Array:
    """The numbers of a section in space with the sizes of curvature and moment in place of their two parts, which stand
    in axes across the beam that mean nothing."""
    size = section.copy()
    for at in (4, 10):
        size[at : at + 2] = np.hypot(*section[at : at + 2]), 0.0
    return size


def _check_turn(recorder: Recorder, instance: RecordedInstance, seed: int, length: float) -> None:
    """The integral of the curvature is the turn from the start to the end; in space that of R' = R κ̃, exactly or, of a
    theory for moderate bending, but for a part that falls with the square of the deformation."""
    if recorder.dimension == 3:
        sentence = f"{instance.where('section')}: the curvature, summed over the length,"
        off = _off_the_turn(recorder, instance, seed, length, 1.0)
        if not np.max(np.abs(off)) < EXACT:
            off, less = (_off_the_turn(recorder, instance, seed, length, share) for share in (1e-2, 1e-3))
            falls = float(np.max(np.abs(less))) < max(float(np.max(np.abs(off))) / 30.0, EXACT / 10.0)
            require(falls, f"{sentence} is off the turn between the ends by {less.tolist()} rad")
        return
    s = instance.at(random_state(recorder, seed))

    def section(x: float) -> Array:
        return instance.call("section", s.t, s.q, s.v, w=along_weights(instance, x))[0]

    start, end = (instance.call("point", s.t, s.q, s.v, s.a, w=along_weights(instance, x))[0] for x in (0.0, 1.0))
    sentence = f"{instance.where('section')}: the curvature, summed over the length,"
    total = sum(weight * length * section(x)[CURVATURE] for x, weight in zip(_NODES, _WEIGHTS))
    turn = np.array([differences.less_than_a_turn(end[2] - start[2])])
    check_agreement(lambda _: sentence, np.array([total]), turn, EXACT, noise=1e-10)


def _off_the_turn(recorder: Recorder, instance: RecordedInstance, seed: int, length: float, share: float) -> Array:
    """How far the turn of R' = R κ̃ (3,) [rad] is off that between the ends in space, at a `share` of a deformation; by
    collocation, a polynomial of e' = ½ e ∘ (κ, 0) at the Gauss points, with quaternions whose scalar stands last."""
    rng = np.random.default_rng(seed)
    moves = share * (0.01 if seed % 2 else 1.0) * recorder.scales * rng.uniform(-0.3, 0.3, len(recorder.scales))
    zero = np.zeros(len(moves))
    near = recorder.state(0.3, recorder.q, zero, zero).retracted(moves)
    s = instance.at(recorder.state(0.3, near, zero, zero))
    ends = (instance.call("point", s.t, s.q, s.v, s.a, w=along_weights(instance, x))[0] for x in (0.0, 1.0))
    first, last = (Rotation.from_quat(np.roll(x[SPACE.orientation], -1)) for x in ends)

    rates = np.zeros((len(_NODES), 4, 4))
    for rate, x in zip(rates, _NODES):
        kappa = length * instance.call("section", s.t, s.q, s.v, w=along_weights(instance, x))[0][3:6]
        rate[:3] = np.column_stack([np.cross(np.eye(3), kappa).T, kappa])
        rate[3, :3] = -kappa
    rates *= 0.5
    # e' at the points: e'ᵢ = Rᵢ (e₀ + Σ Aᵢⱼ e'ⱼ)
    start, size = first.as_quat(), 4 * len(_NODES)
    among = np.einsum("iab,ij->iajb", rates, _INTEGRALS).reshape(size, size)
    slopes = np.linalg.solve(np.eye(size) - among, (rates @ start).ravel()).reshape(-1, 4)
    found = start + _WEIGHTS @ slopes
    return (Rotation.from_quat(found) * last.inv()).as_rotvec()


def _check_stiffness(recorder: Recorder, instance: RecordedInstance, length: float, tol: float) -> None:
    """Stiffness and damping of the sections, integrated over the length, are those of the tangent."""
    c = instance.columns
    names = [recorder.names[k] for k in c]
    stiffness, damping = np.zeros((2, len(c), len(c)))
    doubt, doubt_of_damping = np.zeros((2, len(c), len(c)))
    stretching = []
    for x, weight in zip(_NODES, _WEIGHTS):
        w = along_weights(instance, x)
        by_q, error = _sensitivity(recorder, instance, w)
        by_v, error_v = _sensitivity(recorder, instance, w, speeds=True)
        stretching.append(by_q[STRAIN] * recorder.scales[c])
        strains, errors, forces = _pairs(recorder, instance, by_q, error)
        for force, strain, off in zip(forces, strains, errors):
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
        unit = UNIT["avq".index(letter)]
        wanted = instance.call("tangent", 0.0, recorder.q[instance.coordinates], zero, zero, w=unit)[1]
        check_agreement(
            lambda e, word=word, letter=letter: (
                f"{instance.where('section')}: the {word} of its sections, ∂r[{names[e[0]]}]/∂{letter}[{names[e[1]]}],"
            ),
            turned(integral), turned(wanted), tol, error=turned(off, np.abs(axes)),
        )  # fmt: skip


def _pairs(
    recorder: Recorder, instance: RecordedInstance, by_q: Array, error: Array
) -> tuple[list[Array], list[Array], range]:
    """Derivatives of strains, their errors, and which numbers the forces are that do work on these strains."""
    if recorder.dimension == 3:
        return list(by_q[:6]), list(error[:6]), range(6, 12)
    shear = getattr(getattr(instance.owner, "properties", None), "GA", math.inf)
    strains = [by_q[STRAIN], by_q[SHEAR] / shear, by_q[CURVATURE]]
    errors = [error[STRAIN], error[SHEAR] / shear, error[CURVATURE]]
    return strains, errors, range(AXIAL, MOMENT + 1)


def _sensitivity(recorder: Recorder, instance: RecordedInstance, w: Array, speeds: bool = False) -> tuple[Array, Array]:
    """Derivatives of strains and forces of a section by the coordinates or the speeds at the initial state, (5, nv) or
    in space (12, nv), and the error of these numbers."""
    still = np.zeros(len(instance.columns))
    start = TrialState(0.0, recorder.q[instance.coordinates], still, still, instance.orientations)

    def section(moves: Array) -> Array:
        q, v = (many(start.q, moves), moves) if speeds else (start.retracted(moves), many(still, moves))
        return instance.call("section", 0.0, q, v, w=w)[0]

    return differences.slopes(section, recorder.scales[instance.columns])
