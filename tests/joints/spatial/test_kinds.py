"""Every kind of joint of space: what it lets move, and how kinds consist of each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import testing
from tests.models.joints_in_space import AXIS, KINDS, jointed, rotation

RANK = 1e-9


def rank(*matrices):
    return np.linalg.matrix_rank(np.vstack(matrices), tol=RANK)


def rows(kind, seed):
    """The Jacobian of a joint by the six speeds of b, on the ground, without coordinates of its own."""
    system = fm.System(jointed(kind, seed, grounded=True)[0])
    return system.jacobian(0.0, system.q0)[:, :6]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grounded", [True, False])
def test_ways_to_move(kind, grounded):
    for seed in range(3):
        m, *_ = jointed(kind, seed, grounded)
        system = fm.System(m)
        G = system.jacobian(0.0, system.q0)
        assert rank(G) == len(G)  # no row repeats another
        assert system.n - len(G) == KINDS[kind][2] + 6 * (not grounded)
        g = system.constraint(0.0, system.q0, system.v0)[0]
        assert np.max(np.abs(g)) < 1e-14


@pytest.mark.parametrize("kind", KINDS)
def test_conformance_at_large_rotations(kind):
    testing.conformance(jointed(kind, 0)[0])


@pytest.mark.parametrize(
    ("joint", "parts"),
    [
        ("weld", ["revolute", "prismatic"]),
        ("revolute", ["spherical", "parallel_axes"]),
        ("cylindrical", ["point_on_line", "parallel_axes"]),
        ("planar_joint", ["point_in_plane", "parallel_axes"]),
        ("prismatic", ["cylindrical", "lock of an angle"]),
        ("revolute", ["cylindrical", "lock of a place"]),
        ("spherical", ["point_on_line", "lock of a place"]),
    ],
)
def test_a_joint_holds_what_others_hold_together(joint, parts):
    """On one pair of bodies at one place, where each of them is closed, their rows span the same forces."""
    for seed in range(3):
        made = []
        for kind in (joint, *parts):
            verb, options, _ = KINDS[kind]
            m, _, a, b = jointed("spherical", seed, grounded=True)
            m.components.pop("joint")
            getattr(m, verb)(a, b, **options)
            system = fm.System(m)
            G = system.jacobian(0.0, system.q0)
            # a lock of an angle has a coordinate of its own, which the row of its angle takes out again
            if system.n > 6:
                G = (G[0] + G[1])[None, :6]
            made.append(G)
        held = 6 - KINDS[joint][2]
        assert rank(*made[1:]) == held == rank(*made)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "distance"])
def test_motions_stay_in_the_joint(kind):
    """Two free bodies that tumble with a joint between them, seen by SciPy from their tracks."""
    m, joint, a, b = jointed(kind, 4, gravity=(0.0, 0.0, 0.0))
    m.components["a"].frame.move((0.3, -0.2, 0.4), (1.5, -2.0, 1.0))
    s = fm.simulate(m, 1.0, "dop853", tolerance=1e-10, progress=False)
    seen = s.relative(b.name, a.name)
    d, axis = seen.position, AXIS / np.linalg.norm(AXIS)
    start = rotation(a).inv() * rotation(b)
    turned = seen.orientation * start.inv()  # of b against a since the start, in the axes of a
    assert np.ptp(s["b"].orientation.as_matrix()[:, 0, 0]) > 0.1  # it moves
    if kind in ("weld", "revolute", "universal", "gimbal", "spherical"):
        assert np.max(np.abs(d)) < 1e-9
    if kind in ("prismatic", "cylindrical", "point_on_line"):
        assert np.max(np.abs(np.cross(d, axis))) < 1e-9
    if kind in ("planar_joint", "point_in_plane", "lock of a place"):
        assert np.ptp(d @ axis) < 1e-9
    if kind in ("weld", "prismatic"):
        assert np.max(turned.magnitude()) < 1e-9
    if kind in ("revolute", "cylindrical", "planar_joint", "parallel_axes"):
        assert np.max(np.abs(turned.apply(axis) - axis)) < 1e-9
    if kind in ("universal", "gimbal"):
        w = seen.orientation.apply(joint.axis_b / np.linalg.norm(joint.axis_b))
        assert np.max(np.abs(w @ axis - np.cos(joint.angle))) < 1e-9
    assert np.ptp(s.energy.total) < 1e-7


def test_a_rod_keeps_its_length():
    m, _, a, b = jointed("distance", 4, gravity=(0.0, 0.0, 0.0))
    m.components["a"].frame.move((0.3, -0.2, 0.4), (1.5, -2.0, 1.0))
    s = fm.simulate(m, 1.0, step=0.01, progress=False)
    lengths = np.linalg.norm(s[b.name].position - s[a.name].position, axis=1)
    assert np.ptp(lengths) < 1e-9


def test_a_slide_that_carries_a_hinge_is_a_cylindrical_joint():
    def run(light):
        m, _, a, b = jointed("cylindrical", 2)
        m.components["b"].frame.move(angular_velocity=rotation(a).apply(3.0 * AXIS))
        if light:
            m.components.pop("joint")
            between = m.add_body(
                "between", mass=1e-7, inertia=(1e-8,) * 3, position=a.position, orientation=rotation(a)
            )
            m.prismatic(a, between.frame, axis=AXIS)
            m.revolute(between.attach("at b", rotation(a).inv().apply(b.position - a.position)), b, axis=AXIS)
        return fm.simulate(m, 0.5, step=0.002, progress=False)["b"]

    one, two = run(False), run(True)
    assert np.max(np.abs(one.position - two.position)) < 1e-5
    assert np.max((one.orientation.inv() * two.orientation).magnitude()) < 1e-5


def test_skew_axes_are_brought_together():
    m, _, a, b = jointed("spherical", 3)
    m.components.pop("joint")
    u = np.array([0.2, 0.9, -0.4])
    off = Rotation.from_rotvec([0.2, -0.1, 0.15])
    axis_b = rotation(b).inv().apply(off.apply(rotation(a).apply(u)))
    m.revolute(a, b, axis=u, axis_b=axis_b, name="hinge")
    with pytest.warns(fm.errors.InitialConditionWarning, match="moved by up to"):
        s = fm.simulate(m, 0.2, step=0.01, progress=False)
    both = s[a.name].orientation.apply(u / np.linalg.norm(u)), s[b.name].orientation.apply(axis_b)
    assert np.max(np.abs(both[0] - both[1] / np.linalg.norm(axis_b))) < 1e-9
    placed = fm.assemble(m)
    together = rotation(b).apply(axis_b) / np.linalg.norm(u) - rotation(a).apply(u) / np.linalg.norm(u)
    assert np.max(np.abs(together)) < 1e-9 and abs(placed["hinge"].angle) < 1e-9


def tilted(degrees):
    m = fm.SpatialModel("tilted")
    turn = Rotation.from_euler("x", degrees, degrees=True)
    body = m.add_body("b", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.2, 0.1, 0.0), orientation=turn)
    m.revolute(m.ground, body.frame, axis="z", axis_b="z", name="hinge")
    return m


def test_a_hinge_that_is_tilted_far_is_closed_the_right_side_up():
    """From 85° a step of Newton's along sin φ, −tan φ, would lead to the other side."""
    with pytest.raises(fm.errors.InitialConditionError, match=r"moved by up to 0\.2 m .* and 1\.48 rad"):
        fm.simulate(tilted(85.0), 0.1, progress=False)
    with pytest.raises(fm.errors.ModelError, match="at the start axis_b points 95° away from axis"):
        tilted(95.0)
    for degrees in (60.0, 85.0, 89.0):
        with pytest.warns(fm.errors.InitialConditionWarning):
            run = fm.simulate(tilted(degrees), 0.1, gaps="close", progress=False)
        assert run["b"].orientation[0].magnitude() < 1e-9 and not run.trustworthy


