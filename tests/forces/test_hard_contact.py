"""Hard contacts of shapes, in the plane and in space, against closed forms and references by events."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError, SolverError
from flexmb.joints.sticking import BACKWARD, FORWARD, FREE
from flexmb.solvers.events.choosing import Choosing
from flexmb.solvers.events.impacts.collision import Meeting, collide
from flexmb.solvers.events.impacts.coulomb import Problem, lemke, solved
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.events.stated_row import RubbingRow, UnilateralRow
from flexmb.system.system import System
from flexmb.validation.contacts import hard_forms, hard_mechanisms

G = hard_mechanisms.G
quiet: dict[str, Any] = {"progress": False}
#: a run in absolute coordinates and in those of joints, by methods that follow their error, and the error allowed
HOWS: list[tuple[dict[str, Any], float]] = [
    ({"method": "radau", "tolerance": 1e-8}, 1e-7),
    ({"method": "radau", "formulation": "aba", "tolerance": 1e-8}, 1e-7),
    ({"method": "dop853", "tolerance": 1e-8}, 1e-7),
    ({"method": "dop853", "formulation": "aba", "tolerance": 1e-8}, 1e-7),
    ({"method": "rkf45", "tolerance": 1e-8}, 1e-7),
    ({"method": "generalized_alpha", "tolerance": 1e-5}, 1e-4),
]
hows = pytest.mark.parametrize(("how", "allowed"), HOWS)


def ends(run: Any) -> list[float]:
    """The times at which bouncing ends."""
    said = [text for record in run.events for text in record.done if text.startswith("bouncing ends")]
    return [float(text.removeprefix("bouncing ends at t = ").removesuffix(" s")) for text in said]


@hows
def test_a_spinning_disk_bounces_until_it_rolls(how: dict[str, Any], allowed: float) -> None:
    run = fm.simulate(hard_mechanisms.spinning_disk(), 2.5, **how, **quiet)
    speed, spin, place = hard_forms.spinning_disk(1.0, 0.1, 0.6, 0.15, 2.0, 30.0, 2.5)
    behind = run.at([run.events[0].t + 1e-9])
    assert behind["disk.vx"][0] == pytest.approx(speed, abs=1e-12)
    assert behind["disk.angular_velocity"][0] == pytest.approx(spin, abs=1e-11)
    assert run["disk.x"][-1] == pytest.approx(place, abs=0.1 * allowed)
    assert ends(run) == pytest.approx([hard_forms.rest_of_ball(1.0, 0.6)], abs=1e-9)
    # it rolls in the end, whatever the bounces were: x̄' = v₀ − s₀/3
    assert run["disk.vx"][-1] == pytest.approx(2.0 - (2.0 + 3.0) / 3.0, abs=1e-12)
    assert run["floor.slip_speed"][-1] == pytest.approx(0.0, abs=1e-12)
    impulse, moment = run.events[0].impulses["floor"]
    assert impulse == pytest.approx([2.0 * (speed - 2.0), 2.0 * 1.6 * math.sqrt(2.0 * G)], rel=1e-9)
    assert moment == pytest.approx(0.1 * impulse[0], rel=1e-9)
    assert run.energy.error < 1e-9 and run["floor.gap"].min() > -1e-12


@hows
def test_a_double_pendulum_at_its_wall(how: dict[str, Any], allowed: float) -> None:
    run = fm.simulate(hard_mechanisms.double_pendulum(0.8), 2.0, **how, **quiet)
    angles, times, lost = hard_forms.double_pendulum(0.8, -0.2, 2.0)
    assert [record.t for record in run.events] == pytest.approx(times, abs=allowed)
    assert times[0] == pytest.approx(0.6554231297, abs=1e-10)
    assert run.events[0].impulses["wall"][0][0] == pytest.approx(3.7185512, abs=max(1e-6, 10 * allowed))
    assert [run[f"rod {k}.angle"][-1] for k in (1, 2)] == pytest.approx(angles, abs=allowed)
    assert run.events[0].lost == pytest.approx(lost, abs=10.0 * allowed)
    # with friction at the wall
    run = fm.simulate(hard_mechanisms.double_pendulum(0.5, 0.3), 2.0, **how, **quiet)
    rubbed = hard_forms.RUBBED_PENDULUM[2.0]
    assert [run[f"rod {k}.angle"][-1] for k in (1, 2)] == pytest.approx(rubbed, abs=allowed)


@hows
def test_a_box_slides_down_a_slope_and_sticks(how: dict[str, Any], allowed: float) -> None:
    run = fm.simulate(hard_mechanisms.slope(0.3), 2.5, **how, **quiet)
    assert run["box.x"][-1] == pytest.approx(hard_forms.slides_down(0.2, 0.3, 2.0), abs=0.1 * allowed)
    assert [record.done[0].split(" at ")[0] for record in run.events] == ["sticks"]
    floor = run["floor"]
    assert floor.touching.all() and floor.normal_force == pytest.approx(G * math.cos(0.2), rel=1e-9)
    assert floor.friction_force[[0, -1]] == pytest.approx([0.3 * G * math.cos(0.2), G * math.sin(0.2)], rel=1e-8)
    # the force acts where its moment about the mass centre, .1 m above, is none
    assert floor.position[0] == pytest.approx([0.1 * 0.3, 0.0], abs=1e-9)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_the_threshold_of_a_slope(method: str) -> None:
    for part in (1e-9, -1e-9):
        run = fm.simulate(hard_mechanisms.slope(math.tan(0.2) * (1.0 + part), speed=0.0), 1.0, method, **quiet)
        slid = 0.0 if part > 0.0 else 0.5 * G * math.sin(0.2) * 1e-9
        assert run["box.x"][-1] == pytest.approx(slid, abs=1e-15)


def test_a_block_rocks_to_its_rest() -> None:
    run = fm.simulate(hard_mechanisms.block(), 12.5, "dop853", tolerance=1e-8, **quiet)
    first, rest = hard_forms.rocking_block(0.2, 1.0, 0.1)
    assert rest == pytest.approx(12.3118027296, abs=1e-9)
    times = [record.t for record in run.events if record.done[0].startswith("impact")]
    assert times[:3] == pytest.approx([0.4965584599, 1.3585028498, 2.1241174902], abs=1e-9)
    assert times[0] == pytest.approx(first, abs=1e-10)
    assert ends(run) == pytest.approx([rest], abs=1e-8)
    # Housner's ratio of energies
    speeds = [abs(run.at([t + 1e-9])["block.angular_velocity"][0]) for t in times[:3]]
    assert run.at([times[0] - 1e-9])["block.angular_velocity"][0] * (1.0 - 1.5 / 26.0) == pytest.approx(
        math.copysign(speeds[0], run.at([times[0] - 1e-9])["block.angular_velocity"][0]), rel=1e-7
    )
    assert run["block.angle"][-1] == pytest.approx(0.0, abs=1e-9) and run.energy.error < 1e-8


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_wheel_without_a_rim_walks(method: str) -> None:
    speed, period = hard_forms.rimless_wheel(8, 0.5, 0.08)
    assert (speed, period) == pytest.approx((1.2125240413, 0.7364898339), abs=1e-10)
    run = fm.simulate(hard_mechanisms.wheel(speed=speed), 3.0, method, tolerance=1e-8, **quiet)
    times = [record.t for record in run.events if record.done[0].startswith("impact")]
    assert np.diff(times) == pytest.approx(period, abs=1e-7)
    behind = run.at([times[-1] + 1e-9])
    assert behind["wheel.angular_velocity"][0] == pytest.approx(-speed, abs=1e-7)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_rod_wedges_itself(method: str) -> None:
    run = fm.simulate(hard_mechanisms.rod(), 0.01, method, **quiet)
    assert [record.done for record in run.events] == [["impact"], ["closes"], ["sticks"]]
    impulse, _ = run.events[0].impulses["floor"]
    normal, along = hard_forms.wedged_rod(math.pi / 3.0, -3.0)
    # the first step finds it 10 ns behind the start, in which it has fallen by g times that
    assert impulse == pytest.approx([along, normal], abs=G * run.events[0].t) and run.events[0].t < 1e-7
    assert normal == pytest.approx(0.9742785793, abs=1e-10)


@hows
def test_a_gripper_lifts_a_body(how: dict[str, Any], allowed: float) -> None:
    for force, known in ((9.0, -0.0085505735), (7.0, -0.1129890454), (6.0, -0.2378)):
        slipped = hard_forms.held_body(0.5, force, 0.4, hard_mechanisms.LIFT)
        assert slipped == pytest.approx(known, abs=1e-10)
        run = fm.simulate(hard_mechanisms.gripper(force), 0.6, **how, **quiet)
        assert run["body.y"][-1] == pytest.approx(slipped, abs=0.1 * allowed)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_slider_crank_with_clearance(method: str) -> None:
    run = fm.simulate(hard_mechanisms.slider_crank(), 0.04, method, tolerance=1e-8, **quiet)
    angles = [run[f"{name}.angle"][-1] for name in ("crank", "link", "slider")]
    assert angles == pytest.approx(hard_forms.SLIDER_CRANK, abs=1e-7)
    # the slider that turns rattles between two corners until both are struck at once
    run = fm.simulate(hard_mechanisms.slider_crank(-0.01), 0.02, method, tolerance=1e-8, **quiet)
    angles = [run[f"{name}.angle"][-1] for name in ("crank", "link", "slider")]
    assert angles == pytest.approx(hard_forms.TURNED_SLIDER_CRANK, abs=1e-7)


@pytest.mark.parametrize("method", ["radau", "dop853", "generalized_alpha"])
@pytest.mark.parametrize("shape", ["half-space", "sphere", "cavity", "corners"])
def test_shapes_in_space_slide_without_friction(shape: str, method: str) -> None:
    s = fm.SpatialModel("space", gravity=(0, 0, -G))
    ball = s.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.1))
    round_one, e = fm.Sphere(radius=0.1), 0.5
    shapes: dict[str, tuple[Any, Any]] = {
        "half-space": (fm.HalfSpace("z"), round_one),
        "sphere": (fm.Sphere(radius=2.0, position=(0, 0, -2.0)), round_one),
        "cavity": (fm.Cavity(radius=3.0, position=(0, 0, 3.0)), round_one),
        "corners": (fm.HalfSpace("z"), fm.Corners([(0.1, 0.1, -0.1), (0.1, -0.1, -0.1), (-0.2, 0, -0.1)])),
    }
    s.contact(s.ground, ball.frame, *shapes[shape], hard=True, restitution=e, name="floor")
    options = {"tolerance": 1e-6} if method == "generalized_alpha" else {}
    run = fm.simulate(s, 1.8, method, **options, **quiet)
    assert run.events[0].t == pytest.approx(math.sqrt(2.0 / G), abs=1e-9)
    assert ends(run)[0] == pytest.approx(hard_forms.rest_of_ball(1.0, e), abs=1e-8)
    assert sum(record.lost for record in run.events) == pytest.approx(2.0 * G, rel=1e-8)
    assert run["floor.normal_force"][-1] == pytest.approx(2.0 * G, rel=1e-8)
    assert run["floor"].position[-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_disks_strike_as_balls_of_a_row_do(method: str) -> None:
    m = fm.PlanarModel("billiard")
    one = m.add_body("one", mass=1.0, inertia=0.1)
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.0, 0.1))
    one.frame.move(velocity=(2.0, 0.0))
    m.contact(one.frame, two.frame, fm.Disk(radius=0.1), fm.Disk(radius=0.1), hard=True, restitution=1.0, name="pair")
    run = fm.simulate(m, 1.0, method, **quiet)
    # their centres are .1 aside at .2 between them: the normal is turned by 30°, and the part along it changes over
    c, s = math.cos(math.pi / 6.0), math.sin(math.pi / 6.0)
    assert [run["two.vx"][-1], run["two.vy"][-1]] == pytest.approx([2.0 * c * c, 2.0 * c * s], abs=1e-9)
    assert [run["one.vx"][-1], run["one.vy"][-1]] == pytest.approx([2.0 * s * s, -2.0 * c * s], abs=1e-9)


def test_a_point_runs_along_the_wall_of_a_hole() -> None:
    m = fm.PlanarModel("hole", gravity=(0, -G))
    stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.contact(m.ground, stone.frame, fm.Cavity(radius=0.5), hard=True, name="wall")
    run = fm.simulate(m, 1.0, "dop853", tolerance=1e-9, **quiet)
    # a pendulum: v² = 2 g h, and N = m (v²/R + g cos φ)
    down = -run["stone.y"]
    assert run["wall.normal_force"] == pytest.approx(3.0 * G * down / 0.5, abs=1e-6)


def test_files_going_on_events_and_switches(tmp_path: Path) -> None:
    m = hard_mechanisms.spinning_disk()
    run = fm.simulate(m, 2.5, "dop853", **quiet)
    loaded = fm.load(run.save(tmp_path / "disk.h5"))
    assert [record.done for record in loaded.events] == [record.done for record in run.events]
    assert loaded["floor.normal_force"] == pytest.approx(run["floor.normal_force"]) and loaded["floor"].hard
    np.testing.assert_allclose(loaded["floor"].friction_force, run["floor"].friction_force)
    for t in (run.events[1].t, 1.3, 2.0):
        later = fm.simulate(m, 2.5, "dop853", initial=run.at([t]), t_start=t, **quiet)
        assert later["disk.x"][-1] == pytest.approx(run["disk.x"][-1], abs=1e-9)
    # its floor is taken away while it rolls
    m.add_event(2.0, fm.Switch(off="floor"), name="trap")
    m.add_event(fm.crossing("floor.gap", 0.5, "down"), fm.Note(), name="near", once=True)
    run = fm.simulate(m, 2.5, "radau", **quiet)
    assert run["disk.y"][-1] == pytest.approx(0.1 - 0.5 * G * 0.25, abs=1e-9)
    near = next(record.t for record in run.events if record.name == "near")
    assert near == pytest.approx(math.sqrt(1.0 / G), abs=1e-9)


def test_what_a_hard_contact_bears_is_read_by_name() -> None:
    def pushed() -> tuple[fm.PlanarModel, Any]:
        m = fm.PlanarModel("pushed", gravity=(0, -G))
        box = m.add_body("box", mass=2.0, inertia=0.1, position=(0, 0.1))
        m.point_force(box.frame, (4.0, 0.0), factor=fm.Polynomial([0.0, 1.0]))
        return m, box

    m, box = pushed()
    corners = fm.Corners([(-0.2, -0.1), (0.2, -0.1)])
    m.contact(m.ground, box.frame, fm.HalfPlane("y"), corners, hard=True, friction=0.8, name="floor")
    events = {"floor.friction_force": 2.0, "floor.fx": -4.0, "floor.force": math.hypot(2.0 * G, 6.0)}
    for what, value in events.items():
        m.add_event(fm.crossing(what, value), fm.Note(), name=what)
    run = fm.simulate(m, 3.0, "dop853", **quiet)
    assert [record.t for record in run.events if record.name in events] == pytest.approx([0.5, 1.0, 1.5], abs=1e-8)
    assert run["floor.normal_force"] == pytest.approx(2.0 * G, rel=1e-9)
    # the force of the floor, .1 m below the push, passes where its moment is that of the push
    assert run["floor"].position[:, 0] == pytest.approx(0.1 * 4.0 * run.t / (2.0 * G), abs=1e-8)
    for asked in (lambda: run["whole.margin"], run.support):
        with pytest.raises(ModelError, match="contact 'floor': its corners bear one force together"):
            asked()
    # of points of their own the margin is known
    m, box = pushed()
    for name, x in (("left", -0.2), ("right", 0.2)):
        foot = box.attach(name, (x, -0.1))
        m.contact(m.ground, foot, fm.HalfPlane("y"), hard=True, friction=0.8, name=f"under {name}")
    run = fm.simulate(m, 3.0, "dop853", **quiet)
    wanted = 0.2 - 0.1 * 4.0 * run.t / (2.0 * G)
    assert run["whole.margin"] == pytest.approx(wanted, abs=1e-8)
    assert run.support().margin == pytest.approx(wanted, abs=1e-8)
    m.add_event(fm.crossing("whole.margin", 0.15), fm.Note(), name="near an edge")
    with pytest.raises(ModelError, match=r"contact 'under left': .* known of a solution alone"):
        fm.simulate(m, 3.0, "dop853", **quiet)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_a_controller_pushes_a_box_that_sticks(method: str) -> None:
    m = fm.PlanarModel("pushed", gravity=(0, -G))
    box = m.add_body("box", mass=2.0, inertia=0.1, position=(0, 0.1))
    corners = fm.Corners([(-0.2, -0.1), (0.2, -0.1)])
    m.contact(m.ground, box.frame, fm.HalfPlane("y"), corners, hard=True, friction=0.3, name="floor")
    m.point_force(box.frame, (1.0, 0.0), factor=0.0, name="push")
    reads = fm.control.NamedQuantity(m, "floor.friction_force")
    law = lambda t, y: [8.0 if t > 0.495 else 4.0]  # noqa: E731
    m.add_controller("law", period=0.05, sensors=reads, commands="push", law=law)
    run = fm.simulate(m, 1.0, method, **quiet)
    # 4 N stick, 8 N slide from .5 s on, against 0.3 m g
    assert run["box.vx"][-1] == pytest.approx((8.0 - 0.6 * G) / 2.0 * 0.5, abs=1e-8)
    assert run.at([0.45])["floor.friction_force"][0] == pytest.approx(4.0, abs=1e-9)


def test_a_contact_beside_redundant_guides_and_a_hinge_that_sticks() -> None:
    m = fm.PlanarModel("beside", gravity=(0, -G))
    block = m.add_body("block", mass=2.0, inertia=0.1, position=(0, 0.5))
    for k in range(2):  # the second guide repeats the first
        m.prismatic(m.ground, block.frame, axis=0.5 * math.pi, name=f"guide {k + 1}")
    m.contact(m.ground, block.frame, fm.HalfPlane("y"), hard=True, restitution=0.5, name="floor")
    arm = m.add_body("arm", mass=1.0, inertia=0.2, position=(0.5, 0.5))
    dry = fm.JointFriction(0.4, radius=0.5, smoothing=0.0)
    m.revolute(block.frame, arm.attach("eye", (-0.5, 0)), friction=dry, name="hinge")
    with pytest.warns(UserWarning, match="redundant"):
        run = fm.simulate(m, 2.0, "dop853", tolerance=1e-9, **quiet)
    assert run.status == "finished" and run.energy.error < 1e-5  # by the rule of Simpson over each step
    assert run.events[0].t == pytest.approx(math.sqrt(1.0 / G), abs=1e-8)
    assert run["floor.normal_force"].max() > G and run["block.y"].min() > -1e-12


def test_boxes_fall_on_one_another_and_rest() -> None:
    m, last, corners = fm.PlanarModel("stack", gravity=(0, -G)), None, fm.Corners([(-0.2, -0.1), (0.2, -0.1)])
    for k in range(3):
        box = m.add_body(f"box {k}", mass=1.0, inertia=0.05 / 3.0, position=(0.01 * k, 0.15 + 0.25 * k))
        under, top = (m.ground, 0.0) if last is None else (last.frame, 0.1)
        face = fm.HalfPlane("y", (0, top))
        law: dict[str, Any] = {"hard": True, "friction": 0.5}
        m.contact(under, box.frame, face, corners, name=f"pair {k}", **law)
        last = box
    run = fm.simulate(m, 1.5, "dop853", **quiet)
    assert run.status == "finished" and run.energy.error < 1e-5
    assert [run[f"box {k}.y"][-1] for k in range(3)] == pytest.approx([0.1, 0.3, 0.5], abs=1e-8)
    assert [run[f"pair {k}.normal_force"][-1] for k in range(3)] == pytest.approx([3 * G, 2 * G, G], rel=1e-6)


@pytest.mark.parametrize("left_out", [("_improved",), ("_improved", "_by_pivots")])
def test_every_search_finds_the_same_states(left_out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in left_out:
        monkeypatch.setattr(Choosing, name, lambda self, *given: None)
    run = fm.simulate(hard_mechanisms.slope(0.3), 2.5, "dop853", tolerance=1e-8, **quiet)
    assert run["box.x"][-1] == pytest.approx(hard_forms.slides_down(0.2, 0.3, 2.0), abs=1e-8)
    assert run["floor.friction_force"][-1] == pytest.approx(G * math.sin(0.2), rel=1e-8)
    speed, period = hard_forms.rimless_wheel(8, 0.5, 0.08)
    run = fm.simulate(hard_mechanisms.wheel(speed=speed), 1.6, "dop853", tolerance=1e-8, **quiet)
    times = [record.t for record in run.events if record.done[0].startswith("impact")]
    assert np.diff(times) == pytest.approx(period, abs=1e-7)


def test_a_contact_at_the_end_of_a_beam() -> None:
    b = fm.PlanarModel("diving", gravity=(0, -G))
    steel = fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=0.5)
    rod = b.add_beam("rod", (0, 0), (1, 0), properties=steel, elements=2)
    b.weld(b.ground, rod.start, name="wall")
    b.contact(b.ground, rod.end, fm.HalfPlane("y", (0, -0.02)), hard=True, name="floor")
    with pytest.warns(UserWarning, match="contact 'floor' takes .* % of the kinetic energy"):
        run = fm.simulate(b, 0.15, **quiet)
    assert run["floor.gap"].min() > -1e-9 and run["floor.normal_force"].max() > 0.0


def test_what_is_refused() -> None:
    m = fm.PlanarModel("refused", gravity=(0, -G))
    ball = m.add_body("ball", mass=1.0, inertia=0.1, position=(0, 1.0))
    floor, disk = fm.HalfPlane("y"), fm.Disk(radius=0.1)
    for more, said in (
        ({}, "contact 'c': it has no stiffness; give stiffness=.*or hard=True"),
        ({"hard": True, "stiffness": 1e3}, "a hard contact does not give way and has no stiffness"),
        ({"hard": True, "exponent": 2.0, "damping": 1.0}, "has no damping, exponent"),
        ({"hard": True, "restitution": 1.5}, r"restitution is 1.5; it must lie in \[0, 1\]"),
        ({"hard": True, "friction": -0.1}, "friction is -0.1; it must not be negative"),
        ({"hard": True, "friction": fm.JointFriction(0.2)}, "truly sticks and has no smoothing"),
        ({"hard": True, "shape_b": fm.Disk(radius=2.0)}, "its shapes overlap by 1 m"),
    ):
        given: dict[str, Any] = {"shape_b": disk, **more}
        with pytest.raises(ModelError, match=said):
            m.contact(m.ground, ball.frame, floor, name="c", **given)
    with pytest.raises(ModelError, match="hard corners touch a half-plane"):
        m.contact(
            m.ground, ball.frame, fm.Cavity(radius=3.0), fm.Corners([(0, 0), (0.1, 0)]), hard=True, name="corners"
        )
    with pytest.raises(ModelError, match="no corners"):
        m.contact(m.ground, ball.frame, floor, fm.Corners([]), hard=True, name="none")
    s = fm.SpatialModel("refused", gravity=(0, 0, -G))
    drum = s.add_body("drum", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 5.0))
    with pytest.raises(ModelError, match="slides without friction"):
        s.contact(s.ground, drum.frame, fm.HalfSpace("z"), fm.Sphere(radius=0.1), hard=True, friction=0.2, name="rubs")
    with pytest.raises(ModelError, match="a cylinder leaps at its edges"):
        s.contact(s.ground, drum.frame, fm.HalfSpace("z"), fm.Cylinder(diameter=0.1, length=0.2), hard=True, name="rim")
    m = hard_mechanisms.ball()
    with pytest.raises(SolverError, match="method 'projection' knows no impacts, which contact 'floor' may have"):
        fm.simulate(m, 1.0, "projection", **quiet)
    for analysis in (fm.equilibrium, fm.modes, fm.linearize):
        with pytest.raises(ModelError, match="contact 'floor' may close and open"):
            analysis(m)


def random_problem(seed: int) -> Problem:
    """Contacts on a random mechanism."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 6))
    n = int(1.5 * k) + 2
    A = rng.normal(size=(n, n))
    W = rng.normal(size=(n, 2 * k))
    D = W.T @ np.linalg.solve(A @ A.T / n + 0.2 * np.eye(n), W)
    numbers = np.arange(2 * k).reshape(k, 2)
    return Problem(D, W.T @ rng.normal(size=n), numbers[:, 0], numbers[:, 1], rng.uniform(0.05, 1.0, k))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 100_000))
