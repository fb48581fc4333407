"""The diagram of error against time of the blade that is spun up in space, without the other code."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.validation.performance.spin_up_space_diagram import Run, draw, fastest, measure


def test_runs_are_measured_and_drawn(tmp_path: Path) -> None:
    """One element with one mode: 0.17 % at 25 ms, and 0.6 % at 50 ms."""
    runs = measure(own=((1, 1),), peers=(), steps=(0.05, 0.025), repeats=1)
    assert [run.steps for run in runs] == [400, 800]
    assert [run.error for run in runs] == pytest.approx([6.3e-3, 1.7e-3], rel=0.05)
    assert all(0.0 < run.seconds < 60.0 for run in runs)
    peer = [Run("Exudyn", 2, kind, 500, error, 0.03) for kind, error in ((0, 0.06), (2, 3e-3))]
    draw([*runs, *peer], tmp_path / "blade.png")
    assert (tmp_path / "blade.png").stat().st_size > 10_000
    found = fastest([*runs, *peer], 5e-3)
    assert found["Exudyn"] is peer[1] and found["flexmb"] is runs[1] and len(found) == 2
