"""The CMS beam in space: against d'Alembert's principle, the planar element, exact rods, and beyond its range."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.elements.cms_shapes import bubble_factors, bubbles, gauss
from flexmb.elements.spatial import cms_beam
from flexmb.elements.spatial.cms.element import SpatialCmsElement
from flexmb.elements.spatial.cms.frame import slopes_of_ends
from flexmb.elements.spatial.cms_beam import SPATIAL_CMS, CmsBeam
from flexmb.kernels.rotations import product
from flexmb.testing import Recorder, TrialState
from flexmb.testing.recorded import RecordedInstance
from flexmb.validation.references.spatial_cms_beam import SpatialCmsReference, rotation

GRAVITY = np.array([0.7, -0.4, -9.81])


def scalar_first(R: np.ndarray) -> np.ndarray:
    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


def instance_of(given: Any, gravity: Any, length: float = 1.2, y_axis: Any = "y", **options: Any) -> RecordedInstance:
    """The one element of a beam along the x-axis, without the rest of the mechanism."""
    m = fm.SpatialModel("m")
    beam = CmsBeam.build(m, "rod", (0, 0, 0), (length, 0, 0), given, 1, None, y_axis=y_axis, **options)
    return Recorder.of(beam, gravity).instances[0]


def state_of(position: tuple[Any, ...]) -> np.ndarray:
    """q of an instance, scalar parts of the quaternions at the end, as recorded instances take it."""
    R1, A1, R2, A2, xi = position
    e1, e2 = scalar_first(A1), scalar_first(A2)
    if e1 @ e2 < 0.0:
        e2 = -e2
    return np.concatenate([R1, e1[1:], R2, e2[1:], xi, e1[:1], e2[:1]])


#: numbers of modes along y, along z, of torsion, along the axis, and ρA, ρIp, ρIy, ρIz
KINDS = [
    ((0, 0, 0, 0), (1.7, 0.0, 0.0, 0.0)),
    ((2, 1, 1, 1), (1.7, 0.0, 0.0, 0.0)),
    ((1, 2, 2, 0), (1.7, 0.03, 0.01, 0.015)),
]


def every_point(element: SpatialCmsElement) -> np.ndarray:
    """Gauss points enough for any bending."""
    eta, weights = gauss(30)
    return np.column_stack([weights * element.length, element.sections(eta)])


@pytest.mark.parametrize(("modes", "inertia"), KINDS)
@pytest.mark.parametrize("field", ["chord", "mean", "second_order"])
@pytest.mark.parametrize("few", [True, False])
def test_forces_are_those_of_dalemberts_principle(
    modes: tuple[int, ...], inertia: tuple[float, ...], field: str, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many Gauss points to round-off; the few that it has leave out 1e-4 at slopes of 0.3 rad."""
    if not few:
        monkeypatch.setattr(SpatialCmsElement, "strain_points", property(every_point))
        if any(inertia[1:]):
            monkeypatch.setattr(SpatialCmsElement, "disk_points", property(every_point))
        cms_beam._element.cache_clear()
    rng = np.random.default_rng(5)
    L, n = 1.2, sum(modes)
    rhoA, *J = inertia
    reference = SpatialCmsReference(L, (100.0, 0.5, 0.4, 1.3), (rhoA, *J), modes, field)
    given = fm.spatial.BeamProperties(100.0, 0.4, 1.3, 0.5, rhoA, rhoIp=J[0], rhoIy=J[1], rhoIz=J[2])
    numbers = {"modes": modes[:2], "torsion_modes": modes[2], "axial_modes": modes[3], "axial": field}
    element = instance_of(given, GRAVITY, **numbers)
    whole = rotation(rng.normal(size=3))
    ends = [whole @ rotation(0.3 * rng.uniform(-1, 1, 3)) for _ in range(2)]
    start = rng.normal(size=3)
    end = start + whole @ (np.array([L, 0.0, 0.0]) + 0.1 * rng.normal(size=3))
    position = (start, ends[0], end, ends[1], (0.01 if few else 0.1) * rng.uniform(-1, 1, n))
    v, a = rng.normal(size=(2, 12 + n))
    found = element.call("residual", 0.0, state_of(position), v, a)[0]
    wanted = reference.residual(position, v, a, GRAVITY, 0.008)
    tolerance = 2e-4 if few else 1e-8
    assert np.max(np.abs(found - wanted)) < tolerance * np.max(np.abs(wanted))
    stored = element.call("energy", 0.0, state_of(position), v)[0][1]
    assert stored == pytest.approx(reference.energy(position), rel=tolerance)
    cms_beam._element.cache_clear()


