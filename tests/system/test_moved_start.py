"""Starts that closing the joints moves: warned of, doubted, refused, and asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm

IGNORED = "ignore::flexmb.errors.InitialConditionWarning"


def links(off: float) -> fm.PlanarModel:
    """Two links of 1 m that hang on springs; the second one is joined at a place that is `off` [m] its end."""
    m = fm.PlanarModel("links", gravity=(0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0))
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, one.attach("root", (-0.5, 0)), name="shoulder")
    m.revolute(one.attach("tip", (0.5, 0)), two.attach("start", (off - 0.5, 0)), name="elbow")
    m.torsion_spring(m.ground, one.frame, stiffness=1e3)
    m.torsion_spring(one.frame, two.frame, stiffness=1e3)
    return m


def driven(off: float, angle: float) -> fm.PlanarModel:
    """A crank on a hinge that is `off` [m], whose drive begins at an angle [rad]."""
    m = fm.PlanarModel("driven", gravity=(0, -9.81))
    arm = m.add_body("arm", mass=1.0, inertia=0.1, position=(0.5, off))
    m.revolute(m.ground, arm.attach("root", (-0.5, 0)), name="hinge")
    m.drive_angle(m.ground, arm.frame, fm.Polynomial([angle, 1.0]), name="motor")
    return m


ANALYSES: dict[str, Callable[..., Any]] = {
    "simulate": lambda m, **gaps: fm.simulate(m, 0.01, **gaps),
    "equilibrium": fm.equilibrium,
    "quasi_static": lambda m, **gaps: fm.quasi_static(m, 1.0, steps=1, **gaps),
    "equilibrium_path": lambda m, **gaps: fm.equilibrium_path(m, "gravity", steps=2, **gaps),
    "modes": lambda m, **gaps: fm.modes(fm.equilibrium(m, **gaps)),
}


@pytest.mark.parametrize("analysis", ANALYSES)
def test_a_joint_at_the_wrong_frame_is_refused(analysis: str) -> None:
    """Joined at its middle, the second link would have to be moved by 0.5 m of 1.5 m."""
    with pytest.raises(fm.errors.InitialConditionError, match=r"gaps of joint 'elbow' by 0\.5 m\).*more than a tenth"):
        ANALYSES[analysis](links(0.5))


def test_modes_of_a_model_refuse_it_too() -> None:
    with pytest.raises(fm.errors.InitialConditionError, match=r"gaps of joint 'elbow' by 0\.5 m"):
        fm.modes(links(0.5))


@pytest.mark.filterwarnings(IGNORED, "ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize("analysis", [name for name in ANALYSES if name != "modes"])
def test_one_that_is_asked_for_is_a_doubt(analysis: str) -> None:
    result = ANALYSES[analysis](links(0.5), gaps="close")
    assert len(result.doubts) == 1
    assert "gaps of joint 'elbow' by 0.5 m" in result.doubts[0]
    assert result.doubts[0] in str(result) or result.doubts[0] in result.summary()


@pytest.mark.parametrize(("off", "doubted"), [(0.03, True), (1e-4, False)])
def test_a_small_move_is_doubted_from_a_thousandth_on(off: float, doubted: bool) -> None:
    with pytest.warns(fm.errors.InitialConditionWarning, match=rf"joint 'elbow' by {off:g} m"):
        solution = fm.simulate(links(off), 0.01)
    assert solution.trustworthy is not doubted
    with pytest.warns(fm.errors.InitialConditionWarning, match=rf"joint 'elbow' by {off:g} m"):
        rest = fm.equilibrium(links(off))
    assert bool(rest.doubts) is doubted
    assert bool(rest.state.solution.doubts) is doubted


def test_what_a_drive_prescribes_is_asked_for() -> None:
    with pytest.warns(fm.errors.InitialConditionWarning, match=r"joint 'motor' by 1 rad"):
        motion = fm.kinematics(driven(0.0, 1.0), 1.0, steps=2)
    assert motion.trustworthy
    assert motion["arm"].angle[0] == pytest.approx(1.0)
    with pytest.warns(fm.errors.InitialConditionWarning, match=r"joint 'hinge' by 0\.01 m"):
        motion = fm.kinematics(driven(0.01, 0.0), 1.0, steps=2)
    assert not motion.trustworthy
    with pytest.raises(fm.errors.InitialConditionError, match=r"joint 'hinge' by 0\.4 m"):
        fm.kinematics(driven(0.4, 0.0), 1.0)


def test_an_angle_that_is_off() -> None:
    m = fm.PlanarModel("locked")
    arm = m.add_body("arm", mass=1.0, inertia=0.1)
    m.lock(m.ground, arm.frame, "angle", 0.3, name="weld")
    m.add_body("free", mass=1.0, inertia=0.1, position=(1, 0))
    with pytest.raises(fm.errors.InitialConditionError, match=r"joint 'weld' by 0\.3 rad\).*0\.3 rad \('arm\.angle'\)"):
        fm.simulate(m, 0.1)


@pytest.mark.filterwarnings(IGNORED)
def test_rough_sketches_are_assembled() -> None:
    m = links(0.5)
    fm.assemble(m)
    solution = fm.simulate(m, 0.01)
    assert solution.trustworthy
    angle = solution["one"].angle[0]
    tip = solution["one"].position[0] + 0.5 * np.array([np.cos(angle), np.sin(angle)])
    assert tip == pytest.approx(solution["two"].position[0])


def bracket(gap: float, beam: bool, held: bool) -> Any:
    """A steel bracket of 0.5 m, a beam or a reduced body, on a hinge, with a rod on a hinge at its other end that is a
    gap [m] away from there; `held`: this end is to meet the ground instead."""
    m: Any = fm.SpatialModel("bracket", gravity=(0, 0, -9.81))
    steel, section = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3), fm.Rectangle(0.02, 0.01)
    if beam:
        part = m.add_beam("bracket", (0, 0, 0), (0.5, 0, 0), material=steel, section=section)
        near, far = part.start, part.end
    else:
        body = fm.bodies.from_frame(
            {"a": (0, 0, 0), "b": (0.5, 0, 0)}, [fm.bodies.Member(("a", "b"), steel, section)],
            interfaces={"near": "a", "far": "b"}, modes=4,
        )  # fmt: skip
        part = m.add_modal_body("bracket", body, (0, 0, 0))
        near, far = part.at("near"), part.at("far")
    m.revolute(m.ground, near, axis="y", name="near")
    if held:
        m.revolute(m.ground.attach("wall", (0.5 + gap, 0, 0)), far, axis="y", name="far")
    else:
        rod = m.add_body("rod", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.7 + gap, 0, 0))
        m.revolute(far, rod.attach("end", (-0.2, 0, 0)), axis="y", name="far")
    return m


@pytest.mark.parametrize("beam", [False, True])
def test_joints_are_closed_without_strain_where_rigid_bodies_can_meet_them(beam):
    """By the shortest way in the metric of the mass matrix the bracket would bear 2.4 kJ, and 1.7 mJ for 10 μm."""
    for gap in (1e-5, 1e-2):
        with pytest.warns(fm.errors.InitialConditionWarning, match="'far' by") as caught:
            run = fm.simulate(bracket(gap, beam, False), 1e-4, "radau", progress=False)
        assert run.energy.strain[0] < 1e-12
        assert not any("strained" in str(w.message) for w in caught)


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("beam", [False, True])
def test_a_start_that_would_strain_bodies_is_refused_or_asked_for(beam):
    area, length = 0.02 * 0.01, 0.5
    with pytest.raises(fm.errors.InitialConditionError, match=r"'far' by 0.01 m.* strained by .* J; give positions"):
        fm.simulate(bracket(1e-2, beam, True), 1e-4, "radau")
    for gap, asked in ((1e-2, {"gaps": "close"}), (1e-4, {})):
        with pytest.warns(fm.errors.InitialConditionWarning, match="flexible bodies strained by"):
            run = fm.simulate(bracket(gap, beam, True), 1e-6, "radau", progress=False, **asked)
        # no less than that of even tension, ½ E A Δ²/l
        assert run.energy.strain[0] > 0.99 * 0.5 * 205e9 * area * gap**2 / length