def test_impulses_contradict_nothing(seed: int) -> None:
    problem = random_problem(seed)
    found = solved(problem)
    assert found is not None
    x, P = problem.D @ found.P + problem.b, found.P
    n, t = problem.normals, problem.slips
    size, most = np.max(np.abs(problem.b)), np.max(np.abs(P), initial=1e-12)
    assert x[n].min() > -1e-7 * size and P[n].min() >= -1e-7 * most
    assert np.max(np.abs(x[n] * P[n])) <= 1e-6 * size * most
    assert np.all(np.abs(P[t]) <= problem.mu * P[n] + 1e-7 * most)
    slides = np.abs(x[t]) > 1e-6 * size
    assert P[t][slides] == pytest.approx((-np.sign(x[t]) * problem.mu * P[n])[slides], abs=1e-6 * most)
    # without restitution nothing is gained
    assert problem.b @ P + 0.5 * P @ problem.D @ P <= 1e-9 * size * most
    states = np.array(found.states)
    assert np.all((states == FORWARD) <= (x[t] > -1e-7 * size)) and np.all((states == BACKWARD) <= (x[t] < 1e-7 * size))
    assert np.all((states == FREE) <= (np.abs(P[n]) <= 1e-9 * most))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000))
def test_corners_of_one_body_always_have_impulses(seed: int) -> None:
    # both corners of a box on a floor, with four conditions on three speeds, and restitution on what comes nearer
    rng = np.random.default_rng(seed)
    W = np.array([[0.0, 1.0, -0.2], [0.0, 1.0, 0.2], [1.0, 0.0, 0.1], [1.0, 0.0, 0.1]]).T
    b = W.T @ rng.normal(size=3)
    b[:2] *= np.where(b[:2] < 0.0, 1.0 + rng.uniform(), 1.0)
    mu = np.full(2, float(rng.uniform(0.05, 1.0)))
    problem = Problem(W.T @ np.diag([1.0, 1.0, 60.0]) @ W, b, np.array([0, 1]), np.array([2, 3]), mu)
    found = solved(problem)
    assert found is not None
    x, P = problem.D @ found.P + b, found.P
    assert min(*x[:2], *P[:2]) > -1e-8 and np.max(np.abs(x[:2] * P[:2])) < 1e-8
    assert np.all(np.abs(P[2:]) <= mu * P[:2] + 1e-8)
    assert np.max(np.abs(P[2:] + np.sign(x[2:]) * mu * P[:2])[np.abs(x[2:]) > 1e-7], initial=0.0) < 1e-8


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000))
def test_pivots_solve_what_is_complementary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    A = rng.normal(size=(n, n))
    M, q = A @ A.T + 0.1 * np.eye(n) + 0.3 * (A - A.T), rng.normal(size=n)
    z = lemke(M, q)
    assert z is not None
    w = M @ z + q
    assert z.min() >= 0.0 and w.min() > -1e-9 and abs(z @ w) < 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_impacts_with_friction_never_gain_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, last, place = fm.PlanarModel("arm"), None, np.array([0.0, 1.0])
    for k in range(2):
        angle = float(rng.uniform(-1.2, 0.0))
        ahead = place + 0.5 * np.array([math.cos(angle), math.sin(angle)])
        link = m.add_body(f"link{k}", mass=float(rng.uniform(0.2, 3.0)), inertia=0.08, position=ahead, angle=angle)
        hinge = m.ground.attach("post", (0.0, 1.0)) if last is None else last.attach("right", (0.5, 0))
        m.revolute(hinge, link.attach(f"left{k}", (-0.5, 0)), name=f"joint{k}")
        place, last = place + 2.0 * (ahead - place), link
    assert last is not None
    floor = fm.HalfPlane("y", (0, float(place[1])))
    tip = last.attach("tip", (0.5, 0))
    e, mu = float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.1, 1.0))
    m.contact(m.ground, tip, floor, hard=True, restitution=e, friction=mu, name="floor")
    system = System(m)
    rows = RowStates(system).rows
    gaps = [row for row in rows if isinstance(row, UnilateralRow)]
    rubbing = [row for row in rows if isinstance(row, RubbingRow)]
    M, v = np.asarray(system.mass_matrix(0.0, system.q0)), rng.normal(size=system.n)
    G_ = np.asarray(system.jacobian(0.0, system.q0))
    K = np.block([[M, G_.T], [G_, np.zeros((system.m, system.m))]])
    v -= np.linalg.solve(K, np.concatenate([np.zeros(system.n), G_ @ v]))[: system.n]
    v *= -np.sign(v[gaps[0].speed]) or 1.0
    at = 0.0, system.full_q(system.q0), system.full(v)
    found = collide(system, Meeting(system, *at, gaps, rubbing), *at, 1.0)
    before, after = (0.5 * x @ M @ x for x in (v, found.v[: system.n]))
    assert after <= before * (1.0 + 1e-8)
    assert found.lost.sum() == pytest.approx(before - after, abs=1e-8 * before)
    assert found.after.min() >= -1e-9 and found.impulse.min() >= 0.0
