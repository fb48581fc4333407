"""FLEX-ARM on models: joints with servos, rigid links, runs against the full equations, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations import FlexArm
from flexmb.spatial import ArmLink

RIGHT = 0.5 * np.pi
SOFT, PIPE = fm.Material(1200.0, 3e9, 0.35), fm.Tube(outer_diameter=0.05, inner_diameter=0.04)


def arm(motion: Any = 0.3, gravity: float = 0.0, **options: Any) -> fm.Robot:
    """A rigid link and a beam with a weight at its end."""
    boom = ArmLink(
        "boom", mass=0.4, inertia=(1e-3, 1e-3, 1e-3), material=SOFT, section=PIPE, elements=3, modes=1, **options
    )
    post = ArmLink("post", mass=3.0, center=(0, -0.2, 0), inertia=(0.1, 0.05, 0.1))
    made = fm.denavit_hartenberg(
        [[0, 0.4, 0.1, RIGHT], [0, 0, 0.8, 0]], links=[post, boom], gravity=(0, 0, -gravity), positions={"joint 2": 0.3}
    )
    made.drive("joint 1", 0.0)
    made.drive("joint 2", motion)
    return made


def test_held_joints_give_the_frequencies_of_the_full_model() -> None:
    wanted = fm.modes(arm(), 7).frequencies
    assert FlexArm(arm(), servos=np.inf).frequencies(count=7) == pytest.approx(wanted, rel=1e-9)


def test_servos_are_springs_on_the_joints() -> None:
    """Against the full model with torsion springs at free joints."""
    servos = {"joint 1": 400.0, "joint 2": 250.0}
    model = arm()
    for name, stiffness in servos.items():
        joint = model.joints[name]
        model.torsion_spring(joint.component.a, joint.component.b, axis="z", stiffness=stiffness)
        del model.components[f"{name} drive"]
    wanted = fm.modes(model, 6).frequencies
    assert FlexArm(arm(), servos=servos).frequencies(count=6) == pytest.approx(wanted, rel=1e-9)
    stiff = FlexArm(arm(), servos=1e11).frequencies(count=6)
    assert stiff == pytest.approx(FlexArm(arm(), servos=np.inf).frequencies(count=6), rel=1e-6)


def test_a_boom_sags_as_a_cantilever_and_answers_a_slow_force_as_a_spring() -> None:
    made = FlexArm(arm(0.0, gravity=9.81), servos=np.inf)
    EI, length = SOFT.youngs_modulus * PIPE.second_moment, 0.8
    weight, tip = SOFT.density * PIPE.area * 9.81 * length, 0.4 * 9.81
    sag = weight * length**3 / (8.0 * EI) + tip * length**3 / (3.0 * EI)
    assert made.displacement("tool", 0.0)[2] @ made.quasi_static(0.0) == pytest.approx(-sag, rel=1e-2)  # shear
    slow = made.frequency_response([0.0, 1e-3], ("force", "tool", "z"), ("displacement", "tool", (0, 0, 1)))
    assert slow.real == pytest.approx(length**3 / (3.0 * EI), rel=1e-2)
    peak = made.frequencies(count=1)[0]
    near = made.frequency_response(0.999 * peak, ("force", "tool", "z"), ("displacement", "tool", "z"))
    assert abs(near[0]) > 100.0 * slow[0].real


def test_torques_are_those_of_the_rigid_arm() -> None:
    """Against the efforts of the drives of a rigid arm of the same inertia."""
    step = fm.SmoothStep(0.0, 1.0, 0.3, 1.4)
    boom = ArmLink("boom", mass=2.0, center=(-0.3, 0.1, 0), inertia=(0.1, 0.2, 0.2))
    post = ArmLink("post", mass=3.0, center=(0, -0.2, 0), inertia=(0.1, 0.05, 0.1))
    rigid = fm.denavit_hartenberg(
        [[0, 0.4, 0.1, RIGHT], [0, 0, 0.8, 0]], links=[post, boom], positions={"joint 2": 0.3}
    )
    rigid.drive("joint 1", fm.Harmonic(0.5, 3.0))
    rigid.drive("joint 2", step)
    motion = fm.kinematics(rigid, 1.0, steps=10)
    found = FlexArm(rigid)
    for name, wanted in rigid.efforts(motion).items():
        assert [found.torques(t)[name] for t in motion.t.tolist()] == pytest.approx(wanted, abs=1e-8)
    assert found.coordinates == ["joint 1", "joint 2"]
    assert found.nominal("tool", 1.0) == pytest.approx(motion["tool"].position[-1], abs=1e-9)


@pytest.mark.parametrize("field", ["linear", "quadratic"])
def test_a_led_arm_moves_as_by_the_full_equations(field: str) -> None:
    """The difference is of second order in deflections that turn the end by 2e-2."""
    model = arm(fm.SmoothStep(0.0, 0.8, 0.3, 1.3), gravity=9.81, damping=0.02, field=field)
    times = np.linspace(0.0, 0.8, 21)
    full = fm.simulate(model, 0.8, "radau", tolerance=1e-8, times=times, progress=False)
    run = FlexArm(model, servos=np.inf, second_order=True).run(0.8, 0.8 / 200, method="gauss").every(10)
    size = np.abs(run.deflection("tool")).max()
    assert size > 3e-3
    assert np.abs(run.position("tool") - full["tool"].position).max() < 2e-2 * size


def test_both_methods_go_to_the_same_motion() -> None:
    of = FlexArm(arm(fm.SmoothStep(0.0, 0.4, 0.3, 0.8), damping=0.1), servos=1000.0)
    runs = [of.run(0.4, 2e-3, method="gauss"), of.run(0.4, 2e-3), of.run(0.4, 1e-3)]
    ends = [np.linalg.norm(run.q[-1] - runs[0].q[-1]) for run in runs]
    assert ends[2] < 0.3 * ends[1] < 0.3 * np.linalg.norm(runs[0].q[-1])


def test_arms_may_branch() -> None:
    """A fork of beams on a hinge, a link on each prong, one of them rigid: against the full model."""
    places = {"stem": (0, 0, 0), "left": (0.6, 0.2, 0), "right": (0.5, -0.3, 0.1)}
    members = [fm.bodies.Member(("stem", end), SOFT, PIPE, elements=3) for end in ("left", "right")]
    fork = fm.bodies.from_frame(places, members, interfaces={name: name for name in places}, modes=1)
    rod = fm.bodies.from_frame(
        {"a": (0, 0, 0), "b": (0.4, 0, 0)}, [fm.bodies.Member(("a", "b"), SOFT, PIPE)], interfaces={"a": "a"}, modes=4
    )
    m = fm.SpatialModel("branching")
    hub = m.add_modal_body("fork", fork)
    one = m.add_modal_body("rod", rod, (0.6, 0.2, 0), fm.rotation_vector((0, 0, 0.7)))
    two = m.add_body("brick", mass=0.8, inertia=(0.01, 0.02, 0.02), position=(0.5, -0.4, 0.1))
    joints = [
        m.revolute(m.ground, hub.at("stem"), axis="z"), m.revolute(one.at("a"), hub.at("left"), axis="y"),
        m.revolute(hub.at("right"), two.attach("near", (0, 0.1, 0)), axis=(1, 1, 0)),
    ]  # fmt: skip
    for joint in joints:
        m.drive_joint(joint, 0.0)
    wanted = fm.modes(m, 10).frequencies
    assert FlexArm(m, servos=np.inf).frequencies(count=10) == pytest.approx(wanted, rel=1e-8)


def weightless() -> fm.SpatialModel:
    m = fm.denavit_hartenberg([[0, 0, 1.0, 0], [0, 0, 0.5, 0]], links=[ArmLink(mass=1.0, inertia=(1, 1, 1)), None])
    for joint in m.moving:
        m.drive(joint.name, 0.0)
    return m


def loose() -> fm.SpatialModel:
    m = arm()
    m.add_body("lost", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 5))
    return m


def looped() -> fm.SpatialModel:
    m = arm()
    m.weld(m.ground.attach("hand hold", m.frames["tool"].position), m.frames["tool"])
    return m


def springy() -> fm.SpatialModel:
    m = arm()
    m.spring_damper(m.ground, m.frames["tool"], stiffness=10.0, name="spring")
    return m


def undriven() -> fm.SpatialModel:
    m = arm()
    del m.components["joint 2 drive"]
    return m


def bent() -> fm.SpatialModel:
    m = arm()
    m.components["boom.beam"].amplitudes = np.full(7, 0.01)
    return m


def released() -> fm.SpatialModel:
    m = arm()
    m.add_event(0.5, fm.Switch(off="joint 1 drive"), name="release")
    return m


def switched_off() -> fm.SpatialModel:
    m = arm()
    m.switch_off(m.components["joint 1 drive"])
    return m


REFUSED = {
    "a switch": (released, "it does not know event 'release'"),
    "a drive that is off": (switched_off, "'joint 1 drive' is switched off"),
    "a loop": (looped, "closes a loop"),
    "a loose body": (loose, "no joint connects body 'lost' to the ground"),
    "a spring": (springy, "it does not know .*'spring'"),
    "no drive": (undriven, "joint 'joint 2' has no nominal motion; give it a drive"),
    "a jump": (lambda: arm(fm.Step(0.1)), "motion jumps by 1 at t = 0.1 s"),
    "a corner": (lambda: arm(fm.PiecewiseLinear([0.0, 1.0], [0.0, 1.0])), "the rate of motion jumps by 1"),
    "bent at the start": (bent, "is bent or vibrates at the start"),
    "no mass": (weightless, "nothing with an inertia moves by its coordinate 'joint 2'"),
    "the plane": (lambda: fm.PlanarModel("flat"), "it stands in the plane"),
    "nothing": (lambda: fm.SpatialModel("empty"), "nothing of it moves"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_arm_is_refused_by_name(what: str) -> None:
    make, message = REFUSED[what]
    with pytest.raises(fm.FlexmbError, match=message):
        FlexArm(make())


def test_a_small_arm_has_the_coordinates_and_the_sag_of_a_large_one() -> None:
    found = []
    for size in (1.0, 1e-3):
        wire = ArmLink("wire", material=fm.Material(7850, 205e9), section=fm.Circle(diameter=0.01 * size), modes=0)
        m = fm.denavit_hartenberg([[0, 0, size, 0]], links=[wire], gravity=(0, -9.81, 0))
        m.drive("joint 1", 0.0)
        flex = FlexArm(m, servos=np.inf)
        assert flex.coordinates[1] == "wire.beam.y"
        bending = 205e9 * np.pi * (0.01 * size) ** 4 / 64
        weight = 7850 * np.pi / 4 * (0.01 * size) ** 2 * 9.81
        found.append(flex.quasi_static(0.0)[1] / (-weight * size**4 / (8 * bending)))
    assert found[0] == pytest.approx(1.0, abs=1e-3)  # and shear
    assert found[1] == pytest.approx(found[0], rel=1e-9)


def test_wrong_questions_are_refused_by_name() -> None:
    free = FlexArm(arm(gravity=9.81))
    with pytest.raises(fm.FlexmbError, match="nothing holds joint 'joint 1' in place; give servos"):
        free.quasi_static(0.0)
    with pytest.raises(fm.FlexmbError, match="no driven joint 'joint 9'"):
        FlexArm(arm(), servos={"joint 9": 1.0})
    with pytest.raises(fm.FlexmbError, match="servo of 'joint 1': give its stiffness"):
        FlexArm(arm(), servos=(1.0, 2.0, 3.0))
    with pytest.raises(fm.FlexmbError, match="no frame 'hand'"):
        free.nominal("hand", 0.0)
    with pytest.raises(fm.FlexmbError, match="method is 'euler'"):
        free.run(1.0, 0.1, method="euler")
    with pytest.raises(fm.FlexmbError, match="t_end − t_start"):
        free.run(0.0, 0.1)
    moved = ("displacement", "tool", "x")
    with pytest.raises(fm.FlexmbError, match=r"force is 'tool'; give \('force', frame, axis\), \('moment'"):
        free.frequency_response([1.0], "tool", moved)
    with pytest.raises(fm.FlexmbError, match=r"force is .*; after 'force' give the name of a frame and an axis"):
        free.frequency_response([1.0], ("force", "tool"), moved)
    with pytest.raises(fm.FlexmbError, match=r"at is .*; after 'angle' give the name of a joint"):
        free.frequency_response([1.0], ("force", "tool", "x"), ("angle", "joint 1", "x"))
    with pytest.raises(fm.FlexmbError, match="'arm' is not a model"):
        FlexArm("arm")


def test_an_arm_whose_joints_are_open_is_refused_or_named():
    def arm(gap: float) -> fm.SpatialModel:
        m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
        member = fm.bodies.Member(("a", "b"), fm.Material(7850, 205e9, 0.3), fm.Rectangle(0.02, 0.01))
        reduced = fm.bodies.from_frame(
            {"a": (0, 0, 0), "b": (0.5, 0, 0)}, [member], interfaces={"near": "a", "far": "b"}, modes=2
        )
        boom = m.add_modal_body("boom", reduced, (0, 0, 0))
        hinge = m.revolute(m.ground, boom.at("near"), axis="z", name="hinge")
        m.drive_joint(hinge, fm.SmoothStep(0.3, 1.0, 0.0, 1.2), name="drive")
        tip = m.add_body("tip", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5 + gap, 0, 0))
        m.weld(boom.at("far"), tip.frame, name="weld")
        return m

    with pytest.raises(fm.errors.InitialConditionError, match="'weld' by 1 m"):
        fm.formulations.FlexArm(arm(1.0), servos=float("inf"))
    with pytest.warns(fm.errors.InitialConditionWarning, match="'weld' by 0.01 m"):
        fm.formulations.FlexArm(arm(0.01), servos=float("inf"))
    fm.formulations.FlexArm(arm(0.0), servos=float("inf"))  # the drive begins elsewhere, which is no gap


def test_mode_shapes_are_those_of_the_full_model() -> None:
    made, full = FlexArm(arm(), servos=np.inf), fm.modes(arm(), 4)
    found = made.displacement("tool", 0.0) @ made.shapes(count=4)
    for k in range(4):
        wanted = full.shape(k)["tool"]
        sign = np.sign(wanted @ found[:, k])
        assert sign * found[:, k] == pytest.approx(wanted, rel=1e-7, abs=1e-7 * np.abs(wanted).max())


def test_a_bent_arm_is_a_state_of_its_model() -> None:
    """Its frames stand where the small motion puts them; joints and interfaces fit but for its square."""
    bends = fm.SmoothStep(0.3, 0.9, 0.0, 1.0)
    made, t = FlexArm(arm(bends), servos=np.inf), 0.7
    q = np.random.default_rng(0).normal(size=len(made.coordinates)) * made.shapes(t)[:, 0]
    gaps = []
    for part in (1e-2, 5e-3):
        state = made.state(part * q, t)
        for frame in ("tool", "boom.beam.start"):
            wanted = made.nominal(frame, t) + part * made.displacement(frame, t)[:3] @ q
            assert state[frame].position == pytest.approx(wanted, abs=1e-14)
        rows = [k for k, row in enumerate(state.system.rows) if "drive" not in row.owner]
        gaps.append(np.abs(state.system.constraint(t, state.q, state.v)[0][rows]).max())
    assert 0.0 < gaps[0] < 1e-4 and gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.05)
    still = made.state(np.zeros_like(q), t)
    assert still["tool"].position == pytest.approx(made.nominal("tool", t), abs=1e-14)
