"""What notebooks show of solutions: short whatever the solution, and made in a moment."""

from __future__ import annotations

import re

import numpy as np
import pytest

import flexmb as fm
from flexmb.plots import thumbnail
from flexmb.results import solution as solutions


def chain(links):
    model = fm.PlanarModel("<chain>", gravity=(0, -9.81))
    at = model.ground
    for k in range(links):
        body = model.add_body(f"<b>{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0))
        model.revolute(at, body.attach(f"left {k}", (-0.5, 0)), name=f"hinge {k}")
        at = body.attach(f"right {k}", (0.5, 0))
    return model


@pytest.fixture(scope="module")
def swing():
    return fm.simulate(chain(30), 0.1, step=0.01)


def test_a_report_names_what_there_is_and_counts_the_rest(swing):
    page = swing._repr_html_()
    assert "energy: balance error" in page and "&lt;b&gt;0, &lt;b&gt;1" in page and "… 24 more" in page
    assert "<b>0" not in page and len(page) < 40_000
    page = chain(30)._repr_html_()
    assert "60 components: 30 RigidBody, 30 Revolute" in page and "… 40 more" in page


def test_the_ledger_of_a_long_run_is_made_when_it_is_asked_for(swing, monkeypatch):
    monkeypatch.setattr(solutions, "MOST_TIMES", 5)
    assert "energy" not in (long := swing.at(np.linspace(0.0, 0.1, 6)))._repr_html_()
    assert long.energy.error < 1e-3 and "energy: balance error" in long._repr_html_()


def test_a_small_drawing_shows_the_mechanism_at_its_times(swing, monkeypatch):
    drawing = swing.small_drawing()
    assert drawing.count("<g ") == 5 and drawing.count("<circle") == 5 * 30
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing).groups())
    points = np.array(
        [[float(x) for x in p.split()] for d in re.findall(r'd="M([\d. L]+)z?"', drawing) for p in d.split("L")]
    )
    assert width == 320 and points.min() >= 0.0 and np.all(points.max(axis=0) <= (width, height))
    monkeypatch.setattr(thumbnail, "MOST_POINTS", 100)
    assert swing.small_drawing() == ""


def test_a_run_that_diverged_to_nowhere_has_a_report_all_the_same(swing):
    lost = swing.at([0.0, 0.1])
    lost.q = np.full_like(lost.q, np.nan)
    page = lost._repr_html_()
    assert "nan" not in page.partition("<svg")[2].partition("</svg>")[0]
