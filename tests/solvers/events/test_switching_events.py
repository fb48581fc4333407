"""Components switched by events, as users write them."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import SwitchingError
from flexmb.solvers.changes import switching
from flexmb.validation.docking import plane
from flexmb.validation.performance.one_run import latched
from tests.solvers.every_method import METHODS_WITH_OPTIONS

quiet = {"progress": False}


def door(stiffness: float = 5.0) -> fm.PlanarModel:
    """A door that its closer shuts, and a latch that holds it then."""
    m = fm.PlanarModel("house")
    leaf = m.add_body("door", mass=20.0, inertia=2.0, position=(0.5, 0))
    edge = leaf.attach("edge", (-0.5, 0))
    m.revolute(m.ground, edge, name="hinge")
    m.torsion_spring(m.ground, edge, stiffness=stiffness, free_angle=1.2)
    m.switch_off(m.lock(m.ground, edge, "angle", name="latch"))
    m.add_event(fm.crossing("door.angle", 1.0, "up"), fm.Switch(on="latch"), name="shut", once=True)
    return m


@pytest.mark.parametrize(("method", "options"), METHODS_WITH_OPTIONS)
def test_a_latch_closes_by_an_event_in_every_method(method, options):
    m = door()
    m.add_event(4.0, fm.Switch(off="latch"), name="opened")
    solution = fm.simulate(m, 5.0, method, **options, **quiet)
    shut, opened = solution.events
    speed = np.sqrt(5.0 * (1.2**2 - 0.2**2) / 7.0)
    omega = np.sqrt(5.0 / 7.0)
    assert shut.t == pytest.approx(np.arccos(0.2 / 1.2) / omega, abs=2e-4)
    assert shut.impulses["latch"][1] == pytest.approx(-7.0 * speed, rel=2e-4)
    assert shut.lost == pytest.approx(3.5 * speed**2, rel=3e-4)
    wanted = 1.2 - 0.2 * np.cos(omega * 1.0)
    assert solution["door.angle"][-1] == pytest.approx(wanted, abs=2e-4) and opened.t == pytest.approx(4.0)
    assert solution.energy.error < 1e-3 and not solution.doubts
    held = solution.reaction("latch")[1]
    on = solution.is_on("latch")
    assert held[on] == pytest.approx(-1.0, rel=1e-6) and not held[~on].any()  # 5 Nm/rad · 0.2 rad against the spring


def test_chosen_times_are_those_of_the_steps():
    t = np.linspace(0.0, 5.0, 26)
    some = fm.simulate(door(), 5.0, "radau", times=t, **quiet)
    whole = fm.simulate(door(), 5.0, "radau", **quiet)
    np.testing.assert_allclose(some.q, whole.at(t).q, rtol=0, atol=1e-10)
    assert some.is_on("latch").tolist() == (t > whole.events[0].t).tolist() == whole.at(t).is_on("latch").tolist()
    assert some.energy.switching[-1] == whole.energy.switching[-1] == whole.events[0].lost
    assert some.energy.error < 1e-6 and some.events[0].lost == whole.events[0].lost


def test_what_does_not_fit_ends_the_run_with_what_it_has():
    m = plane()
    m.switch_off(m.revolute(m.frames["a.port"], m.frames["b.port"], name="pin"))
    m.add_event(0.3, fm.Switch(on="pin"), name="too early")
    with pytest.raises(SwitchingError, match=r"at t = 0\.3 s: joint 'pin' would have to jump into place") as raised:
        fm.simulate(m, 1.0, **quiet)
    solution = raised.value.solution
    assert solution.status == "failed" and solution.t[-1] == pytest.approx(0.3) and "pin" in solution.message


def test_what_cannot_be_off_is_refused_before_the_run():
    m = door()
    m.add_event(1.0, fm.Switch(off="door"))
    with pytest.raises(fm.errors.ModelError, match="'door' cannot be switched off: it has inertia"):
        fm.simulate(m, 2.0, **quiet)


def test_a_second_run_starts_with_a_model_as_it_was():
    m = door()
    first, second = (fm.simulate(m, 3.0, "radau", **quiet) for _ in range(2))
    np.testing.assert_array_equal(first.q, second.q)
    assert not first.is_on("latch")[0] and m.off == {"latch"}
    on = fm.simulate(m, 6.0, "radau", initial=first, t_start=3.0, **quiet)
    assert on.is_on("latch").all() and np.ptp(on["door.angle"]) < 1e-12


def test_energy_and_events_come_back_from_a_file(tmp_path):
    solution = fm.simulate(door(), 3.0, **quiet)
    loaded = fm.load(solution.save(tmp_path / "door.h5"))
    assert loaded.energy.switching[-1] == solution.events[0].lost
    np.testing.assert_array_equal(loaded.is_on("latch"), solution.is_on("latch"))
    assert loaded["energy.switching"][-1] == solution["energy.switching"][-1]
    with pytest.raises(fm.errors.NamingError, match="there is no component 'lach'"):
        loaded.is_on("lach")


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853", "projection"])
def test_a_weld_beside_a_hinge_repeats_its_rows_and_goes_on_from_any_time(method):
    m = fm.PlanarModel("two links", gravity=(0, -9.81))
    a = m.add_body("a", mass=2.0, inertia=0.3, position=(0.5, 0))
    b = m.add_body("b", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, a.attach("a0", (-0.5, 0)))
    m.revolute(a.attach("a1", (0.5, 0)), b.attach("b0", (-0.5, 0)), name="hinge")
    m.switch_off(m.weld(a.attach("a2", (0.6, 0.1)), b.attach("b2", (-0.4, 0.1)), name="weld"))
    m.add_event(0.5, fm.Switch(on="weld"))
    m.add_event(0.9, fm.Switch(off="weld"))
    solution = fm.simulate(m, 1.2, method, **quiet)
    assert solution.energy.error < 1e-4 and solution.joints_not_unique == ["hinge", "weld"]
    assert solution.events[0].lost == pytest.approx(0.3017, abs=3e-4)
    later = fm.simulate(m, 0.8, method, initial=solution.at([0.6]), t_start=0.6, **quiet)
    assert later.is_on("weld").all()
    np.testing.assert_allclose(later.q[-1], solution.at([0.8]).q[0], rtol=0, atol=1e-4)


def test_impulses_are_found_when_somebody_reads_them(monkeypatch):
    found, impulses = [], switching.impulses_of_joints
    monkeypatch.setattr(switching, "impulses_of_joints", lambda *given: found.append(given[1]) or impulses(*given))
    m = door()
    m.add_event(4.0, fm.Switch(off="latch"), name="opened")
    shut, opened = fm.simulate(m, 5.0, **quiet).events
    assert not found, "nobody has read any"
    assert list(shut.impulses) == ["hinge", "latch"] and not opened.impulses
    assert len(shut.impulses["latch"]) == 2 and found == [pytest.approx(shut.t, abs=1e-6)], "they are found once"


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_each_return_to_a_latch_has_what_the_latch_found_then(method: str) -> None:
    """A lock holds another angle each time that it is switched on; what is asked of the run afterwards, for an earlier
    time, must not read the angle found last."""
    solution = fm.simulate(latched(), 1.0, method, progress=False)
    epochs = solution.source.epochs
    beginnings = [epoch.first for epoch in epochs]
    found = []
    for epoch, first, end in zip(epochs, beginnings, [*beginnings[1:], len(solution.t)]):
        system = epoch.system
        for k in (first, end - 1):
            g = system.constraint(solution.t[k], solution.q[k], solution.v[k])[0]
            assert np.max(np.abs(g)) < 1e-9
        if "latch" not in system.off:
            (k,) = (k for k, row in enumerate(system.rows) if row.owner == "latch")
            found.append(system.constraint(0.0, system.q0, system.v0)[0][k])
    assert len(found) == 10 and len(set(np.round(found, 6))) == 10
    assert len({id(epoch.system.scratch) for epoch in epochs}) < len(epochs)
    assert abs(solution.energy.error) < 1e-4
    first = solution.events[0].impulses["latch"]
    again = fm.simulate(latched(), 0.05, method, progress=False).events[0].impulses["latch"]
    assert first[1] == pytest.approx(again[1], rel=1e-6)
