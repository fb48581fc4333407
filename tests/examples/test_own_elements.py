"""A user's own elements: the examples and their page, copied elsewhere; forces in plain Python."""

from __future__ import annotations

import math
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmb as fm
from flexmb import testing
from flexmb.errors import DivergenceWarning, KernelError, ModelError
from flexmb.examples import own_elements
from flexmb.examples.own_elements import RADIUS, Rolling, Rope, Wall
from flexmb.solvers.methods.registry import METHODS

FOLDER = Path(own_elements.__file__).parent
EXPLICIT = {"rkf45": {"step": 1e-3}, "euler": {"step": 1e-3}, "newmark": {"step": 2e-3, "beta": 0.26}}


def pair() -> tuple[fm.PlanarModel, fm.planar.Frame, fm.planar.Frame]:
    m = fm.PlanarModel("pair", gravity=(0.3, -9.81))
    a = m.add_body("a", mass=1.0, inertia=0.1, position=(1.0, 0.2), angle=0.3)
    b = m.add_body("b", mass=2.0, inertia=0.2, position=(3.0, 0.7), angle=0.1)
    return m, a.attach("p", (0.2, 0.1), 0.4), b.attach("r", (-0.2, 0.3), 0.1)


def test_space_refuses_what_is_of_the_plane():
    m = fm.SpatialModel("hall", gravity=(0.0, 0.0, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 1.0))
    for own in (
        Wall(ball.frame, 0.1, (0, 0), (0, 1), 1e5, name="own"),
        Rope(m.ground, ball.frame, 1.5, 100.0, 0.1, name="own"),
    ):
        with pytest.raises(
            ModelError, match=r"'own': .* is of the plane.* a class of your own for space says dimension = 3"
        ):
            m.add(own)


# -- conformance -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("segments", [1, 4])
@pytest.mark.parametrize("length", [0.8, 3.0])  # taut, slack
def test_rope_conforms(segments, length):
    m, a, b = pair()
    rope = m.add(Rope(a, b, length, EA=1e3, rhoA=0.5, segments=segments, name="rope"))
    rope.points = np.linspace(a.position, b.position, segments + 1)[1:-1]  # far from the state in which it gets taut
    testing.conformance(rope)
    testing.check_system(m)


def test_rolling_conforms():
    m, a, b = pair()
    testing.conformance(m.add(Rolling(a, b, 0.4, name="roll")))
    testing.check_system(m)


@pytest.mark.parametrize(("depth", "damping"), [(0.1, 0.0), (0.1, 0.05), (-0.6, 0.05)])
def test_wall_conforms(depth, damping):
    m, a, _ = pair()
    normal = np.array([0.6, 0.8])
    wall = m.add(Wall(a, 0.4, a.position - (0.4 - depth) * normal, normal, 1e3, damping, name="wall"))
    testing.conformance(wall)
    testing.check_system(m)


def one(t, x, v):
    return (
        -3 * x[0] * math.cos(x[2]) - 0.5 * v[0] * v[2],
        2 * x[1] * x[0] - v[1] * abs(v[1]),
        math.sin(x[2] + t) - v[2] ** 3,
    )


def two(t, x, v):
    fx = 10.0 * (x[1][0] - x[0][0]) + 0.3 * (v[1][0] - v[0][0]) * x[1][2]
    fy = 10.0 * (x[1][1] - x[0][1])
    turn = math.sin(x[0][2] - x[1][2])
    return (fx, fy, -turn), (-fx, -fy, turn)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("function", [one, two])
def test_python_force_conforms(function, compiled):
    m, a, b = pair()
    testing.conformance(m.python_force(a if function is one else [a, b], function, compiled=compiled))
    testing.check_system(m)


def test_python_force_with_its_derivative_conforms():
    def force(t, x, v):
        return -3.0 * x[0] ** 2, -0.5 * v[1], x[0] * v[2]

    def derivative(t, x, v):
        return [[-6 * x[0], 0, 0], [0, 0, 0], [v[2], 0, 0]], [[0, 0, 0], [0, -0.5, 0], [0, 0, x[0]]]

    m, a, _ = pair()
    testing.conformance(m.python_force(a, force, derivative=derivative), tol=1e-9)


