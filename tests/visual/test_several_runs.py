"""Several runs in one view: beside each other and over each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError
from flexmb.visual.several import LAYER


def pendulum(name: str, length: float, duration: float) -> Any:
    m = fm.PlanarModel(name, gravity=(0, -9.81))
    body = m.add_body("bob", mass=1.0, inertia=0.1, position=(length, 0.0))
    m.revolute(m.ground, body.attach("top", (-length, 0.0)), name="hinge")
    return fm.simulate(m, duration, step=0.01)


@pytest.fixture(scope="module")
def runs() -> tuple[Any, Any]:
    return pendulum("long", 1.0, 0.3), pendulum("short", 0.5, 0.2)


def bobs(view: Any, time: float) -> list[Any]:
    return [piece for piece in view.stage([time]) if piece.name == "bob" and piece.role == "body"]


def test_runs_stand_side_by_side(runs: Any) -> None:
    one, other = runs
    view = fm.View([one, other], beside=True, camera="front")
    assert view.title(0.1) == "long: long, short, t = 0.100 s"
    assert view.frame_times(3).tolist() == [0.0, 0.1, 0.2]  # the times of both
    first, second = bobs(view, 0.1)
    alone = bobs(other.view(camera="front"), 0.1)[0]
    shift = second.points(0).mean(axis=0) - alone.points(0).mean(axis=0)
    assert shift[0] > 0.5 and np.allclose(shift[1:], 0.0, atol=1e-9)
    assert second.points(0)[:, 0].min() > first.points(0)[:, 0].max()


def test_runs_over_each_other_have_a_color_each(runs: Any) -> None:
    view = fm.View([*runs], over=True, labels=["a", "b"], background="dark")
    assert view.title(0.1) == "long: a blue, b orange, t = 0.100 s"
    first, second = bobs(view, 0.1)
    assert first.color != second.color and (first.behind, second.behind) == (0.0, LAYER)
    assert np.allclose(second.points(0).mean(axis=0)[:2], bobs(runs[1].view(), 0.1)[0].points(0).mean(axis=0)[:2])


def test_colors_have_one_scale_and_leave_out_what_has_none() -> None:
    def bar(load: float, beams: bool = True) -> Any:
        m = fm.PlanarModel("bar")
        of = fm.planar.BeamProperties(EA=1e6, EI=1e3, rhoA=1.0)
        rod = m.add_beam("rod", (0, 0), (1, 0), properties=of) if beams else m.add_body("rod", mass=1.0, inertia=0.1)
        m.weld(m.ground, rod.start if beams else rod.frame)
        if beams:
            m.point_force(rod.end, (0.0, load), name="load")
        return fm.equilibrium(m).solution

    view = fm.View([bar(-1.0), bar(-30.0), bar(0.0, beams=False)], beside=True, color="bending_moment")
    low, high = view.scales.limits
    assert max(abs(low), abs(high)) >= 30.0 and all(x.scales.limits == (low, high) for x in view.companions.views[:2])
    assert view.companions.views[2].selection.quantity is None


BAD = {
    "neither beside nor over; say beside=True": lambda a, b: fm.View([a, b]),
    "both beside and over": lambda a, b: fm.View([a, b], beside=True, over=True),
    "beside, over and labels are for several runs": lambda a, b: fm.View(a, over=True),
    "there is no run in the list": lambda a, b: fm.View([], over=True),
    r"labels are \['x'\]; give a text for each of the 2": lambda a, b: fm.View([a, b], over=True, labels=["x"]),
    r"their times do not overlap: 'long' 0.25 … 0.3 s, 'short' 0 … 0.2 s": lambda a, b: fm.View(
        [a.at([0.25, 0.3]), b], over=True
    ),
    "'long' and 'stone' are runs of different models": lambda a, b: fm.View([a, stone()], over=True),
    "'long' has 2 dimensions, and 'ball' has 3": lambda a, b: fm.View([a, ball()], beside=True),
    "3 is nothing that can be seen": lambda a, b: fm.View([a, 3], beside=True),
}


def stone() -> Any:
    m = fm.PlanarModel("stone")
    m.add_body("stone", mass=1.0, inertia=1.0)
    return fm.simulate(m, 0.1, step=0.05)


def ball() -> Any:
    m = fm.SpatialModel("ball")
    m.add_body("bob", mass=1.0, inertia=(1.0, 1.0, 1.0))
    return fm.simulate(m, 0.1, step=0.05)


@pytest.mark.parametrize("message", BAD)
def test_runs_that_cannot_be_seen_together_are_refused(runs: Any, message: str) -> None:
    with pytest.raises(FlexmbError, match=message):
        BAD[message](*runs)
