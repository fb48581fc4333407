"""Jets: their instants, pulses and delays, runs that go on, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, DivergenceWarning, ModelError, NamingError, SolverError
from flexmb.validation.jets import AHEAD, CHANGE, DEAD, DELAY, PULSE, build
from flexmb.validation.references.jets import cycle

PERIOD = cycle(0.5 * CHANGE, CHANGE, DEAD, AHEAD, PULSE, DELAY)[0]


def pusher(**options: Any) -> tuple[fm.SpatialModel, Any]:
    """A mass of 10 kg at 1 m/s, which a jet of 10 N pushes back behind x = 1 m."""
    m = fm.SpatialModel("m")
    hull = m.add_body("hull", mass=10.0, inertia=(1, 1, 1))
    hull.move((1.0, 0, 0))
    return m, m.thruster(hull.frame, 10.0, "hull.x", **{"opens": 1.0, "axis": (-1, 0, 0), "name": "jet", **options})


@pytest.mark.parametrize(
    "method, options",
    [
        ("radau", {}), ("dop853", {}), ("generalized_alpha", {"step": 0.02}), ("independent", {}), ("projection", {}),
        ("dop853", {"formulation": "aba"}),
    ],
)  # fmt: skip
def test_a_limit_cycle_has_its_period(method: str, options: Any) -> None:
    m = build()
    run = fm.simulate(m, 2.1 * PERIOD, method, progress=False, **options)
    pulses = m.components["right"].pulses(run)
    assert np.diff(pulses[:, 0]) == pytest.approx(PERIOD, abs=2e-5)
    assert np.diff(pulses, axis=1) == pytest.approx(PULSE, abs=1e-7)
    assert run.energy.error < 1e-5


def test_delay_and_pulse() -> None:
    m, jet = pusher(delay=0.25, pulse=0.5)
    run = fm.simulate(m, 4.0, progress=False)
    # at x = 1 for t = 1, open from 1.25 on; behind x = 1 again for 0.25 + t − t²/2 = 0, closed 0.25 later
    back = 1.25 + 1.0 + np.sqrt(1.5)
    assert jet.pulses(run) == pytest.approx(np.array([[1.25, back + 0.25]]), abs=1e-6)
    names = [record.name for record in run.events]
    assert names == ["jet: told to open", "jet: valve", "jet: told to close", "jet: valve"]
    m, jet = pusher(pulse=3.0)
    assert jet.pulses(fm.simulate(m, 6.0, progress=False)) == pytest.approx(np.array([[1.0, 4.0]]), abs=1e-6)


def test_a_start_beyond_the_threshold_opens() -> None:
    m, jet = pusher(opens=-0.5, delay=0.1)
    run = fm.simulate(m, 1.0, progress=False)
    assert jet.pulses(run) == pytest.approx(np.array([[0.1, 1.0]]), abs=1e-9)
    assert "jet" in m.off


@pytest.mark.parametrize("after", [-0.01, 0.01, 0.05])  # before the valve opens, within its pulse
def test_a_run_goes_on_with_what_is_on_its_way(after: float, tmp_path: Path) -> None:
    m = build()
    given = {"method": "dop853", "tolerance": 1e-9, "progress": False}
    whole = fm.simulate(m, 1.5 * PERIOD, **given)
    opens = m.components["right"].pulses(whole)[0, 0]
    first = fm.simulate(m, opens + after, **given)
    first.save(tmp_path / "first.h5")
    for start in (first, fm.load(tmp_path / "first.h5")):
        on = fm.simulate(m, 1.5 * PERIOD, initial=start, t_start=float(first.t[-1]), **given)
        assert on["hull.wz"][-1] == pytest.approx(whole["hull.wz"][-1], abs=1e-9)
        assert m.components["right"].pulses(on)[0, 1] == pytest.approx(opens + PULSE, abs=1e-6)


def test_a_jet_that_is_open_all_the_time_has_a_pulse() -> None:
    m, jet = pusher(axis="x", exhaust=1e4)
    first = fm.simulate(m, 2.0, progress=False)
    on = fm.simulate(m, 3.0, initial=first, t_start=2.0, progress=False)
    assert not on.events and jet.pulses(on) == pytest.approx(np.array([[2.0, 3.0]]))
    assert jet.used(on) == pytest.approx(1e-3)


def test_a_run_that_uses_much_of_the_mass_is_in_doubt() -> None:
    m, _ = pusher(axis="x", exhaust=50.0)  # 0.2 kg a second, of 10 kg
    assert fm.simulate(m, 1.4, progress=False).trustworthy
    with pytest.warns(AccuracyWarning, match=r"thruster 'jet' uses 0\.2 kg, and what carries it keeps its mass"):
        fm.simulate(m, 2.0, progress=False)
    m.add_point_mass("tank", m.components["hull"].frame, 20.0)
    assert fm.simulate(m, 2.0, progress=False).trustworthy


def test_what_does_not_know_of_valves_is_refused() -> None:
    m, _ = pusher()
    m.add_event(0.5, fm.Switch(on=["jet"]), name="by hand")
    with pytest.raises(ModelError, match="event 'by hand': it switches thruster 'jet', whose valve moves by its law"):
        fm.simulate(m, 1.0, progress=False)
    with pytest.raises(SolverError, match="it has the thruster 'jet', and derivatives do not go through instants"):
        fm.sensitivity(lambda delay: pusher(delay=delay)[0], {"delay": 0.1}, 2.0, final="hull.x", step=0.01)


def test_a_law_that_chatters_ends_the_run_by_name() -> None:
    m = build(0.02, pulse=0.0, delay=0.0, apart=0.0)
    with pytest.warns(DivergenceWarning, match="event 'right: told to .*' has happened 50 times"):
        run = fm.simulate(m, 10.0, progress=False)
    assert run.status == "diverged"
    # where the jet opens, and the law closes it at once: the pulse stays
    m = build(0.02, delay=0.0, apart=0.0)
    run = fm.simulate(m, 5.0, progress=False)
    assert np.diff(m.components["right"].pulses(run)[1:], axis=1) == pytest.approx(PULSE, abs=1e-7)


def test_a_jet_on_a_beam_pushes_it() -> None:
    m = fm.SpatialModel("boom")
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    boom = m.add_beam("boom", m.ground, (2.0, 0, 0), material=steel, section=fm.Rectangle(0.03, 0.03))
    jet = m.thruster(boom.at(0.9), 5.0, "boom.end.z", opens=-1e-3, axis="z", exhaust=1e3)
    run = fm.simulate(m, 0.05, progress=False)
    assert run["boom.end.z"][-1] > 0.0 and jet.used(run) == pytest.approx(0.05 * 5e-3, rel=1e-6)


def test_wrong_data_are_named() -> None:
    for options, says in (
        ({"thrust": -1.0}, "thruster 'jet': thrust is -1"),
        ({"closes": 2.0}, "thruster 'jet': it opens above 1 and closes below 2"),
        ({"pulse": -1.0}, "thruster 'jet': pulse is -1"),
        ({"law": 3.0}, "thruster 'jet': its law 3.0 is no name"),
    ):
        m = fm.SpatialModel("m")
        hull = m.add_body("hull", mass=10.0, inertia=(1, 1, 1))
        given = {"thrust": 10.0, "law": "hull.x", "opens": 1.0, "name": "jet", **options}
        with pytest.raises(ModelError, match=says):
            m.thruster(hull.frame, **given)
    m, jet = pusher()
    with pytest.raises(ModelError, match="thruster 'jet': give its exhaust"):
        jet.used(fm.simulate(m, 0.1, progress=False))
    m, _ = pusher()
    m.components["jet"].law = "hull.q"
    with pytest.raises(NamingError, match="event 'jet: told to open'"):
        fm.simulate(m, 1.0, progress=False)
    m, _ = pusher()
    m.add_event(0.5, fm.Note(), name="jet: valve")
    with pytest.raises(NamingError, match="a jet of that name has such an event"):
        fm.simulate(m, 1.0, progress=False)