# -- mechanics ---------------------------------------------------------------------------------------------------


def test_wheel_rolls_down_a_slope():
    """A full cylinder without slip falls with two thirds of g sin(slope)."""
    slope, R = 0.3, 0.2
    m = fm.PlanarModel("slope", gravity=(0.0, -9.81))
    track = m.ground.attach("track", (0.0, 0.0), -slope)
    start = R * np.array([math.sin(slope), math.cos(slope)])
    wheel = m.add_body("wheel", mass=3.0, inertia=0.5 * 3.0 * R**2, position=tuple(start))
    m.add(Rolling(track, wheel.frame, R, name="rolls"))
    run = fm.simulate(m, 1.0, step=1e-2, progress=False)
    way = 0.5 * 2.0 / 3.0 * 9.81 * math.sin(slope)
    np.testing.assert_allclose(
        run["wheel"].position[-1] - start, way * np.array([math.cos(slope), -math.sin(slope)]), rtol=1e-9
    )
    assert run["wheel"].angle[-1] == pytest.approx(-way / R, rel=1e-9)
    assert -run.multipliers_of("rolls")[-1, 1] == pytest.approx(3.0 * 9.81 * math.cos(slope), rel=1e-8)


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_ball_rebounds_by_the_closed_form_of_hunt_and_crossley(damping):
    speed = 2.0
    m = fm.PlanarModel("rebound")
    ball = m.add_body("ball", mass=0.7, inertia=0.1, position=(0.5, 0.0))
    ball.move((-speed, 0.0))
    m.add(Wall(ball.frame, 0.2, (0.0, 0.0), (2.0, 0.0), 1e5, damping, name="wall"))
    run = fm.simulate(m, 0.5, "projection", tolerance=1e-11, absolute_tolerance=1e-12, max_step=2e-3, progress=False)
    gone = damping * speed - math.log1p(damping * speed)
    back = brentq(lambda u: -damping * u - math.log1p(-damping * u) - gone, 0.1, speed) if damping else speed
    assert run["ball.vx"][-1] == pytest.approx(back, rel=1e-7)


def test_slack_rope_hangs_as_a_catenary():
    """The lowest point of a slack rope that does not stretch, by the closed form of the catenary."""
    m = fm.PlanarModel("chain", gravity=(0.0, -9.81))
    rope = m.add(Rope(m.ground, m.ground.attach("b", (1.0, 0.0)), 1.5, EA=1e6, rhoA=1.0, segments=60, name="rope"))
    a = brentq(lambda a: 2 * a * math.sinh(0.5 / a) - 1.5, 0.1, 10.0)
    lowest = -a * (math.cosh(0.5 / a) - 1.0)
    system = fm.System(m)
    q, zero = system.q0, np.zeros(system.n)
    damping = 1e6 * np.eye(system.n)
    for _ in range(400):  # Newton's method, held back at first
        r = system.residual(0.0, q, zero, zero)
        K = system.tangent(0.0, q, zero, zero, np.zeros(0), (0.0, 0.0, 1.0))
        q = q - np.linalg.solve((K.toarray() if hasattr(K, "toarray") else K) + damping, r)
        damping *= 0.9
    assert np.abs(system.residual(0.0, q, zero, zero)).max() < 1e-7
    assert q.reshape(-1, 2)[29, 1] == pytest.approx(lowest, rel=1e-3)
    assert rope.rhoA == 1.0


def test_the_mechanism_of_all_keeps_its_energy_balance():
    run = fm.simulate(own_elements.build(compiled=True), 1.6, "generalized_alpha", tolerance=1e-4, progress=False)
    assert run["wheel.x"].min() < own_elements.WALL_AT + RADIUS  # it has met the wall
    assert run["wheel.x"].max() > 1.4  # and the end of the rope
    np.testing.assert_allclose(run["wheel.x"] - run["wheel.x"][0], -RADIUS * run["wheel"].angle, atol=1e-9)
    assert np.ptp(run.energy.balance) < 2e-4


# -- forces in plain Python ---------------------------------------------------------------------------------------