def test_equilibria_say_that_a_joint_stands_upside_down():
    m = tilted(0.0)
    joint = m.components["hinge"]
    system = fm.System(m)
    half = Rotation.from_euler("x", 180.0, degrees=True)
    q = system.retract(system.q0, np.array([-0.2, -0.1, 0, *half.as_rotvec()]))
    assert np.max(np.abs(system.constraint(0.0, q, system.v0)[0])) < 1e-12
    (doubt,) = joint.doubts(system, np.array([system.full_q(system.q0), system.full_q(q)]))
    assert doubt.first == 1 and "upside-down" in doubt.text
    assert joint.misplaced(system, system.full_q(system.q0)) == ""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m, a, b: m.universal(a, b, axis="x", axis_b="x"), "axis and axis_b are .*° from each other"),
        (lambda m, a, b: m.universal(a, b, axis="x", axis_b="y", angle=0.01), "the axes of a cross lie between"),
        (lambda m, a, b: m.universal(a, b, axis="x", axis_b=(0, 0, 0)), "axis_b has no direction"),
        (lambda m, a, b: m.revolute(a, b, axis="z", axis_b="w"), "axis_b is 'w'; give .* in the axes of frame b"),
        (lambda m, a, b: m.prismatic(a, b, axis=(0, 0, 0)), "axis has no direction"),
        (lambda m, a, b: m.planar_joint(a, b, axis=(1, 2)), "axis must be 3 numbers"),
        (lambda m, a, b: m.cylindrical(a, b, count_turns=1), "count_turns is 1; give True or False"),
        (lambda m, a, b: m.point_on_line(a, a), "parts of the same body"),
        (lambda m, a, b: m.weld(m.ground, m.add_frame("wall", fixed=True)), "both fixed in space"),
        (lambda m, a, b: m.distance(a, b), "start at the same point"),
        (lambda m, a, b: m.distance(a, b, -1.0), "distance is -1; it must be positive"),
        (lambda m, a, b: m.lock(a, b, "angel"), "coordinate is 'angel'; choose one of 'x', 'y', 'z', 'position'"),
        (lambda m, a, b: m.lock(a, b, "x", np.nan), "value is nan"),
        (lambda m, a, b: m.weld(fm.SpatialModel("other").ground, b), "belongs to model 'other'"),
        (lambda m, a, b: m.weld("a", b), "'a' is not a frame"),
        (
            lambda m, a, b: m.add(fm.planar.Weld(a, b, name="flat")),
            "Weld is of the plane, and model 'spherical' is one of space",
        ),
        (
            lambda m, a, b: fm.PlanarModel("p").add(fm.spatial.Weld(a, b, name="w")),
            "'b.bt'|belongs to model 'spherical'",
        ),
    ],
)
def test_what_cannot_be_right_is_refused(make, message):
    m, _, a, b = jointed("spherical", 1)
    with pytest.raises(fm.errors.ModelError, match=message):
        make(m, a, b)


def test_a_joint_of_space_is_refused_in_the_plane():
    plane = fm.PlanarModel("plane")
    body = plane.add_body("body", mass=1.0, inertia=0.1)
    with pytest.raises(fm.errors.ModelError, match="Weld is of space, and model 'plane' is one of the plane"):
        plane.add(fm.spatial.Weld(plane.ground, body.frame, name="weld"))


def test_welds_that_contradict_each_other_are_named():
    m = fm.SpatialModel("bent")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.weld(m.ground, body.frame, name="first")
    m.weld(m.ground, body.attach("end", (1.0, 0.0, 0.0)), name="second")
    message = r"joint 'second' \(row x\) with joint 'first'.*off by 1: they contradict each other|'second' \(row x\)"
    with pytest.raises(fm.errors.RedundancyError, match=message):
        fm.simulate(m, 0.1, progress=False)
