"""The two-link arm: printed frequencies, three modellings that agree, what the motors do, and what control does."""

from __future__ import annotations

import csv
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

import flexmb as fm
from flexmb.cli import main
from flexmb.examples import two_link_arm as arm
from flexmb.examples.two_link_arm import control, motions, report


@pytest.mark.parametrize("modeling", arm.MODELLINGS)
def test_natural_frequencies_with_the_motors_held_are_the_printed_ones(modeling):
    found = fm.modes(arm.held(modeling), 2).frequencies
    np.testing.assert_allclose(found.round(2), arm.FREQUENCIES, atol=1e-9)


@pytest.mark.parametrize("case", arm.CASES)
def test_modellings_agree_in_acceleration(case):
    shared, clamped, cable = (arm.move(case, modeling, 2.5) for modeling in arm.MODELLINGS)
    assert arm.acceleration_difference(shared, clamped) < 1e-6
    assert arm.acceleration_difference(shared, cable) < 1e-3


def test_the_motors_come_to_their_angles():
    solution = arm.move("case 2", t_end=2.5)
    shoulder, elbow = arm.CASES["case 2"]
    rotors = [solution[f"{name} motor.rotor"][-1] / arm.RATIO for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(rotors, [shoulder, elbow], atol=0.02)
    log = solution.control["shoulder motor servo"]
    np.testing.assert_allclose(np.diff(log.t), arm.PERIOD, rtol=1e-9)


def test_a_heavier_tip_swings_slower():
    light, heavy = (fm.modes(_held(mass), 1).frequencies[0] for mass in (arm.TIP_MASS, 1.2 * arm.TIP_MASS))
    assert 0.9 < heavy / light < 0.99


def _held(tip_mass: float) -> fm.PlanarModel:
    model = arm.build(tip_mass=tip_mass).model
    model.lock(model.ground, model.frame("hub"), "angle")
    model.lock(model.frame("elbow"), model.frame("forearm"), "angle")
    return model


@pytest.fixture(scope="module")
def design() -> fm.control.SlidingDesign:
    return arm.design()


def test_the_plant_has_fourteen_coordinates_and_two_filters():
    plant = arm.plant()
    assert len(plant) == 2 * 14 + 2 * 3
    assert plant.controllable and plant.observable
    assert [unit for unit in plant.output_units if unit == "m/s²"] == ["m/s²"] * 2


def test_outstretched_the_links_vibrate_along_their_axes_unseen():
    """Four states of two modes, on which the motors do not act and which sensors across the links do not measure."""
    straight = arm.plant(0.0)
    unreached, unseen = (np.sort(np.abs(poles)) for poles in (straight.uncontrollable, straight.unobservable))
    np.testing.assert_allclose(unreached, unseen, rtol=1e-6)
    # two masses on two rods, one behind the other
    from flexmb.examples.two_link_arm.arm import ELBOW_MASS, TIP_MASS, properties

    k1, k2 = (properties(k).EA / length for k, length in enumerate((0.415, 0.450)))
    m1, m2 = (properties(k).rhoA * length / 3.0 for k, length in enumerate((0.415, 0.450)))
    mass = [[ELBOW_MASS + m1 + m2, 0.5 * m2], [0.5 * m2, TIP_MASS + m2]]
    squares = np.linalg.eigvals(np.linalg.solve(mass, [[k1 + k2, -k2], [-k2, k2]]))
    np.testing.assert_allclose(unreached[::2], np.sort(np.sqrt(squares)), rtol=1e-6)


def test_an_lqr_of_the_undamped_outstretched_arm_names_those_modes():
    with pytest.raises(fm.errors.ControlError, match=r"do not reach 2 of the modes.*Hz, undamped \((tip|forearm)\.x"):
        arm.design(arm.plant(0.0, damping=0.0))


def test_loops_are_stable_in_the_plant(design):
    for gain in (design.S_c, design.K_out):
        assert design.plant.closed(gain).stable


def test_control_takes_the_vibration_away(design):
    """Kobayashi (n.d.), figs. 10 to 12, 16 and 17, four seconds after the start."""
    small = {
        name: arm.controlled(name, arm.SMALL, of=design, t_end=4.3).residual(*arm.TIP, **arm.LATE)
        for name in arm.CONTROLLERS
    }
    assert small["SOSMC"] < 0.2 * small["local feedback"]
    assert small["SOSMC"] < small["SOFB"]
    heavier = {
        name: arm.controlled(name, arm.SMALL, of=design, t_end=4.3, tip_mass=1.2 * arm.TIP_MASS).residual(
            *arm.TIP, **arm.LATE
        )
        for name in ("SOFB", "SOSMC")
    }
    assert heavier["SOSMC"] < 0.1 * heavier["SOFB"]
    assert heavier["SOFB"] > 1.2 * small["SOFB"]


@pytest.mark.parametrize("controller", ["SOFB", "SOSMC"])
def test_the_large_motion_ends_where_it_should(design, controller):
    """Kobayashi (n.d.), figs. 14 and 15."""
    run = arm.controlled(controller, arm.LARGE, of=design)
    for motor in ("shoulder", "elbow"):
        assert run[f"{motor} motor.rotor"][-1] / arm.RATIO == pytest.approx(arm.LARGE.angle, abs=1e-4)
    assert run.residual(*arm.TIP, after=5.25, before=5.75) < 0.01


def test_friction_leaves_vibration_and_turns_the_order_of_the_controllers_round(design):
    """The controllers would have removed it without friction in the motors, sliding mode control more of it."""
    clean, rough, radau = (
        {
            name: arm.controlled(name, arm.SMALL, of=design, t_end=4.3, **given).residual(*arm.TIP, **arm.LATE)
            for name in arm.CONTROLLERS
        }
        for given in ({}, {"friction": arm.FRICTION}, {"friction": arm.FRICTION, "tolerance": 1e-7})
    )
    assert rough["SOSMC"] > 10.0 * clean["SOSMC"]
    assert clean["SOSMC"] < clean["SOFB"] < clean["local feedback"]
    assert 1.5 * rough["SOFB"] < rough["SOSMC"] < rough["local feedback"]
    assert rough == pytest.approx(radau, rel=0.01)


def test_a_faster_reaching_keeps_the_order_of_the_source_with_any_friction(design):
    """The rotors stick below an amplitude that follows from the gains; larger gains of acceleration lower it."""
    firm = arm.design(design.plant, arm.FIRM)
    sticks = [arm.sticking(gain).min() for gain in (firm.K_out, design.S_c, design.K_out)]
    assert sticks[0] < sticks[1] < sticks[2]
    for times in (0.0, 0.5, 1.0, 2.0):
        left = [
            arm.controlled(name, arm.SMALL, of=of, friction=arm.friction(times), t_end=4.3, second_run=False).residual(
                *arm.TIP, **arm.LATE
            )
            for name, of in (("SOSMC", firm), ("SOFB", design), ("local feedback", design))
        ]
        assert left[0] < left[1] < left[2], times


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href")]


@pytest.fixture
def shorter(monkeypatch):
    """A report of shorter runs, whose spectrum is that of one second of free vibration, with a small and jerky film."""
    move, controlled, movie, screenshot = motions.move, control.controlled, fm.View.movie, fm.View.screenshot
    monkeypatch.setattr(motions, "move", lambda case, of="shared", t_end=2.6, **_: move(case, of, 2.6))
    monkeypatch.setattr(control, "controlled", lambda *of, **given: controlled(*of, **{**given, "t_end": 4.3}))
    monkeypatch.setattr(fm.View, "movie", lambda view, path, **_: movie(view, path, fps=4, size=(320, 200)))
    monkeypatch.setattr(fm.View, "screenshot", lambda view, path, **at: screenshot(view, path, size=400, **at))


def test_the_demo_leaves_a_page_whose_links_lead_somewhere(tmp_path, shorter):
    result = CliRunner().invoke(main, ["demo", "two-link-arm", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    written = list(tmp_path.iterdir())
    assert {path.suffix for path in written} >= {".png", ".gif", ".html", ".csv", ".h5"}
    for path in written:
        assert path.name in result.output
        assert path.is_dir() or path.stat().st_size > 100
    page = (tmp_path / "index.html").read_text()
    links = _Links()
    links.feed(page)
    assert len(links.found) > 20
    for link in links.found:
        assert (tmp_path / link).is_file(), link
    least = "It is least under SOSMC, with friction in the motors under SOFB."
    for word in ("printed in the source", "identified from", "assumed", "simulated by flexmb", least):
        assert word in page
    again = fm.load(tmp_path / "case-1.h5")
    with (tmp_path / "case-1.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert float(rows[-1][next(key for key in rows[0] if key.startswith("tip.ay"))]) == pytest.approx(
        again["tip.ay"][-1]
    )


def test_a_machine_that_draws_nothing_gets_the_rest(tmp_path, monkeypatch, shorter):
    """Control, which has no pictures in space, is left out; the test above has it."""

    def refuse(*_, **__):
        raise fm.errors.DisplayError("picture: there is nothing here that draws")

    monkeypatch.setattr(fm.View, "picture", refuse)
    for room, name in ((report, "_linear"), (report, "_controllers"), (control, "design")):
        monkeypatch.setattr(room, name, lambda *_: None)
    arm.run(tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "could not draw pictures in space: picture: there is nothing here that draws" in page
    assert (tmp_path / "arm.html").is_file() and 'src="arm.gif"' not in page
