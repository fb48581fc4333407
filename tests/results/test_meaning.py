"""A name means the same to all who take names: 'b.x' is the place of the frame b, whoever is asked."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.algebra.factors import dense
from flexmb.analyses.linear.outputs import Outputs
from flexmb.errors import NamingError
from flexmb.examples import robots
from tests.results.frames_by_hand import MECHANISMS, POST, QUANTITIES, Fastened, by_hand

SIDES = pytest.mark.parametrize("side", ["plane", "space"])
#: an interior place of a beam, on which a force acts: it has no coordinates of its own
INSIDE = "rod@0.3"
STEP, END = 5e-3, 0.03
NO_TURN = Rotation.identity()


@cache
def ran(side: str) -> tuple[fm.System, fm.Solution]:
    model = MECHANISMS[side][0]()
    return fm.System(model), fm.simulate(model, END, step=STEP, progress=False)


def every(side: str) -> list[tuple[str, str]]:
    """All frames with all quantities."""
    return [(name, what) for name in MECHANISMS[side][1] for what in QUANTITIES[2 if side == "plane" else 3]]


def at_hand(side: str, system: fm.System, q: Any, v: Any = None, a: Any = None) -> dict[str, float]:
    """All quantities of all frames by hand, by their names."""
    found = {}
    for name, spot in MECHANISMS[side][1].items():
        found |= {f"{name}.{what}": value for what, value in by_hand(system, spot, q, v, a).items()}
    return found


def of(side: str, values: dict[str, float]) -> np.ndarray:
    return np.array([values[f"{name}.{what}"] for name, what in every(side)])


@SIDES
def test_solutions_states_tables_and_files_know_a_frame_by_its_name(side, tmp_path):
    system, run = ran(side)
    hand = np.array([of(side, at_hand(side, system, *x)) for x in zip(run.q, run.v, run.a)])
    names = [f"{name}.{what}" for name, what in every(side)]
    state = fm.simulate(run.model, END, initial=run, t_start=END - 1e-9, times=[END], progress=False)
    filed = fm.load(run.save(tmp_path / "run.h5"))
    table, path = run.to_dict(names), run.to_csv(tmp_path / "run.csv", names)
    written = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:]
    for k, name in enumerate(names):
        for values in (run[name], filed[name], table[name], run.at(run.t)[name], written[:, k]):
            np.testing.assert_allclose(values, hand[:, k], rtol=1e-11, atol=1e-11, err_msg=name)
        head, _, what = name.rpartition(".")
        if not what.startswith("rotation"):
            np.testing.assert_array_equal(getattr(run[head], what), run[name])
    still = at_hand(side, system, state.q[-1], state.v[-1], state.a[-1])
    np.testing.assert_allclose([state[name][-1] for name in names], of(side, still), rtol=1e-11, atol=1e-11)


@SIDES
def test_a_coordinate_that_is_called_like_a_quantity_is_that_quantity(side):
    _, run = ran(side)
    turning = {"e0", "e1", "e2", "e3"}
    for k, name in enumerate(run.coordinate_names):
        np.testing.assert_array_equal(run.coordinate(name), run.q[:, k])
        head, _, what = name.rpartition(".")
        sign = np.sign(run[f"{head}.e0"] * run.coordinate(f"{head}.e0")) if what in turning else 1.0
        np.testing.assert_allclose(run[name], sign * run.q[:, k], rtol=1e-14, atol=1e-15)
    with pytest.raises(NamingError, match=r"b\.center\.x|tip"):
        run.coordinate("b.x" if side == "space" else "tip.x")


@SIDES
def test_events_happen_where_the_frame_is(side):
    system, run = ran(side)
    build, frames = MECHANISMS[side]
    model, values = build(), {}
    states = [at_hand(side, system, run.q[k], run.v[k], run.a[k]) for k in (3, 4)]
    quantities = ("x", "vy", "ay", "wx" if side == "space" else "angle")
    for k, name in enumerate(frames):
        stiff = frames[name].node == "rod.end"  # whose speeds and turns change much within a step
        for what in quantities if name == "b" else [quantities[0 if stiff else k % 4]]:
            ends = [state[f"{name}.{what}"] for state in states]
            if abs(ends[1] - ends[0]) > 1e-9:
                values[f"{name} {what}"] = f"{name}.{what}", 0.5 * sum(ends)
                model.add_event(fm.crossing(f"{name}.{what}", 0.5 * sum(ends)), fm.Note(), name=f"{name} {what}")
    sensor = fm.control.RangeFinder(model.ground, model.frames["tip"])
    model.add_event(fm.crossing(sensor, 0.1), fm.Note(), name="near")
    events = fm.simulate(model, END, step=STEP, progress=False).events
    assert {event.name for event in events} >= set(values)
    for event in events:
        if event.name in values:
            name, value = values[event.name]
            hand = at_hand(side, system, event.q, event.v, event.a)[name]
            assert hand == pytest.approx(value, rel=1e-8, abs=1e-8), name


@SIDES
def test_sensors_read_the_frame(side):
    """What their compiled readings at the first instant of a controller say, and what they say of a solution."""
    system, run = ran(side)
    model = MECHANISMS[side][0]()
    names = [name for name in MECHANISMS[side][1] if name in model.frames and name != "post"]
    across = {} if side == "plane" else {"direction": "y"}
    sensors, wanted = [], []
    hand = at_hand(side, system, run.q[0], run.v[0], run.a[0])
    axes = "xy" if side == "plane" else "xyz"
    for name in names:
        frame, spot = model.frames[name], MECHANISMS[side][1][name]
        place, speed, change = (np.array([hand[f"{name}.{stem}{x}"] for x in axes]) for stem in ("", "v", "a"))
        if side == "plane":
            along = np.array([np.cos(hand[f"{name}.angle"]), np.sin(hand[f"{name}.angle"])])
        else:
            node = [hand[f"{name}.e{k}"] for k in range(4)]
            along = Rotation.from_quat(node, scalar_first=True).apply((0.0, 1.0, 0.0))
        sensors += [fm.control.RangeFinder(model.frames["post"], frame)]
        sensors += [fm.control.Speedometer(frame, **across), fm.control.Accelerometer(frame, **across)]
        wanted += [np.linalg.norm(place - POST[: len(axes)]), speed @ along, change @ along]
        assert spot.node
    model.add_controller("log", period=STEP, sensors=sensors, commands="push", law=np.zeros((1, len(sensors))).tolist())
    log = fm.simulate(model, END, step=STEP, progress=False).control["log"]
    np.testing.assert_allclose(log.y[0], wanted, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose([sensor.readings(run)[0] for sensor in sensors], wanted, rtol=1e-11, atol=1e-11)


def slopes(side: str, system: fm.System, q: Any, v: Any) -> np.ndarray:
    """Derivatives by hand of all quantities of all frames by positions, along `retract`, and by speeds (p, 2 n)."""
    step, columns = 1e-3, []
    for unit in np.eye(system.n):
        moved = [of(side, at_hand(side, system, system.retract(q, x * step * unit), v)) for x in OFFSETS]
        columns.append(slope(moved, step))
    for unit in np.eye(system.n):
        columns.append(slope([of(side, at_hand(side, system, q, v + x * step * unit)) for x in OFFSETS], step))
    return np.array(columns).T


def without_rates(side: str) -> list[int]:
    """Numbers of the quantities that do not depend on accelerations, and have slopes."""
    return [k for k, (_, what) in enumerate(every(side)) if what[0] != "a" or what == "angle" if what != "speed"]


@SIDES
def test_linear_models_and_inputs_know_a_frame_by_its_name(side):
    model = MECHANISMS[side][0]()
    rest = fm.equilibrium(model)
    system, state = rest.state.system, rest.state
    chosen = without_rates(side)
    names = [".".join(every(side)[k]) for k in chosen]
    forces = [f"{name}.fy" for name in MECHANISMS[side][1] if name not in ("post", "w", "p")]
    linear = fm.linearize(rest, forces, names)
    hand = slopes(side, system, state.q, np.zeros(system.n))[chosen]
    np.testing.assert_allclose(linear.C, hand, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(
        linear.operating_outputs, of(side, at_hand(side, system, state.q))[chosen], rtol=1e-11, atol=1e-11
    )
    # a force has the power F ẏ at any speeds: M B = (∂ẏ/∂v)ᵀ
    by_speed = np.array([hand[names.index(name.replace(".fy", ".vy")), system.n :] for name in forces])
    M = dense(system.mass_matrix(state.t, state.q))
    np.testing.assert_allclose(M @ linear.B[system.n :], by_speed.T, rtol=1e-7, atol=1e-7)
    # C (jω − A)⁻¹ B
    f = np.array([0.3, 2.0])
    response = fm.frequency_response(rest, forces, names, f)
    for k, frequency in enumerate(f):
        inside = np.linalg.solve(2j * np.pi * frequency * np.eye(len(linear.A)) - linear.A, linear.B)
        np.testing.assert_allclose(response.values[k], hand @ inside, rtol=1e-6, atol=1e-9)
    # shapes of modes move frames as small changes of the coordinates do
    found = fm.modes(rest, 2)
    for name in MECHANISMS[side][1]:
        shape = found.shape(1)[name]
        moved = [hand[names.index(f"{name}.{x}"), : system.n] @ found.shapes[:, 1] for x in "xy"]
        np.testing.assert_allclose(shape[:2], moved, rtol=1e-6, atol=1e-8)


@SIDES
def test_a_force_within_a_beam_is_an_input(side):
    rest = fm.equilibrium(MECHANISMS[side][0]())
    linear = fm.linearize(rest, [f"{INSIDE}.fy", f"{INSIDE}.fx"], [f"{INSIDE}.vy", f"{INSIDE}.vx"])
    system = rest.state.system
    M = dense(system.mass_matrix(rest.state.t, rest.state.q))
    np.testing.assert_allclose(M @ linear.B[system.n :], linear.C[:, system.n :].T, rtol=1e-9, atol=1e-9)


@SIDES
@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_sensitivities_are_those_of_the_frame(side, method):
    build = MECHANISMS[side][0]
    names = [f"{name}.{what}" for name, what in every(side) if name not in ("post", "p")]
    found = fm.sensitivity(build, {"push": 1.0}, END, final=names, step=STEP, derivatives=method)
    ends, h = [], 1e-3
    for x in OFFSETS:
        model = build(1.0 + x * h)
        run = fm.simulate(model, END, step=STEP, newton_tolerance=1e-13, progress=False)
        hand = at_hand(side, fm.System(model), run.q[-1], run.v[-1], run.a[-1])
        ends.append(np.array([hand[name] for name in names]))
    np.testing.assert_allclose(found.matrix[:, 0], slope(ends, h), rtol=1e-5, atol=1e-5)


@SIDES
def test_static_sensitivities_load_paths_and_slow_motions_are_those_of_the_frame(side):
    build, frames = MECHANISMS[side]
    names = [f"{name}.{what}" for name in frames for what in ("x", "y")]
    found = fm.static_sensitivity(build, {"push": 1.0}, names)
    rests, h = [], 1e-3
    for x in OFFSETS:
        rest = fm.equilibrium(build(1.0 + x * h))
        hand = at_hand(side, rest.state.system, rest.state.q)
        np.testing.assert_allclose([rest[name] for name in names], [hand[name] for name in names], rtol=1e-11)
        rests.append(np.array([hand[name] for name in names]))
    np.testing.assert_allclose(found.matrix[:, 0], slope(rests, h), rtol=1e-6, atol=1e-9)
    path = fm.equilibrium_path(build(), loads=["push"], factor=1.5, stability=False)
    slow = fm.quasi_static(build(), 0.1, steps=1)
    for solution in (path.solution, slow):
        hand = at_hand(side, fm.System(build()), solution.q[-1])
        np.testing.assert_allclose([solution[name][-1] for name in names], [hand[name] for name in names], rtol=1e-11)
    np.testing.assert_array_equal(path["tip.x"], path.solution["tip.x"])


def test_a_driven_body_is_where_its_frame_is():
    """A body about a hinge at its frame, with its mass center beside it: kinematics, and what may be held."""
    m = fm.SpatialModel("arm")
    arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1), center=(0.5, 0, 0), position=(0, 1.0, 0))
    hinge = m.revolute(m.ground, arm.attach("pin", (0, -1.0, 0)), axis="z")
    m.drive_joint(hinge, fm.Polynomial([0.0, 2.0]))
    turn = fm.kinematics(m, 1.0, steps=4)
    angle = 2.0 * turn.t
    np.testing.assert_allclose(turn["arm.x"], -np.sin(angle), atol=1e-12)
    np.testing.assert_allclose(turn["arm.center.x"], -np.sin(angle) + 0.5 * np.cos(angle), atol=1e-12)
    np.testing.assert_allclose(turn["arm.vx"], -2.0 * np.cos(angle), atol=1e-12)
    with pytest.raises(NamingError, match=r"'arm\.x' is no coordinate.*keep 'arm\.center\.x'"):
        fm.assemble(m, keep=["arm.x"])


def test_links_of_a_robot_are_where_their_joints_are():
    pytest.importorskip("yourdfpy")
    rates = {"joint1": 0.5, "joint2": -1.0, "joint4": 2.0}

    def robot() -> Any:
        return fm.read_urdf(robots.folder() / "arm.urdf", positions={"joint2": 0.5}, rates=rates, meshes=False)

    model = robot()
    system = fm.System(model)
    run = fm.simulate(model, END, step=STEP, progress=False)
    spots = {}
    for name, link in model.links.items():
        if f"{name}.center" in model.frames and not link.node.fixed:
            spots[name] = Fastened(f"{name}.center", -model.frames[f"{name}.center"].offset + link.offset, NO_TURN)
    assert "link3" in spots and np.linalg.norm(spots["link3"].offset) > 0.01
    names = [f"{name}.{what}" for name in spots for what in ("z", "vx", "wy")]
    hands = [{name: by_hand(system, spots[name], *x) for name in spots} for x in zip(run.q, run.v, run.a)]
    for k, hand in enumerate(hands):
        for name in names:
            head, _, what = name.rpartition(".")
            assert run[name][k] == pytest.approx(hand[head][what], rel=1e-11, abs=1e-11)
    model = robot()
    value = 0.5 * (hands[2]["link3"]["vx"] + hands[3]["link3"]["vx"])
    model.add_event(fm.crossing("link3.vx", value), fm.Note(), name="fast")
    event = fm.simulate(model, END, step=STEP, progress=False).events[0]
    assert by_hand(system, spots["link3"], event.q, event.v)["vx"] == pytest.approx(value, rel=1e-9, abs=1e-9)
    state = fm.State(system, 0.0, run.q[-1], run.v[-1], run.a[-1], np.zeros(system.m))
    derivatives = Outputs(system, names).derivatives(state)
    for j, unit in enumerate(np.eye(system.n)):
        rows = []
        for x in OFFSETS:
            q = system.retract(run.q[-1], 1e-3 * x * unit)
            found = {name: by_hand(system, spots[name], q, run.v[-1]) for name in spots}
            rows.append(np.array([found[name.rpartition(".")[0]][name.rpartition(".")[2]] for name in names]))
        np.testing.assert_allclose(derivatives.q[:, j], slope(rows, 1e-3), rtol=1e-7, atol=1e-7)


def test_pictures_and_studies_show_the_frame():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    system, run = ran("space")
    hand = [at_hand("space", system, *x)["b.z"] for x in zip(run.q, run.v, run.a)]
    line = run.plot("b.z").axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), hand, rtol=1e-12)
    study = fm.study(end_of_b, fm.grid(push=[1.0]), workers=0, progress=False)
    np.testing.assert_allclose(study["z"], hand[-1:], rtol=1e-12)


def end_of_b(push: float) -> dict[str, float]:
    run = fm.simulate(MECHANISMS["space"][0](push), END, step=STEP, progress=False)
    return {"z": float(run["b.z"][-1])}