@pytest.mark.parametrize("axial", ["chord", "mean", "second_order"])
@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(0.03)])
@pytest.mark.parametrize(("plane", "GA"), [(0.0, np.inf), (0.5 * np.pi, np.inf), (0.7, np.inf), (0.0, 9.0), (0.7, 9.0)])
def test_in_a_plane_it_is_the_planar_element(
    axial: str, damping: Any, plane: float, GA: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two bending modes and one axial mode, in a plane turned about the x-axis: forces, tangents, energies, points.
    The planar element integrates rotary inertia exactly, that in space by few Gauss points, of which it gets more."""
    if GA < np.inf:
        monkeypatch.setattr(SpatialCmsElement, "disk_points", property(every_point))
        cms_beam._element.cache_clear()
    m = fm.PlanarModel("m")
    turning = 0.02 if GA < np.inf else 0.0
    flat = fm.planar.BeamProperties(EA=80.0, EI=1.3, rhoA=0.6, GA=GA, rhoI=turning)
    options: dict[str, Any] = {"axial_modes": 1, "axial": axial}
    beam = m.add_beam("rod", (0, 0), (1.2, 0), properties=flat, modes=2, damping=damping, **options)
    planar = Recorder.of(beam, (0.7, -9.81)).instances[0]
    turn = Rotation.from_rotvec([plane, 0.0, 0.0])
    across = {"EIy": 0.9, "GAz": 5.0, "rhoIy": 0.01} if plane == 0.0 else {"EIy": 1.3, "GAz": GA, "rhoIy": turning}
    if GA == np.inf:
        across = {"EIy": across["EIy"]}
    given = fm.spatial.BeamProperties(80.0, EIz=1.3, GJ=0.7, rhoA=0.6, rhoIp=0.0, GAy=GA, rhoIz=turning, **across)
    space = fm.SpatialModel("m")
    rod = CmsBeam.build(
        space, "rod", (0, 0, 0), (1.2, 0, 0), given, 1, damping, y_axis="y", modes=(2, 2), torsion_modes=0, **options
    )
    spatial = Recorder.of(rod, turn.apply([0.7, -9.81, 0.0])).instances[0]
    # where the coordinates of the plane go: x, y, angle, x, y, angle, axial, bending along the turned y
    lift = np.zeros((17, 9))
    for k, at in ((0, 0), (3, 6)):
        lift[at : at + 3, k] = turn.apply([1.0, 0.0, 0.0])
        lift[at : at + 3, k + 1] = turn.apply([0.0, 1.0, 0.0])
        lift[at + 3 : at + 6, k + 2] = turn.apply([0.0, 0.0, 1.0])
    lift[12, 6] = 1.0
    for mode in range(2):
        lift[13 + mode, 7 + mode], lift[15 + mode, 7 + mode] = np.cos(plane), np.sin(plane)
    rng = np.random.default_rng(1)
    q = np.array([0.3, -0.2, 0.5, 1.2, 0.5, 0.9, 0.02, 0.05, -0.03])
    v, a = rng.normal(size=(2, 9))
    there = lift @ q
    for at, k, scalar in ((3, 2, 17), (9, 5, 18)):
        e = np.roll(Rotation.from_rotvec(turn.apply([0.0, 0.0, q[k]])).as_quat(), 1)
        there = np.append(there, e[0])
        there[at : at + 3] = e[1:]
        assert len(there) == scalar + 1
    found = spatial.call("residual", 0.0, there, lift @ v, lift @ a)[0]
    wanted = planar.call("residual", 0.0, q, v, a)[0]
    size = np.max(np.abs(wanted))
    assert np.max(np.abs(found - lift @ wanted)) < 2e-13 * size
    assert spatial.call("energy", 0.0, there, lift @ v)[0][:4] == pytest.approx(
        planar.call("energy", 0.0, q, v)[0][:4], rel=1e-12, abs=1e-12
    )
    for w in np.eye(3):
        K = planar.call("tangent", 0.0, q, v, a, w=w)[1]
        assert np.max(np.abs(lift.T @ spatial.call("tangent", 0.0, there, lift @ v, lift @ a, w=w)[1] @ lift - K)) < (
            1e-12 * np.max(np.abs(K))
        )
    for s in (0.0, 0.4, 1.0):
        flat_point = planar.call("point", 0.0, q, v, a, w=beam.point_data(s))[0]
        point = spatial.call("point", 0.0, there, lift @ v, lift @ a, w=rod.point_data(s))[0]
        for at, mine in ((0, 0), (3, 7), (6, 13)):
            assert point[mine : mine + 3] == pytest.approx(turn.apply([*flat_point[at : at + 2], 0.0]), abs=1e-12)
        flat_section = planar.call("section", 0.0, q, v, a, w=beam.point_data(s))[0]
        section = spatial.call("section", 0.0, there, lift @ v, lift @ a, w=rod.point_data(s))[0]
        assert section[[0, 6]] == pytest.approx(flat_section[[0, 2]], rel=1e-12, abs=1e-12)
        bending = np.array([0.0, -np.sin(plane), np.cos(plane)])
        assert section[3:6] == pytest.approx(flat_section[1] * bending, abs=1e-12)
        assert section[9:12] == pytest.approx(flat_section[4] * bending, abs=1e-12)
        if GA < np.inf:
            shear = flat_section[3] * np.array([np.cos(plane), np.sin(plane)])
            assert section[7:9] == pytest.approx(shear, abs=1e-11)
            if damping is None:
                assert GA * section[1:3] == pytest.approx(shear, abs=1e-11)
    cms_beam._element.cache_clear()


def cantilever(
    force: Any, GJ: float, EIy: float, EIz: float, elements: int, modes: int, torsion_modes: int
) -> np.ndarray:
    """The end (3,) of a cantilever of length 1 under a dead force."""
    m = fm.SpatialModel("cantilever")
    given = fm.spatial.BeamProperties(1e7, EIy, EIz, GJ, 1.0)
    options = {"modes": modes, "torsion_modes": torsion_modes}
    rod = CmsBeam.build(m, "rod", m.ground, (1, 0, 0), given, elements, None, y_axis="y", **options)
    m.point_force(rod.end, force)
    return np.ravel(fm.equilibrium(m).state["rod.end"].position)


#: ends of exact Kirchhoff rods by shooting, and errors of one element without modes, of one and of two elements with
#: one mode of each kind; those of an independent program are as large, but for 5.0e-3 and 8.0e-4, since it has sines
SKEW = [
    (((0.0, 0.8, 0.5), 0.8, 1.0, 1.0), (0.94894552, 0.24374308, 0.15233942), (9.4e-4, 9.0e-4, 7.5e-5)),
    (((0.0, 0.8, 0.5), 0.5, 0.4, 1.0), (0.8899675, 0.23644976, 0.34007182), (1.1e-2, 4.5e-3, 3.9e-4)),
]


@pytest.mark.parametrize(("given", "exact", "errors"), SKEW)
def test_cantilevers_under_skew_forces(given: Any, exact: Any, errors: Any) -> None:
    for numbers, error in zip(((1, 0, 0), (1, 1, 1), (2, 1, 1)), errors):
        off = np.linalg.norm(cantilever(*given, *numbers) - exact)
        assert 0.5 * error < off < 1.02 * error
    off = [np.linalg.norm(cantilever(*given, elements, 1, 1) - exact) for elements in (2, 4)]
    order = np.log2(off[0] / off[1])
    assert order == pytest.approx(4.0, abs=0.1)


def test_shapes_of_torsion_are_orthogonal_polynomials() -> None:
    """They vanish at both ends, a parabola first; derivatives are those of differences, and have no products."""
    eta, weights = gauss(12)
    shapes, rates = bubbles(6, eta)
    np.testing.assert_allclose(bubbles(6, np.array([0.0, 1.0]))[0], 0.0, atol=1e-15)
    np.testing.assert_allclose(shapes[:, 0], 4.0 * eta * (1.0 - eta), atol=1e-15)
    h = 1e-6
    np.testing.assert_allclose((bubbles(6, eta + h)[0] - bubbles(6, eta - h)[0]) / (2 * h), rates, atol=1e-8)
    np.testing.assert_allclose((rates.T * weights) @ rates, np.diag(bubble_factors(6)), atol=1e-13)
    given = fm.spatial.BeamProperties(100.0, 0.4, 1.3, 0.5, 1.7, rhoIp=0.03)
    element = SpatialCmsElement(1.2, given, torsion=12)
    own = element.places()[2]
    scaled = element.stiffness[np.ix_(own, own)]
    size = np.sqrt(np.diag(scaled))
    assert np.linalg.cond(scaled / np.outer(size, size)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.warns(fm.errors.AccuracyWarning, "is twisted too far for 1 element")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_a_shaft_is_twisted_by_more_than_half_a_turn() -> None:
    """Twist between the nodes counts to a whole turn, with the quaternions' signs as they are."""
    m = fm.SpatialModel("shaft")
    given = fm.spatial.BeamProperties(1e6, 10.0, 10.0, 2.0, 1.0, rhoIp=0.1)
    end = m.add_body("end", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    end.frame.node.orientation = -end.frame.node.orientation  # the same orientation
    rod = CmsBeam.build(m, "rod", m.ground, end.frame, given, 1, fm.StiffnessProportional(0.2), y_axis="y")
    m.point_torque(rod.end, (10.0, 0.0, 0.0), factor=fm.SmoothStep(0.0, 1.0, 0.0, 1.0))
    run = fm.simulate(m, 12.0, step=0.02, progress=False)
    turned = run["rod.end"].orientation[-1].as_rotvec()
    assert turned == pytest.approx([5.0 - 2.0 * np.pi, 0.0, 0.0], abs=1e-3)  # the torque by GJ/L


def folded(seed: int) -> tuple[RecordedInstance, np.ndarray]:
    """A soft element bent far beyond its range."""
    given = fm.spatial.BeamProperties(100.0, 0.4, 1.3, 0.5, 1.7, rhoIp=0.03)
    element = instance_of(given, (0.0, 0.0, 0.0), modes=1, torsion_modes=1)
    rng = np.random.default_rng(seed)
    chord = np.array([0.05, 0.3, 1.0])[seed % 3]
    ends = [rotation((0.1, 0.3, 2.7 - 0.9 * (seed % 2))), rotation((-0.2, 0.5, 1.9))]
    position = (np.zeros(3), ends[0], np.array([chord, 0.0, 0.0]), ends[1], 0.3 * rng.normal(size=3))
    return element, state_of(position)


@pytest.mark.parametrize("seed", range(6))
def test_beyond_the_range_forces_are_the_slope_of_an_energy_that_is_bounded_below(seed: int) -> None:
    element, q = folded(seed)
    n = len(element.columns)
    r = element.call("residual", 0.0, q)[0]
    K = element.call("tangent", 0.0, q, w=(0.0, 0.0, 1.0))[1]
    h = 1e-4

    def moved(k: int, by: float) -> np.ndarray:
        y = np.zeros(n)
        y[k] = by
        return TrialState(0.0, q, zero, zero, element.orientations).retracted(y)

    zero = np.zeros(n)

    for k in range(n):
        there = [element.call("energy", 0.0, moved(k, x * h))[0][1] for x in (1, -1, 2, -2)]
        assert r[k] == pytest.approx(
            (8 * (there[0] - there[1]) - (there[2] - there[3])) / (12 * h), rel=1e-6, abs=1e-6 * np.max(np.abs(r))
        )
        by = [element.call("residual", 0.0, moved(k, x * h))[0] for x in (1, -1, 2, -2)]
        change = (8 * (by[0] - by[1]) - (by[2] - by[3])) / (12 * h)
        assert K[:, k] == pytest.approx(change, rel=1e-5, abs=1e-6 * np.max(np.abs(K)))
    assert element.call("energy", 0.0, q)[0][1] > 0.0


@pytest.mark.parametrize("phi", [2.6, 2.8, 2.95, -2.9])
def test_twist_between_the_nodes_stops_before_a_whole_turn(phi: float) -> None:
    """It would begin again on the other side there: forces and tangents are slopes of an energy that forbids it."""
    given = fm.spatial.BeamProperties(100.0, 0.4, 1.3, 0.5, 1.7, rhoIp=0.03)
    element = instance_of(given, (0.0, 0.0, 0.0), modes=1, torsion_modes=1)
    bent = tuple(np.roll(Rotation.from_rotvec([0.0, 0.2, -0.1]).as_quat(), 1))
    w, x, y, z = product(bent, (np.cos(phi), np.sin(phi), 0.0, 0.0))  # of the end, twisted by 2 φ
    q = np.concatenate([np.zeros(6), [1.15, 0.1, 0.05], [x, y, z], [0.1, -0.05, 0.02], [1.0, w]])
    n = len(element.columns)
    zero, h = np.zeros(n), 1e-5
    r, K = element.call("residual", 0.0, q)[0], element.call("tangent", 0.0, q, w=(0.0, 0.0, 1.0))[1]

    def moved(k: int, by: float) -> np.ndarray:
        y = np.zeros(n)
        y[k] = by
        return TrialState(0.0, q, zero, zero, element.orientations).retracted(y)

    for k in range(n):
        there = [element.call("energy", 0.0, moved(k, x * h))[0][1] for x in (1, -1, 2, -2)]
        slope = (8 * (there[0] - there[1]) - (there[2] - there[3])) / (12 * h)
        assert r[k] == pytest.approx(slope, rel=1e-6, abs=1e-6 * np.max(np.abs(r)))
        by = [element.call("residual", 0.0, moved(k, x * h))[0] for x in (1, -1, 2, -2)]
        change = (8 * (by[0] - by[1]) - (by[2] - by[3])) / (12 * h)
        assert K[:, k] == pytest.approx(change, rel=1e-5, abs=1e-5 * np.max(np.abs(K)))
    assert (np.abs(r[9]) > 10.0) == (abs(phi) > 2.85)


@pytest.mark.parametrize("damping", [None, fm.StiffnessProportional(0.1), fm.ModalDamping(0.1)])
@pytest.mark.parametrize("inertia", [0.0, 0.01])
@pytest.mark.parametrize("GAz", [np.inf, 900.0])
@pytest.mark.parametrize(
    ("modes", "torsion", "axial"), [((0, 0), 0, 0), ((2, 1), 1, 1), ((0, 3), 6, 2), ((12, 1), 0, 0)]
)
def test_the_tangent_takes_all_scratch_numbers_that_it_asks_for_and_no_more(
    modes: tuple[int, int], torsion: int, axial: int, inertia: float, damping: Any, GAz: float
) -> None:
    given = fm.spatial.BeamProperties(
        1e5, 10.0, 20.0, 15.0, 1.0, rhoIp=2.0 * inertia, rhoIy=inertia, rhoIz=inertia, GAz=GAz
    )
    options = {"modes": modes, "torsion_modes": torsion, "axial_modes": axial}
    m = fm.SpatialModel("m")
    beam = CmsBeam.build(m, "rod", (0, 0, 0), (1.2, 0, 0), given, 1, damping, y_axis="y", **options)
    instance = Recorder.of(beam, GRAVITY).instances[0]
    n, rng = beam.width, np.random.default_rng(0)
    q = np.concatenate([[0, 0, 0, 1, 0, 0, 0, 1.2, 0, 0, 1, 0, 0, 0], np.zeros(n - 12)]) + rng.uniform(0, 0.01, n + 2)
    numbers = np.arange(n + 2)[None], np.arange(n)[None]
    motion, weights = rng.normal(size=(2, n)), np.array([1.0, 0.5, 0.3, 0.0])
    scratch, matrix = np.full(instance.work + 500, np.inf), np.zeros((1, n, n))
    arguments = instance.parameters[None], *numbers, 0.0, q, *motion, np.zeros((1, 1)), weights, np.zeros((1, n))
    SPATIAL_CMS.tangent(*arguments, matrix, scratch)
    assert np.flatnonzero(scratch != np.inf)[-1] + 1 == instance.work
    assert np.all(np.isfinite(matrix))


def test_a_soft_blade_that_whips_takes_the_steps_that_it_takes_in_the_plane() -> None:
    """EI = 0.2 Nm² from rest to 20 rad/s in half a second: the blade winds up and snaps back. Its waves are fast, not
    the element stiff: the same beam in the plane, and a method of another order, agree with it."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # of the bending
        for space, method in ((True, "generalized_alpha"), (False, "generalized_alpha"), (True, "radau")):
            law = fm.SpinUp(20.0, 0.5)
            if space:
                m: Any = fm.SpatialModel("blade")
                given: Any = fm.spatial.BeamProperties(1e6, 0.2, 0.2, 0.2, 0.6, rhoIp=1e-5)
                rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), properties=given, elements=8)
                m.revolute(m.ground, rod.start, axis="z")
                m.drive_angle(m.ground, rod.start, law, axis="z")
            else:
                m, given = fm.PlanarModel("blade"), fm.planar.BeamProperties(EA=1e6, EI=0.2, rhoA=0.6)
                rod = m.add_beam("rod", (0, 0), (1, 0), properties=given, elements=8)
                m.revolute(m.ground, rod.start)
                m.drive_angle(m.ground, rod.start, law)
            run = fm.simulate(m, 0.58, method, progress=False)
            found[space, method] = len(run.t), run["rod.end"].position[-1][:2]
    steps, tip = found[True, "generalized_alpha"]
    flat_steps, flat_tip = found[False, "generalized_alpha"]
    fewer, exact = found[True, "radau"]
    assert tip == pytest.approx(flat_tip, abs=1e-5) and tip == pytest.approx(exact, abs=1e-4)
    assert steps == pytest.approx(flat_steps, rel=0.1)  # a few are repeated in one run and not in the other
    assert 3 * fewer < steps


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modes": -1}, "modes"),
        ({"modes": (1, 2, 3)}, "bending modes along y and along z"),
        ({"modes": "two"}, "modes"),
        ({"torsion_modes": 1.5}, "torsion_modes"),
        ({"axial": "cubic"}, "axial"),
    ],
)
def test_wrong_input_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    m = fm.SpatialModel("m")
    given = fm.spatial.BeamProperties(1e5, 1.0, 1.0, 1.0, 1.0)
    with pytest.raises(fm.errors.ModelError, match=f"beam 'rod': .*{message}"):
        CmsBeam.build(m, "rod", m.ground, (1, 0, 0), given, 1, None, **options)


def test_slopes_of_ends_are_the_smallest_turns_from_the_chord() -> None:
    """The ends of a chord that stands anywhere are its frame, twisted by −φ and φ and then swung."""
    rng = np.random.default_rng(7)
    turns = [Rotation.from_rotvec(rng.normal(size=3)) for _ in range(2)]
    q, wanted = np.zeros((20, 14)), np.empty((20, 5))
    for row, said in zip(q, wanted):
        frame, phi, length = Rotation.random(rng=rng), rng.uniform(-0.6, 0.6), rng.uniform(0.5, 2.0)
        row[:3] = rng.normal(size=3)
        row[7:10] = row[:3] + length * frame.as_matrix()[:, 0]
        said[4] = phi
        for k, sign in enumerate((-1.0, 1.0)):
            v, w = said[2 * k : 2 * k + 2] = rng.uniform(-0.5, 0.5, 2)
            section = frame * Rotation.from_rotvec([0.0, -w, v]) * Rotation.from_rotvec([sign * phi, 0.0, 0.0])
            row[3 + 7 * k : 7 + 7 * k] = np.roll((section * turns[k].inv()).as_quat(), 1)
        sections = [product(tuple(row[3 + 7 * k : 7 + 7 * k]), tuple(np.roll(turns[k].as_quat(), 1))) for k in (0, 1)]
        row[10:14] *= np.sign(np.dot(*sections))  # by their signs there is no whole turn between them
    of_sections = [np.roll(turn.as_quat(), 1) for turn in turns]
    out = np.empty((20, 5))
    slopes_of_ends(q, np.arange(14), *of_sections, out)
    assert np.all(np.abs(out - wanted) < 1e-13)
