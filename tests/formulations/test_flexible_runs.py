"""Runs of beams, rotors and wheels in joint coordinates are those in absolute ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.flexible_links import double_pendulum, four_bar, turning_arm
from flexmb.validation.random_mechanisms.trees_with_beams import SOFT, planar_beams
from tests.models.particles import Particles

PRECISELY: dict[str, Any] = {"method": "dop853", "tolerance": 1e-9, "progress": False}


def check_run(make: Any, t_end: float, formulation: str, **more: Any) -> None:
    """The same states, accelerations and multipliers."""
    times = np.linspace(0.0, t_end, 4)
    absolute, run = (
        fm.simulate(make(), t_end, times=times, **PRECISELY, **more, **given)
        for given in ({}, {"formulation": formulation})
    )
    assert np.abs(run.q - absolute.q).max() < 1e-8
    assert np.abs(run.a - absolute.a).max() < 1e-7 * np.abs(absolute.a).max()


@pytest.mark.parametrize("formulation", ["aba", "lagrange", "ada", "dca"])
@pytest.mark.parametrize("make", [double_pendulum, turning_arm])
def test_beams_run_in_joint_coordinates(make, formulation):
    check_run(make, 0.03, formulation)


def test_a_loop_with_a_beam_runs_by_a_formulation_that_closes_it():
    check_run(four_bar, 0.03, "ada")


def wheel(**given: Any) -> fm.SpatialModel:
    """A body on a ball joint, with a beam and a reaction wheel."""
    m = fm.SpatialModel("wheel", gravity=(0.0, 0.0, -9.81))
    base = m.add_body("base", mass=1.0, inertia=(0.1, 0.12, 0.1))
    m.spherical(m.ground.attach("foot", (0, 0, -0.2)), base.frame.attach("pivot", (0, 0, -0.2)))
    m.add_beam("rod", base.frame, (0.5, 0, 0), material=SOFT, section=fm.Rectangle(0.03, 0.04))
    m.add_wheel("rotor", base.frame, inertia=0.01, axis="x", **given)
    return m


def test_wheels_follow_torques_that_are_functions_of_time_motions_and_controllers():
    step = fm.SmoothStep(0.0, 0.02, 0.0, 3.0)
    check_run(lambda: wheel(torque=step), 0.03, "aba")
    check_run(lambda: wheel(angle=step), 0.03, "aba")

    def controlled() -> fm.SpatialModel:
        m = wheel(friction=0.001)
        rotor: Any = m.components["rotor"]
        m.add_controller("law", period=5e-3, sensors=[], commands=rotor, law=lambda t, y: [np.sin(100.0 * t)])
        return m

    check_run(controlled, 0.03, "lagrange")


def test_a_beam_clamped_at_both_ends_is_a_loop():
    def clamped() -> fm.SpatialModel:
        m = fm.SpatialModel("clamped", gravity=(0.0, 1.0, -9.81))
        rod = m.add_beam("rod", m.ground, (0.5, 0, 0), material=SOFT, section=fm.Rectangle(0.03, 0.04), elements=2)
        m.weld(m.ground.attach("there", (0.5, 0, 0)), rod.end, name="clamp")
        return m

    assert fm.Tree.of(clamped()).chords == []  # the weld carries the end: the beam is what closes it
    check_run(clamped, 0.02, "aba")


@pytest.mark.filterwarnings("ignore::flexmb.errors.InitialConditionWarning", "ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize("formulation", [None, "aba", "lagrange"])
def test_radau_leaves_the_error_of_the_method_alone(formulation):
    """Of a thousand steps and more: what Newton's method left in each of them in absolute coordinates added up to seven
    times that error, and accelerations showed it by the square of the frequency of the beams. The bounds are those of
    beams without shear."""

    def build():
        m = planar_beams()
        m.components["one"].shear = m.components["two"].shear = False
        return m

    truth = fm.simulate(build(), 0.1, gaps="close", **{**PRECISELY, "tolerance": 1e-12})
    given = {"gaps": "close"} if formulation is None else {"gaps": "close", "formulation": formulation}
    run = fm.simulate(build(), 0.1, "radau", tolerance=1e-8, progress=False, **given)
    assert np.abs(run.q[-1] - truth.q[-1]).max() < 0.05 * 1e-8
    assert np.abs(run.v[-1] - truth.v[-1]).max() < 2e-8
    assert np.abs(run.a[-1] - truth.a[-1]).max() < 3e-5


@pytest.mark.parametrize("method", ["radau", "projection"])
@pytest.mark.parametrize("formulation", ["ada", "dca", "hybrid"])
def test_hinges_that_count_their_turns_hold_reduced_bodies_as_others_do(formulation, method):
    """The row that counts the turns of a joint that closes a loop holds nothing, though the formulation has the others
    of this joint."""

    def hung() -> fm.SpatialModel:
        m = fm.SpatialModel("hung", gravity=(0.3, -9.81, 0.7))
        rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.1, 0.2, 0.3))
        body = m.add_modal_body("blob", Particles.random(seed=3).reduced(damping=0.05), (0.1, 0.2, 0.3))
        holder = rod.attach("holder", np.array(body.at("a").position) - [0.1, 0.2, 0.3])
        m.revolute(m.ground.attach("g", (-0.2, 0.3, 0.3)), rod.attach("end", (-0.3, 0.1, 0)), axis="z", name="top")
        m.revolute(holder, body.at("a"), axis=(0.3, 0.2, 1.0), count_turns=True, name="hinge")
        return m

    one, other = (
        fm.simulate(hung(), 0.5, method, tolerance=1e-8, times=[0.0, 0.25, 0.5], progress=False, **more)
        for more in ({}, {"formulation": formulation})
    )
    assert other.trustworthy
    assert np.abs(np.diff(one["hinge.turn"])).max() > 0.1
    assert other.q == pytest.approx(one.q, abs=1e-6)