def spring_to(built_in: bool, **options) -> fm.PlanarModel:
    m = fm.PlanarModel("spring", gravity=(0.0, -9.81))
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    tip = body.attach("tip", (0.1, 0.2), 0.3)
    m.distance(m.ground, body.attach("eye", (-0.2, 0.0)), name="rod")
    if built_in:
        m.bushing(m.ground, tip, stiffness=(30.0, 50.0, 4.0), damping=(0.3, 0.5, 0.1))
        return m
    x0, y0, angle = *tip.position, tip.angle

    def pull(t, x, v):
        return (
            -30.0 * (x[0] - x0) - 0.3 * v[0],
            -50.0 * (x[1] - y0) - 0.5 * v[1],
            -4.0 * (x[2] - angle) - 0.1 * v[2],
        )

    m.python_force(tip, pull, **options)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_python_force_is_the_built_in_one(method):
    own = {"generalized_alpha": {"step": 2e-3}, "radau": {"tolerance": 1e-10}, "dop853": {"tolerance": 1e-10}}
    own["rosenbrock"] = {"step": 2e-3}
    options = own.get(method, EXPLICIT.get(method, {"tolerance": 1e-10, "absolute_tolerance": 1e-12}))
    runs = [
        fm.simulate(spring_to(*kind), 0.3, method, progress=False, **options)
        if kind == (True,)
        else fm.simulate(spring_to(False, compiled=kind), 0.3, method, progress=False, **options)
        for kind in ((True,), False, True)
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q[-1], runs[0].q[-1], atol=1e-8)
    # flexmb cannot separate the dissipation of the function from its input
    assert runs[1].energy.dissipated[-1] == 0.0


def test_python_force_is_found_again_in_another_model_and_after_copying():
    import copy

    first, second = spring_to(False), spring_to(False)
    again = copy.deepcopy(first)
    ends = [fm.simulate(m, 0.1, step=1e-2, progress=False).q[-1] for m in (first, second, again, first)]
    assert all(np.array_equal(end, ends[0]) for end in ends)


def pendulum(function, **options) -> fm.PlanarModel:
    m = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.2))
    m.revolute(m.ground, body.attach("eye", (-1.0, -0.2)), name="hinge")
    m.python_force(body.frame, function, name="mine", **options)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_exceptions_name_the_force(method):
    def late(t, x, v):
        if t > 0.1:
            raise LookupError("no such wind")
        return 0.0, 0.0, 0.0

    with pytest.raises(KernelError, match="force 'mine': its function raised LookupError: no such wind") as caught:
        fm.simulate(pendulum(late), 0.5, method, progress=False, **EXPLICIT.get(method, {}))
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_nan_on_the_way_names_the_force_and_keeps_the_steps(method, compiled):
    def nan_behind(t, x, v):
        return (math.nan if x[2] < -0.2 else 0.0), 0.0, 0.0

    with pytest.warns(
        DivergenceWarning, match=r"force 'mine': its (residual|tangent) gives nan.*body\.angle = -0\.[1-9]"
    ):
        run = fm.simulate(
            pendulum(nan_behind, compiled=compiled), 0.5, method, progress=False, **EXPLICIT.get(method, {})
        )
    assert run.status == "diverged" and len(run.t) > 1 and np.all(np.isfinite(run.q))


def test_ctrl_c_in_a_python_force_interrupts_the_run():
    def stopped(t, x, v):
        if t > 0.1:
            raise KeyboardInterrupt
        return 0.0, 0.0, 0.0

    run = fm.simulate(pendulum(stopped), 0.5, progress=False)
    assert run.status == "interrupted" and 0.0 < run.t[-1] <= 0.1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, x, v: None, r"gave None; give three numbers \(fx, fy, moment\)"),
        (lambda t, x, v: (1.0, 2.0), r"gave \(1.0, 2.0\); give three numbers"),
        (lambda t, x, v: (1.0, 2.0, "much"), "give three numbers"),
        (lambda t, x: (0.0, 0.0, 0.0), "raised TypeError.*takes 2 positional arguments"),
        (
            lambda t, x, v: (math.inf, 0.0, 0.0),
            r"'swing': force 'mine': its residual gives -inf \[body.x\].*at the start",
        ),
    ],
)
def test_bad_values_of_a_python_force(function, message):
    with pytest.raises(KernelError, match=message):
        fm.simulate(pendulum(function), 0.5, progress=False)


