"""Components switched on and off in a run: momentum, impulses, energy, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SwitchingError
from tests.solvers.every_method import METHODS_WITH_OPTIONS
from tests.solvers.switching_runs import run_with


def ships(spring: bool = False) -> fm.PlanarModel:
    """Two bodies in the plane that drift towards each other, and a weld that is off."""
    m = fm.PlanarModel("ships")
    a = m.add_body("a", mass=2.0, inertia=0.3, angle=0.1)
    b = m.add_body("b", mass=3.0, inertia=0.5, position=(1.4, 0.2))
    a.frame.move((1.0, 0.2), 0.5)
    b.frame.move((-0.5, 0.1), -0.8)
    ports = a.attach("port", (0.3, 0)), b.attach("port", (-0.3, 0))
    m.switch_off(m.weld(*ports, name="dock"))
    if spring:
        m.spring_damper(*ports, stiffness=3.0, name="spring")
    return m


PLAN = [(0.5, ["dock"], ()), (1.2, (), ["dock"])]


def momenta(solution, rows):
    system = solution.source.system
    return [system.momentum(solution.t[k], solution.q[k], solution.v[k]) for k in rows]


@pytest.mark.parametrize(("method", "options"), METHODS_WITH_OPTIONS)
def test_momentum_is_kept_to_rounding_and_energy_balances(method, options):
    solution, (docked, released) = run_with(ships(), 2.0, PLAN, method, **options)
    joined, free = (epoch.first for epoch in solution.source.epochs[1:])
    before, behind, apart = momenta(solution, [joined - 1, joined, free])
    np.testing.assert_allclose(behind, before, rtol=0, atol=4e-16)
    np.testing.assert_array_equal(solution.v[free], solution.v[free - 1])
    np.testing.assert_allclose(apart, before, rtol=0, atol=1e-6)
    assert docked.lost == pytest.approx(1.5522391304347822, rel=1e-9) and released.lost == 0.0
    energy = solution.energy
    assert energy.error < 1e-9 and energy.switching[-1] == docked.lost
    np.testing.assert_array_equal(
        solution.is_on("dock"), (np.arange(len(solution)) >= joined) & (np.arange(len(solution)) < free)
    )
    force, _ = solution.reaction("dock")
    assert not force[~solution.is_on("dock")].any() and np.all(np.linalg.norm(force[joined:free], axis=1) > 1e-4)
    assert not solution.doubts


def test_impulses_are_the_change_of_momentum_of_each_body():
    solution, (docked, _) = run_with(ships(), 2.0, PLAN)
    k = solution.source.epochs[1].first
    jump = solution.v[k] - solution.v[k - 1]
    force, moment = docked.impulses["dock"]
    np.testing.assert_allclose(force, 3.0 * jump[3:5], rtol=1e-12)
    np.testing.assert_allclose(force, -2.0 * jump[:2], rtol=1e-12)
    arm = solution["b"].position[k] - solution["b.port"].position[k]
    assert 0.5 * jump[5] == pytest.approx(moment - arm[0] * force[1] + arm[1] * force[0], rel=1e-12)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853", "independent"])
def test_chosen_times_files_and_both_sides(method, tmp_path):
    full, _ = run_with(ships(spring=True), 2.0, PLAN, method)
    t = np.linspace(0.0, 2.0, 41)
    some, _ = run_with(ships(spring=True), 2.0, PLAN, method, times=t)
    there = full.at(t)
    for what in ("q", "v", "multipliers"):
        np.testing.assert_allclose(getattr(some, what), getattr(there, what), rtol=0, atol=1e-12)
    for x in (some, there):
        assert x.is_on("dock").tolist() == ((t >= 0.5) & (t < 1.2)).tolist()
        np.testing.assert_allclose(x.energy.switching[t >= 0.5], full.energy.switching[-1], rtol=1e-14)
        assert x.energy.error < 2.0 * full.energy.error + 1e-8
    loaded = fm.load(full.save(tmp_path / "run.h5"))
    assert loaded.is_on("dock").tolist() == full.is_on("dock").tolist()
    assert loaded.energy.switching.tolist() == full.energy.switching.tolist()
    assert loaded.at(t).is_on("dock").tolist() == there.is_on("dock").tolist()
    np.testing.assert_allclose(loaded.at(t).reaction("dock")[0], there.reaction("dock")[0], rtol=0, atol=1e-12)


def test_a_run_goes_on_with_what_is_on():
    first, _ = run_with(ships(spring=True), 1.0, PLAN[:1])
    whole, _ = run_with(ships(spring=True), 2.0, PLAN[:1])
    model = first.model
    second = fm.simulate(model, 2.0, "radau", initial=first, t_start=1.0, progress=False)
    assert second.is_on("dock").all() and second.energy.error < 1e-6
    np.testing.assert_allclose(second.q[-1], whole.q[-1], rtol=0, atol=1e-7)
    assert not fm.simulate(model, 0.1, progress=False).is_on("dock").any()  # the model is as it was


def test_springs_are_let_go_with_what_is_in_them():
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    other = m.add_frame("wall", (2.0, 0.0), fixed=True)
    spring = m.spring_damper(other, body.frame, stiffness=8.0, free_length=1.5, name="spring")
    body.frame.move((0.3, 0.0))
    solution, (event,) = run_with(m, 1.0, [(0.2, (), [spring])])
    k = solution.source.epochs[1].first
    assert event.lost == pytest.approx(solution.energy.strain[k - 1]) and event.lost > 0.1
    assert solution.energy.strain[k] == 0.0 and solution.energy.error < 1e-8
    np.testing.assert_allclose(solution.a[k:], 0.0)


@pytest.mark.parametrize(
    ("on", "off", "said"),
    [
        (["dock"], ["dock"], "is to be on and off"),
        ((), ["dock"], "'dock' is off already"),
        (["spring"], (), "'spring' is on already"),
        (["hook"], (), "there is no component 'hook'"),
        ((), ["a"], "body 'a' cannot be switched off: it has inertia"),
        ((), (), "nothing is to be on or off"),
        (["hinge"], (), r"'hinge' would have to jump into place, it is off in x by 0\.\d+ m, y by"),
    ],
)
def test_what_cannot_be_switched_is_refused_by_name(on, off, said):
    m = ships(spring=True)
    m.switch_off(m.revolute(m.frames["a.port"], m.frames["b.port"], name="hinge"))
    with pytest.raises(fm.FlexmbError, match=said):
        run_with(m, 1.0, [(0.1, on, off)])
    assert issubclass(SwitchingError, fm.FlexmbError)
