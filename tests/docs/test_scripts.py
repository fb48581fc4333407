"""Every lesson of the tutorial and every script of the gallery runs, and what it asserts holds."""

import runpy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted([*DOCS.glob("tutorial/plot_*.py"), *DOCS.glob("gallery/**/plot_*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(DOCS)))
def test_script(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg", force=True)
    try:
        runpy.run_path(str(script))
    finally:
        plt.close("all")
