"""Every lesson and every script of the gallery runs, and what it asserts holds."""

import runpy

import matplotlib
import matplotlib.pyplot as plt
import pytest

from docs.tools.places import DOCS, GALLERIES

SCRIPTS = sorted(script for room in GALLERIES for script in (DOCS / room).rglob("plot_*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(DOCS)))
def test_script(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg", force=True)
    try:
        runpy.run_path(str(script))
    finally:
        plt.close("all")