def test_bad_arguments_of_a_python_force():
    m, a, _ = pair()
    with pytest.raises(ModelError, match="'x' is no function"):
        m.python_force(a, "x")
    with pytest.raises(ModelError, match="fixed"):
        m.python_force(m.ground, one)
    with pytest.raises(ModelError, match="not a frame"):
        m.python_force(m, one)
    with pytest.raises(ModelError, match="no frame"):
        m.python_force([], one)
    with pytest.raises(ModelError, match="derivative"):
        m.python_force(a, one, derivative=one, compiled=True)
    with pytest.raises(KernelError, match=r"Numba cannot compile its function: Unknown attribute 'foo'"):
        m.python_force(a, lambda t, x, v: x[0].foo, compiled=True)


# -- elsewhere ---------------------------------------------------------------------------------------------------


def test_the_page_runs(tmp_path, capsys):
    """The code of each section of the page is a complete file."""
    sections = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n## ")
    codes = ["\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL)) for section in sections]
    pages = [code for code in codes if code]
    assert len(pages) == 4
    for k, code in enumerate(pages):
        page = tmp_path / f"page{k}.py"
        page.write_text(code, encoding="utf-8")
        runpy.run_path(str(page), run_name="page")
    place, *rest = capsys.readouterr().out.splitlines()
    x, y = (float(number) for number in place.strip("[]").split())
    # drag 0.4 |v| v per mass, by a separate integration
    from scipy.integrate import solve_ivp

    def rate(t, s):
        speed = math.hypot(s[2], s[3])
        return [s[2], s[3], -0.4 * speed * s[2], -0.4 * speed * s[3] - 9.81]

    end = solve_ivp(rate, (0.0, 1.0), [0.0, 0.0, 10.0, 10.0], rtol=1e-10, atol=1e-12).y[:, -1]
    assert (x, y) == pytest.approx((end[0], end[1]), abs=1e-4)
    assert "'test': finished" in rest[0]
    assert any("'bowl': finished" in line for line in rest)
    assert rest[-1].split() == ["7", "6", "[", "0.e+00", "-2.e-05", "0.e+00]"]  # B × u


def test_copied_files_run_from_anywhere(tmp_path):
    for name in ("rope", "rolling", "wall"):
        shutil.copy(FOLDER / f"{name}.py", tmp_path)
    (tmp_path / "use.py").write_text(
        "import flexmb as fm\n"
        "from rolling import Rolling\nfrom rope import Rope\nfrom wall import Wall\n"
        "m = fm.PlanarModel('m', gravity=(0, -9.81))\n"
        "wheel = m.add_body('wheel', mass=1.0, inertia=0.1, position=(0.5, 0.25))\n"
        "wheel.move((-1.0, 0.0), 4.0)\n"
        "m.add(Rolling(m.ground, wheel.frame, 0.25))\n"
        "m.add(Rope(m.ground.attach('post', (0, 1)), wheel.frame, 1.2, 1e3, 0.2))\n"
        "m.add(Wall(wheel.frame, 0.25, (0.1, 0), (1, 0), 1e4, 0.1))\n"
        "run = fm.simulate(m, 0.2, step=1e-3, progress=False)\n"
        "print(run.status, Rolling.__module__, flush=True)\n"
    )
    result = subprocess.run([sys.executable, "use.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["finished", "rolling"]


def test_the_page_has_the_whole_contract():
    """Every public attribute of a component stands on the page, and nothing else."""
    text = (Path(own_elements.__file__).parent / "README.md").read_text(encoding="utf-8")
    page = text.partition("## The contract on one page")[2].partition("\n## ")[0]
    first = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    told = {name for cell in first for name in re.findall(r"`(\w+)", cell)}
    assert told == {name for name in dir(fm.Component) if not name.startswith("_")} - {"name"}
