"""What pages compute agrees with closed forms, beyond the digits that they print: a check for each page, of the names
that its blocks leave, in the folder in which they ran."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm

#: the check of each page
CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {}


def of(page: str) -> Callable[[Callable[[dict[str, Any]], None]], Callable[[dict[str, Any]], None]]:
    """Register the check of a page."""

    def register(check: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        CHECKS[page] = check
        return check

    return register


#: the weight of rod and bob of the soft pendulum [N]
WEIGHT = 9.81 * (1100 * np.pi * 0.01**2 + 0.05)


@of("how-to/results.md")
def the_hinge_of_the_pendulum_carries_part_of_the_weight_and_nothing_sideways(found):
    solution, force = found["solution"], found["force"]
    assert force[0] == pytest.approx([0.0, solution["hinge.fy"][0]], abs=1e-6 * WEIGHT)
    assert 0.0 < force[0, 1] < WEIGHT
    assert found["again"]["rod@0.5.y"] == pytest.approx(solution["rod@0.5.y"], abs=1e-12)
    assert Path("swing.h5").is_file()


@of("how-to/reduced-bodies.md")
def the_strip_weighs_what_it_should_and_sags_as_a_beam(found):
    strip = found["strip"]
    assert strip.mass == pytest.approx(2700.0 * 0.04 * 0.008)
    model = fm.SpatialModel("strip at rest", gravity=(0, 0, -9.81))
    body = model.add_modal_body("strip", strip)
    model.weld(model.ground, body.at("root"))
    EI = 7e10 * 0.04 * 0.008**3 / 12.0
    sag = fm.equilibrium(model).state["strip.tip"].position[2]
    assert sag == pytest.approx(-strip.mass * 9.81 / (8.0 * EI), rel=0.02)  # its root cannot draw in


@of("how-to/rest-and-vibration.md")
def at_rest_it_carries_all_of_it_and_a_mast_buckles_at_eulers_load(found):
    assert found["rest"]["hinge.fy"] == pytest.approx(WEIGHT, rel=1e-9)
    assert found["buckling"].factor == pytest.approx(np.pi**2 / 4 * 5e7 * 7.853981634e-9, rel=1e-3)
    assert found["bent"].stable[-1]


@of("how-to/notebooks.md")
def rods_of_any_length_swing_as_rigid_ones(found):
    study = found["study"]
    assert study["frequency"] == pytest.approx(np.sqrt(1.5 * 9.81 / study["length"]) / (2.0 * np.pi), rel=1e-3)


@of("how-to/pictures.md")
def pictures_are_written(found):
    assert {"swing.png", "swing.html", "swing"} <= {path.name for path in Path().iterdir()}


@of("how-to/orientations.md")
def the_top_stays_at_its_distance(found):
    assert np.linalg.norm(found["spun"]["top"].position[-1]) == pytest.approx(1.0, abs=1e-9)


@of("how-to/bodies.md")
def the_satellite_stays_on_its_orbit(found):
    orbit = np.linalg.norm(found["run"]["hull"].position, axis=1)
    assert orbit == pytest.approx(found["radius"], abs=0.5) and found["run"].energy.error < 1e-8


@of("how-to/orbit.md")
def the_boom_is_bent_and_the_craft_swings_as_in_theory(found):
    assert found["seen"] == pytest.approx((15.0 + 1.08e-5, 15.0 - 1.08e-5, 0.0), abs=3e-8)
    # the shadow of a cylinder: cos β of the sun over the plane, and the way back by its symmetric place
    sun = np.array([1.0, 0.5, 0.3]) / np.linalg.norm([1.0, 0.5, 0.3])
    beta = np.arcsin(sun[2])
    dark = np.arccos(np.sqrt(found["radius"] ** 2 - found["earth"] ** 2) / (found["radius"] * np.cos(beta))) / np.pi
    assert np.sum(found["lit"] < 0.5) == pytest.approx(dark * found["field"].period, abs=2.0)
    for known in (1.6782633294, 18.1229561519, 51.4356532079):
        assert np.min(np.abs(found["found"] / known - 1.0)) < 1e-5


@of("how-to/steady-motion.md")
def the_disk_wobbles_by_four_states(found):
    ahead = found["ahead"]
    weight, polar, across, turning = 9.81 * 0.5, 0.125, 0.0625 + 0.01**2 / 12.0, 2.6
    wobble = np.sqrt((polar * (polar + 0.25) * turning**2 / across - weight) / (across + 0.25))
    assert np.max(ahead.poles.imag) == pytest.approx(wobble, rel=1e-9)
    assert len(ahead) == 4


@of("how-to/events.md")
def the_door_loses_the_energy_of_its_closer_and_leaves_its_latch(found):
    assert found["shut"].lost == pytest.approx(0.5 * 5.0 * (1.2**2 - 0.2**2), rel=1e-3)
    assert found["shut"].impulses["latch"][1] == pytest.approx(-7.0, rel=1e-3)
    assert 1.0 < found["night"]["door.angle"][-1] < 1.1


@of("how-to/redundancy.md")
def the_parallelogram_is_laid_flat_again_and_again(found):
    assert found["flat"] == pytest.approx([0.3143, 0.9428, 1.5713, 2.1999, 2.8284], abs=1e-4)
    assert np.ptp(found["motion"].energy.total) < 1e-8


@of("how-to/contact.md")
def the_ball_touches_the_floor_and_the_buffer_holds_the_gate(found):
    bounces = found["bounces"]
    assert bounces["floor"].gap.min() < 0.0 < bounces["floor"].normal_force.max()
    assert bounces["buffer"].value.max() == pytest.approx(1.2, abs=0.05) and bounces.trustworthy


@of("how-to/robots.md")
def the_arm_turns_about_its_column(found):
    robot = found["robot"]
    assert robot.positions(found["thrown"])["joint1"][-1] > 0.1 > robot.positions()["joint1"]


@of("how-to/beams.md")
def the_blade_turns_as_it_is_driven_and_bends(found):
    turned = found["turned"]
    angle = 6.0 * (0.5**2 - (1.0 - np.cos(np.pi)) / (2.0 * np.pi**2))
    np.testing.assert_allclose(turned["hub"].rotation_vector[-1], [0.0, 0.0, angle], atol=1e-6)
    assert turned.trustworthy and turned["blade@0.1.stress"].max() > 1e6


@of("how-to/joint-coordinates.md")
def drives_that_a_motion_needs_make_it(found):
    motion = (found[x] for x in ("q", "v", "vdot"))
    assert found["dynamics"].drives(*motion) == pytest.approx(found["tau"], abs=1e-12)
    assert found["folding"].trustworthy


@of("how-to/control.md")
def the_link_comes_to_one_radian_and_its_vibration_is_gone(found):
    moved = found["moved"]
    assert moved["hub.angle"][-1] == pytest.approx(1.0, abs=1e-4)
    shaking = abs(moved["link.end.ay"])
    assert shaking[moved.t > 1.9].max() < 0.01 * shaking.max()


@of("theory/control-of-robots.md")
def the_hand_has_its_inertia_and_errors_decay_as_equations_say(found):
    assert found["heavy"] == pytest.approx([1.5, 1.5 + 2.0 / np.sin(0.9) ** 2], rel=1e-7)
    assert found["off"] == pytest.approx(found["said"], rel=1e-5)
    assert np.log2(found["left"][0] / found["left"][1]) == pytest.approx(1.0, abs=0.05)
    loop, held = found["both"]
    assert loop == pytest.approx(held, rel=1e-9)
