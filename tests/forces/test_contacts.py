"""Contacts in the plane and in space: bounces, rest, sliding and rolling, cylinders, results and files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.forces.contact_law import damping_number

G = 9.81
METHODS = ["generalized_alpha", "radau", "independent", "baumgarte", "projection", "dop853", "rosenbrock"]


def ball(space: bool, height: float, stiffness: float = 1e6, **contact: Any) -> fm.PlanarModel | fm.SpatialModel:
    """A ball of 1 kg and 0.2 m diameter, so high above a floor."""
    if space:
        m = fm.SpatialModel("ball", gravity=(0, 0, -G))
        body = m.add_body("ball", mass=1.0, inertia=(4e-3,) * 3, position=(0, 0, height + 0.1))
        m.contact(
            m.ground,
            body.frame,
            fm.HalfSpace("z"),
            fm.Sphere(diameter=0.2),
            stiffness=stiffness,
            name="floor",
            **contact,
        )
        return m
    p = fm.PlanarModel("ball", gravity=(0, -G))
    body = p.add_body("ball", mass=1.0, inertia=4e-3, position=(0, height + 0.1))
    p.contact(
        p.ground, body.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), stiffness=stiffness, name="floor", **contact
    )
    return p


def falls(k: float, d: float, height: float, t_end: float) -> np.ndarray:
    """Height and speed of the ball at the end, by an integration of the law that ends steps at each touch."""
    t, y, above = 0.0, [height, 0.0], True

    def law(t: float, y: np.ndarray) -> list[float]:
        depth = 0.0 if above else max(-y[0], 0.0)
        return [y[1], -G + k * depth**1.5 * max(0.0, 1.0 - d * y[1])]

    def touch(t: float, y: np.ndarray) -> float:
        return float(y[0])

    touch.terminal = True  # type: ignore[attr-defined]
    while t < t_end:
        touch.direction = -1.0 if above else 1.0  # type: ignore[attr-defined]
        run = solve_ivp(law, (t, t_end), y, method="DOP853", rtol=1e-12, atol=1e-15, events=touch)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 1:
            y, above = [0.0, y[1]], not above
    return np.asarray(y)


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_with_default_settings(method: str, space: bool) -> None:
    speed = math.sqrt(2 * G * 0.5)
    m = ball(space, 0.5, restitution=0.8, impact_speed=speed)
    solution = fm.simulate(m, 1.3, method=method, progress=False)
    height, rate = falls(1e6, damping_number(0.8) / speed, 0.5, 1.3)
    track = solution["ball"]
    assert track.position[-1, -1] - 0.1 == pytest.approx(height, abs=3e-4)
    assert track.velocity[-1, -1] == pytest.approx(rate, abs=1e-3)
    assert solution.trustworthy
    assert len(solution) < 1500
    assert solution.energy.error < 2e-3


@pytest.mark.warns(fm.errors.AccuracyWarning, "the shapes overlap by up to")
def test_stiff_and_soft_floors_with_default_settings() -> None:
    for stiffness in (1e3, 1e5, 1e8, 1e11):
        m = ball(False, 0.5, stiffness, damping=0.1)
        solution = fm.simulate(m, 1.0, progress=False)
        height, _ = falls(stiffness, 0.1, 0.5, 1.0)
        assert solution["ball"].y[-1] - 0.1 == pytest.approx(height, abs=2e-4), stiffness


@pytest.mark.warns(fm.errors.AccuracyWarning, "the shapes overlap by up to")
def test_an_overlap_that_is_large_is_a_doubt() -> None:
    solution = fm.simulate(ball(False, 0.5, 1e3, damping=0.1), 0.6, progress=False)
    assert not solution.trustworthy
    assert any("contact 'floor': the shapes overlap by up to 0.1" in doubt for doubt in solution.doubts)


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_steps_that_are_too_coarse_are_a_doubt() -> None:
    m = ball(False, 0.5, 1e8, damping=0.1)
    with pytest.warns(fm.errors.AccuracyWarning, match=r"contact 'floor' touches for [12] steps at t = 0\.3"):
        solution = fm.simulate(m, 1.0, step=5e-3, progress=False)
    assert not solution.trustworthy
    for method in ("generalized_alpha", "rkf45"):
        assert fm.simulate(m, 1.0, step=2e-5, method=method, progress=False).trustworthy
    resting = fm.simulate(ball(False, -((G / 1e6) ** (1 / 1.5)), damping=0.1), 1.0, step=5e-3, progress=False)
    assert resting.trustworthy


def guided(space: bool, height: float) -> fm.PlanarModel | fm.SpatialModel:
    """The ball on an upright guide."""
    m = ball(space, height, damping=0.5)
    m.prismatic(m.ground, m.components["ball"].frame, axis="z" if space else 0.5 * math.pi)
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("start", [-1e-3, 0.2])
def test_a_ball_at_rest_sinks_to_its_weight_and_vibrates_about_that(space: bool, start: float) -> None:
    rest = fm.equilibrium(guided(space, start))
    depth = (G / 1e6) ** (1 / 1.5)
    assert rest["ball"].position[-1] == pytest.approx(0.1 - depth, rel=1e-9)
    omega = math.sqrt(1.5 * 1e6 * math.sqrt(depth))
    assert fm.modes(rest).frequencies[0] == pytest.approx(omega / (2 * math.pi), rel=1e-6)
    # F = k δⁿ (1 + d δ̇): the damper is d m g
    found = fm.complex_modes(rest)
    assert found.damping[0] == pytest.approx(0.5 * G / (2 * omega), rel=1e-6)


def test_a_ball_on_a_floor_has_no_equilibrium_along_it() -> None:
    with pytest.raises(fm.errors.EquilibriumError, match="'ball' moves along x"):
        fm.equilibrium(ball(False, -1e-3, friction=0.3))


@pytest.mark.parametrize("space", [False, True])
def test_a_ball_that_slides_comes_to_roll(space: bool) -> None:
    """It rolls at 5/7 of its speed (a ball) after the time 2 v/(7 μ g)."""
    speed, mu = 1.4, 0.2
    depth = (G / 1e6) ** (1 / 1.5)
    m = ball(space, -depth, damping=1.0, friction=fm.JointFriction(mu, smoothing=1e-4))
    m.components["ball"].frame.move((speed, 0, 0) if space else (speed, 0))
    solution = fm.simulate(m, 0.4, progress=False, times=np.linspace(0.0, 0.4, 81))
    track = solution["ball"]
    slides = 2.0 * speed / (7.0 * mu * G)
    expected = np.where(solution.t < slides, speed - mu * G * solution.t, 5.0 / 7.0 * speed)
    assert track.velocity[:, 0] == pytest.approx(expected, abs=2e-3)
    spin = track.angular_velocity[-1, 1] if space else -track.angular_velocity[-1]
    assert spin * 0.1 == pytest.approx(5.0 / 7.0 * speed, rel=1e-3)
    floor = solution["floor"]
    assert floor.normal_force[:10] == pytest.approx(G, rel=1e-3)
    assert floor.friction_force[1:10] == pytest.approx(mu * G, rel=1e-3)
    assert floor.force[5, 0] < 0.0


def test_results_and_files(tmp_path: Path) -> None:
    for space in (False, True):
        m = ball(space, 0.05, damping=0.1, friction=fm.JointFriction(0.3, smoothing=0.05))
        m.components["ball"].frame.move((0.5, 0, 0) if space else (0.5, 0))
        solution = fm.simulate(m, 0.12, progress=False)
        floor = solution["floor"]
        track = solution["ball"]
        assert isinstance(floor, fm.ContactTrack)
        assert floor.gap == pytest.approx(track.position[:, -1] - 0.1, abs=1e-15)
        weight = np.zeros(3 if space else 2)
        weight[-1] = -G
        assert floor.force == pytest.approx(track.acceleration - weight, abs=1e-4 * np.max(floor.normal_force))
        assert np.any(floor.touching) and not np.all(floor.touching)
        assert solution["floor.normal_force"] == pytest.approx(floor.normal_force)
        assert solution.series("floor.gap").unit == "m"
        loaded = fm.load(solution.save(tmp_path / "run.h5"))
        assert loaded["floor"].force == pytest.approx(floor.force)
        assert loaded["floor.friction_force"] == pytest.approx(floor.friction_force)
        with pytest.raises(fm.errors.NamingError, match=r"floor\.normal_force"):
            solution["floor.normal"]


def test_a_contact_may_be_given_either_way_round() -> None:
    m = ball(False, 0.05, damping=0.1, friction=0.3)
    m.components["ball"].frame.move((0.5, 0), 3.0)
    other = fm.PlanarModel("ball", gravity=(0, -G))
    body = other.add_body("ball", mass=1.0, inertia=4e-3, position=(0, 0.15))
    body.frame.move((0.5, 0), 3.0)
    other.contact(
        body.frame, other.ground, fm.Disk(diameter=0.2), fm.HalfPlane("y"),
        stiffness=1e6, damping=0.1, friction=0.3, name="floor",
    )  # fmt: skip
    one, two = (fm.simulate(model, 0.2, progress=False) for model in (m, other))
    assert one.q[-1] == pytest.approx(two.q[-1], abs=2e-6)
    assert np.max(one["floor"].normal_force) == pytest.approx(np.max(two["floor"].normal_force), rel=1e-3)
    assert one["floor"].normal[0].tolist() == [0.0, 1.0] and two["floor"].normal[0].tolist() == [0.0, -1.0]
    assert np.min(one["floor"].fy) == 0.0 and np.max(two["floor"].fy) == 0.0


def test_two_free_bodies_keep_their_momentum() -> None:
    m = fm.SpatialModel("pair")
    rng = np.random.default_rng(3)
    for k, x in enumerate((-0.2, 0.2)):
        body = m.add_body(
            f"ball {k}", shape=fm.Sphere(diameter=0.2), density=1000.0 * (1 + k), position=(x, 0.05 * k, 0.02 * k)
        )
        body.frame.move((-10.0 * x, 0, 0), rng.normal(size=3) * 20.0)
    frames = [m.components[f"ball {k}"].frame for k in range(2)]
    m.contact(
        *frames,
        fm.Sphere(diameter=0.2),
        fm.Sphere(diameter=0.2),
        stiffness=1e8,
        damping=0.05,
        friction=0.4,
        name="touch",
    )
    solution = fm.simulate(m, 0.2, progress=False)
    touch = solution["touch"]
    assert np.any(touch.touching) and not touch.touching[-1]
    momentum, spin = np.zeros((2, 3)), np.zeros((2, 3))
    for k in range(2):
        body, track = m.components[f"ball {k}"], solution[f"ball {k}"]
        for row, at in enumerate((0, -1)):
            p = body.mass * track.velocity[at]
            momentum[row] += p
            spin[row] += np.cross(track.position[at], p) + body.mass * 0.1**2 * 0.4 * track.angular_velocity[at]
    assert momentum[1] == pytest.approx(momentum[0], abs=1e-9 * 20)
    assert spin[1] == pytest.approx(spin[0], abs=2e-5)
    assert solution.energy.error < 1e-3


def test_a_cylinder_rolls_on_its_side_and_stands_on_its_end() -> None:
    m = fm.SpatialModel("cylinders", gravity=(0, 0, -G))
    can = fm.Cylinder(diameter=0.2, length=0.3, axis="y")
    floor = {"stiffness": 1e6, "damping": 1.0, "friction": fm.JointFriction(0.5, smoothing=1e-4)}
    depth = (0.5 * G / 1e6) ** (1 / 1.5)
    lying = m.add_body("lying", mass=1.0, inertia=(0.01, 0.005, 0.01), position=(0, 0, 0.1 - depth))
    lying.frame.move((1.0, 0, 0), (0, 10.0, 0))
    m.contact(m.ground, lying.frame, fm.HalfSpace("z"), can, name="lies", **floor)
    standing = m.add_body("standing", mass=1.0, inertia=(0.01, 0.01, 0.005), position=(0, 1, 0.1505))
    m.contact(
        m.ground, standing.frame, fm.HalfSpace("z"), fm.Cylinder(diameter=0.2, length=0.3), name="stands", **floor
    )
    falling = m.add_body("falling", mass=1.0, inertia=(0.01, 0.01, 0.005), position=(0, 2, 0.2),
                         orientation=fm.rotation_vector((0.9, 0, 0)))  # fmt: skip
    m.contact(m.ground, falling.frame, fm.HalfSpace("z"), fm.Cylinder(diameter=0.2, length=0.3), name="falls", **floor)
    solution = fm.simulate(m, 1.0, progress=False)
    # it rolls on the middle between both surfaces, half the overlap above its own edges
    assert solution["lying"].x[-1] == pytest.approx(1.0, rel=1e-3)
    assert solution["lying"].vx[-1] == pytest.approx((0.1 - 0.5 * depth) * solution["lying"].wy[-1], rel=1e-6)
    assert solution["lying"].z == pytest.approx(0.1 - depth, abs=1e-6)
    assert np.max(np.abs(solution["standing"].orientation.as_rotvec())) < 1e-9
    # its end is domed by 3/8 of 0.01 r
    assert solution["standing"].z[-1] == pytest.approx(0.15 + 0.375e-3 - (G / 1e6) ** (1 / 1.5), abs=1e-5)
    # from a tilt beyond the corner it falls onto its side
    assert abs(solution["falling"].orientation.as_matrix()[-1, 2, 2]) < 0.2
    assert solution.trustworthy


def test_a_ball_in_a_hollow_ball_swings() -> None:
    m = fm.PlanarModel("bowl", gravity=(0, -G))
    bob = m.add_body("bob", mass=1.0, inertia=1e-3)
    depth = (G / 1e9) ** (1 / 1.5)
    at = 0.9 + depth
    bob.frame.node.position = at * np.array([math.sin(0.01), -math.cos(0.01)])
    m.contact(
        m.ground, bob.frame, fm.Cavity(diameter=2.0), fm.Disk(diameter=0.2), stiffness=1e9, damping=1.0, name="bowl"
    )
    period = 2 * math.pi * math.sqrt(at / G)
    solution = fm.simulate(m, 2 * period, progress=False)
    assert solution["bob"].x[-1] == pytest.approx(0.01 * at, rel=1e-3)


def test_a_point_of_a_beam_touches_a_peg() -> None:
    m = fm.PlanarModel("beam")
    p = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=0.5)
    rod = m.add_beam("rod", (0, 0), (1, 0), properties=p, elements=2)
    m.weld(m.ground, rod.start)
    m.contact(m.ground, rod.at(0.5), fm.Disk(diameter=0.02, position=(0.5, -0.02)), stiffness=1e7, name="peg")
    m.point_force(rod.end, (0.0, -1.0))
    rest = fm.equilibrium(m)
    # a cantilever with a prop at half its length, deflected by 10 mm there
    a, L, EI, F = 0.5, 1.0, 10.0, 1.0
    prop = (F * a**2 * (3 * L - a) / (6 * EI) - 0.01) * 3 * EI / a**3
    assert rest["rod@0.5"].position[1] == pytest.approx(-0.01, abs=1e-3)
    assert 0.5 * prop < 2.5


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ((fm.Sphere(diameter=0.2), None), "shape_a is a Sphere, a shape of space, and the model is one of the plane"),
        ((fm.HalfPlane("z"), None), "normal is 'z'"),
        ((fm.HalfPlane((0, 0)), None), "no direction"),
        ((fm.HalfPlane(), fm.HalfPlane()), "how a half-space and a half-space touch"),
        ((fm.Cavity(diameter=0.2), fm.Disk(diameter=0.2)), "does not fit"),
        ((None, None), "two points do not touch"),
        (("floor", None), "no shape that can touch"),
    ],
)
def test_shapes_that_cannot_touch_in_the_plane(shapes: tuple[Any, Any], text: str) -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(0, 1))
    with pytest.raises(ModelError, match=text):
        m.contact(m.ground, body.frame, *shapes, stiffness=1e6)


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ((fm.Disk(diameter=0.2), None), "shape_a is a Disk, a shape of the plane, and the model is one of space"),
        ((fm.HalfPlane(), None), "a shape of the plane"),
        ((fm.Box((1, 1, 1)), None), "give the corners of a body by fm.Corners"),
        ((fm.Cylinder(diameter=1, length=1), fm.Cylinder(diameter=1, length=1)), "how a cylinder and a cylinder touch"),
        ((fm.HalfSpace(), fm.HalfSpace()), "how a half-space and a half-space touch"),
        ((fm.Cavity(diameter=0.2), fm.Sphere(diameter=0.3)), "does not fit"),
    ],
)
def test_shapes_that_cannot_touch_in_space(shapes: tuple[Any, Any], text: str) -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1))
    with pytest.raises(ModelError, match=text):
        m.contact(m.ground, body.frame, *shapes, stiffness=1e6)


def test_frames_that_cannot_touch() -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(0, 1))
    wall = m.add_frame("wall", fixed=True)
    with pytest.raises(ModelError, match="both fixed in space"):
        m.contact(m.ground, wall, fm.HalfPlane(), fm.Disk(diameter=1.0), stiffness=1e6)
    with pytest.raises(ModelError, match="parts of the same body"):
        m.contact(
            body.frame, body.frame.attach("tip", (1, 0)), fm.Disk(diameter=1.0), fm.Disk(diameter=1.0), stiffness=1e6
        )


def test_derivatives_are_those_of_whole_runs() -> None:
    def build(k: float, d: float, mu: float, v: float) -> fm.PlanarModel:
        m = fm.PlanarModel("ball", gravity=(0, -G))
        body = m.add_body("ball", mass=1.0, inertia=4e-3, position=(0, 0.15))
        body.frame.move((v, 0))
        rub = fm.JointFriction(mu, smoothing=0.05)
        m.contact(
            m.ground,
            body.frame,
            fm.HalfPlane("y"),
            fm.Disk(diameter=0.2),
            stiffness=k,
            damping=d,
            friction=rub,
            name="floor",
        )
        return m

    at = {"k": 1e5, "d": 0.3, "mu": 0.3, "v": 0.5}
    while_it_touches = ["floor.normal_force", "floor.fx", "floor.slip_speed"]
    for t_end, outputs in ((0.25, ["ball.x", "ball.y", "ball.angle", "floor.gap"]), (0.103, while_it_touches)):
        found = fm.sensitivity(build, at, t_end, final=outputs, step=2e-4)
        for name, value in at.items():
            more, less = (
                fm.simulate(build(**{**at, name: value * x}), t_end, step=2e-4, newton_tolerance=1e-13, progress=False)
                for x in (1.0 + 1e-5, 1.0 - 1e-5)
            )
            for output in outputs:
                measured = (more[output][-1] - less[output][-1]) / (2e-5 * value)
                assert found[output, name] == pytest.approx(measured, rel=1e-5, abs=1e-9 / value), (output, name)
    assert found.values[0] > 1.0
    with pytest.raises(fm.errors.NamingError, match=r"'floor\.moment' is the moment of a touch"):
        fm.sensitivity(build, at, 0.25, final=["floor.moment"], step=2e-4)


def test_a_linear_model_about_a_resting_contact() -> None:
    m = guided(False, -1e-3)
    m.point_force(m.components["ball"].frame, (0, 1.0), factor=0.0, name="push")
    linear = fm.linearize(fm.equilibrium(m), inputs=["push"], outputs=["floor.gap"])
    depth = (G / 1e6) ** (1 / 1.5)
    expected = [[0.0, 1.0], [-1.5e6 * math.sqrt(depth), -0.5 * G]]
    assert linear.A == pytest.approx(np.array(expected), rel=1e-8)
    assert linear.C == pytest.approx(np.array([[1.0, 0.0]]), abs=1e-9)


def test_what_pictures_show() -> None:
    m = ball(False, 0.05, damping=0.1)
    solution = fm.simulate(m, 0.15, progress=False)
    floor = m.components["floor"]
    line, circle, mark = floor.drawn(solution)
    assert line.shape == (2, 2) and np.all(line[:, 1] == 0.0)
    assert circle.shape[::2] == (len(solution), 2) and mark.shape == (len(solution), 2, 2)
    radii = np.linalg.norm(circle - solution["ball"].position[:, None], axis=2)
    assert radii == pytest.approx(0.1)
    (load,) = floor.loads(solution, solution.t, np.ones(len(solution)))
    assert load.forces == pytest.approx(solution["floor"].force)
    s = ball(True, 0.05, damping=0.1)
    solution = fm.simulate(s, 0.15, progress=False)
    square, *circles = s.components["floor"].drawn(solution)
    assert square.shape == (5, 3) and np.ptp(square[:, 0]) >= 0.2
    assert len(circles) == 3


def test_a_contact_that_is_switched_off_does_not_push() -> None:
    m = ball(False, 0.05, damping=0.1)
    m.switch_off(m.components["floor"])
    solution = fm.simulate(m, 0.3, progress=False)
    assert solution["ball"].y[-1] == pytest.approx(0.15 - 0.5 * G * 0.3**2, abs=1e-6)
    assert np.all(solution["floor"].normal_force == 0.0) and np.all(solution["floor"].force == 0.0)
    assert np.min(solution["floor"].gap) < -0.1
