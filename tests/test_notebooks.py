"""A notebook, executed for real: each value at the end of a cell is shown, once, and nothing else is."""

from __future__ import annotations

import os
import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

#: the longest report [characters]: a list of names, a table of at most twenty rows and a small drawing
LONGEST = 20_000
SETUP = """
import os
import numpy as np
import flexmb as fm

steel = fm.Material(density=7850, youngs_modulus=205e9)

def pendulum(length=1.0):
    model = fm.PlanarModel("<pendulum>", gravity=(0, -9.81))
    rod = model.add_beam("rod", (0, 0), (0, -length), material=steel, section=fm.Circle(diameter=0.01))
    model.revolute(model.ground, rod.start, name="hinge")
    return model

def period(length):
    rest = fm.equilibrium(pendulum(length))
    return {"period": 1.0 / fm.modes(rest, 1).frequencies[0], "process": os.getpid()}

model = pendulum()
model.point_force(model.frames["rod.end"], (1.0, 0.0), name="push")
solution = fm.simulate(model, 0.2, step=0.01)
rest = fm.equilibrium(model)
"""
STUDY = """
study = fm.study(period, fm.grid(length=[0.5, 1.0, 2.0]), workers=2)
assert os.getpid() not in study["process"]
np.testing.assert_allclose(study["period"], 2 * np.pi * np.sqrt(2 / 3 * study["length"] / 9.81), rtol=1e-3)
study
"""
#: what stands at the end of a cell, and what its report says
REPORTS = {
    "model": ("PlanarModel &#x27;&lt;pendulum&gt;&#x27;", '<td style="text-align:left">hinge</td>'),
    "solution": ("finished", "<svg", "rod.end"),
    "solution.energy": ("balance", "kinetic"),
    "rest": ("stable", "rod.end", "<svg"),
    "rest.state": ("rod.end", "x [m]"),
    "fm.modes(rest, 3)": ("frequency [Hz]", "<svg"),
    "fm.complex_modes(rest, 3)": ("damping ζ [–]",),
    "fm.linearize(rest, inputs='push', outputs=['rod.end.x'])": ("natural frequency [rad/s]", "push"),
    "fm.equilibrium_path(model)": ("load factor [–]",),
    STUDY: ("3 ok", "period"),
    "fm.study(lambda x: {'y': np.arange(x)}, fm.grid(x=range(1, 60)), workers=0)": ("59 ok", "… 39 more"),
}
#: cells that show one picture
PICTURES = (
    "solution.plot('rod.end.x', path='before pyplot.png')",
    "solution.plot('rod.end.x')",
    "figure = solution.plot('rod.end.x')",
    "solution.plot('rod.end.x');",
    "figure",
    "solution.draw()",
    "import matplotlib.pyplot as plt\nsolution.plot('rod.end.x')\nplt.show()",
    "solution.plot('rod.end.x', path='plot.png')",
    "from IPython.display import display\ndisplay(solution.plot('rod.end.x'))",
    "fm.modes(rest, 2).plot()",
    "%config InlineBackend.figure_formats = ['svg']\nsolution.plot('rod.end.x')",
)
#: cells that show pages and films, and what is in their HTML
PAGES = {
    "solution.view().show()": r'<iframe sandbox="allow-scripts" style="[^"]*1200px[^"]*" srcdoc="&lt;!DOCTYPE',
    "solution.view()": r'<iframe [^>]*srcdoc="&lt;!DOCTYPE html',
    "solution.animate('swing.gif', fps=10)": r'<img src="data:image/gif;base64,R0lGOD',
    "solution.animate('swing.mp4', fps=10)": r'<video [^>]*src="data:video/mp4;base64,',
}
BAR = """
import time
from flexmb.machine.progress import ProgressBar
bar = ProgressBar("<bar>", 4.0)
bar._begun -= 1.0
for k in range(3):
    bar.show(k, f"{k} of 4")
    time.sleep(0.11)
bar.stop()
"""


def visible(outputs):
    """What is seen below a cell: no notes that kernels are compiled, and no progress bars that are done."""
    return [out for out in outputs if out.output_type != "stream" and out.data.get("text/html") != ""]


def executed(texts, folder):
    """The outputs of cells, by their text."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    env = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}  # which the kernel sets
    client = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env=env)
    return {cell.source: cell.outputs for cell in book.cells}


def only(outputs, text):
    """The one thing that is seen below a cell."""
    shown = visible(outputs[text])
    assert len(shown) == 1, f"{len(shown)} things are shown by: {text}"
    return shown[0].data


def test_a_notebook_shows_each_value_once_and_in_short(tmp_path):
    """All in one test, since all cells are executed by one kernel."""
    cells = executed([SETUP, *REPORTS, *PICTURES, *PAGES, BAR], tmp_path)
    streams = [out.text for outputs in cells.values() for out in outputs if out.output_type == "stream"]
    assert not [text for text in streams if not text.startswith("flexmb: compiling kernels")]
    assert not visible(cells[SETUP])
    for text, words in REPORTS.items():
        page, plain = (only(cells, text)[kind] for kind in ("text/html", "text/plain"))
        assert not [word for word in words if word not in page], text
        assert "<pendulum>" not in page and len(page) < LONGEST, text
        assert len(plain) < 300 and "array(" not in plain, text
    for text in PICTURES:
        data, kind = only(cells, text), "image/svg+xml" if "svg" in text else "image/png"
        assert {"image/png", "image/svg+xml"} & data.keys() == {kind} and len(data[kind]) > 5000, text
    for text, pattern in PAGES.items():
        page = only(cells, text)["text/html"]
        assert re.match(pattern, page) and "https:" not in page, text
    assert [out.data for out in cells[BAR]] == [{"text/html": "", "text/plain": ""}]
