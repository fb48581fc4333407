"""Names and colors of parts and joints, in the plane and in space."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError

matplotlib.use("Agg")


@pytest.fixture(scope="module", params=[2, 3])
def run(request: Any) -> Any:
    d = request.param
    m = fm.PlanarModel("swing", gravity=(0, -9.81)) if d == 2 else fm.SpatialModel("swing", gravity=(0, 0, -9.81))
    place = (1.0, 0.0, 0.0)[:d]
    body = m.add_body("bob", mass=1.0, inertia=0.1 if d == 2 else (0.1,) * 3, position=place)
    top = body.attach("top", (-1.0, 0.0) if d == 2 else (-1.0, 0.0, 0.0))
    m.revolute(m.ground, top, name="hinge", **({} if d == 2 else {"axis": "y"}))
    return fm.simulate(m, 0.1, step=0.01)


def test_names_stand_where_the_parts_are(run: Any, tmp_path: Any) -> None:
    options = {} if run.layout.dimension == 2 else {"camera": "front"}
    figure = run.draw([0.0, 0.1], names=True, path=tmp_path / "n.png", **options)
    found = {text.get_text(): text.xy for text in figure.axes[0].texts}
    assert set(found) == {"bob", "hinge"}
    x, height = run["bob"].position[-1][[0, -1]]
    assert np.allclose(found["bob"], (x, height), atol=1e-9) and np.allclose(found["hinge"], 0.0, atol=1e-9)
    one = run.draw([0.0, 0.1], names=["hinge"], path=tmp_path / "n.png", **options)
    assert [text.get_text() for text in one.axes[0].texts] == ["hinge"]
    with pytest.raises(NamingError, match=r"no part or joint to name 'bobb'.*'bob'"):
        run.draw(names="bobb")


def test_parts_have_the_colors_that_are_given(run: Any) -> None:
    view = run.view(colors={"bob": "#C8372D", "hinge": "#2c8a3d"}, ghosts=[0.0])
    for piece in view.stage([0.1]):
        if piece.name in ("bob", "hinge"):
            assert piece.color == {"bob": "#c8372d", "hinge": "#2c8a3d"}[piece.name]
    with pytest.raises(ModelError, match=r"the color of 'bob' is 'red'; give '#rrggbb'"):
        run.view(colors={"bob": "red"})
    with pytest.raises(NamingError, match=r"no part or joint to color 'bobb'"):
        run.view(colors={"bobb": "#c8372d"})
