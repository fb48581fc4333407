"""Diagrams on dark ground can be read: writing and lines have contrast with it."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image

import flexmb as fm
from flexmb.errors import ResultFileError
from flexmb.results.dark import GROUND, contrast
from tests.models import flexible_pendulum


@pytest.fixture(scope="module")
def run() -> fm.Solution:
    return fm.simulate(flexible_pendulum(), 0.3, step=0.01, progress=False)


@pytest.mark.parametrize("kind", ["plot", "draw", "spectrum", "along"])
def test_what_was_dark_on_white_is_light_on_dark(run, kind, tmp_path):
    path = tmp_path / "light.png"
    beam = next(iter(run.layout.beams))
    make = {
        "plot": lambda: run.plot(f"{beam}.end.y", path=path),
        "draw": lambda: run.draw(path=path),
        "spectrum": lambda: run.plot_spectrum(f"{beam}.end.y", path=path),
        "along": lambda: run.plot_along(beam, "bending_moment", path=path),
    }
    figure = make[kind]()
    seen = [line for line in figure.findobj(Line2D) if contrast(line.get_color(), "white") > 3.0]
    fm.darken(figure, tmp_path / "dark.png")
    for text in figure.findobj(Text):
        if text.get_text() and text.get_visible():
            assert contrast(text.get_color()) > 4.5, text.get_text()
    assert seen
    for line in seen:
        assert contrast(line.get_color()) > 3.0
    corner = np.asarray(Image.open(tmp_path / "dark.png").convert("RGB"))[0, 0]
    np.testing.assert_allclose(corner, np.rint(255 * np.array(to_rgb(GROUND))), atol=1)
    assert np.asarray(Image.open(path).convert("RGB"))[0, 0].min() == 255


def test_a_folder_that_is_not_there_is_told(run, tmp_path):
    figure = run.draw(path=tmp_path / "light.png")
    with pytest.raises(ResultFileError, match="no/dark"):
        fm.darken(figure, tmp_path / "no" / "dark.png")


def test_contrast_is_that_of_the_guidelines():
    """Values that are published for pairs of colours."""
    assert contrast("black", "white") == pytest.approx(21.0)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)
