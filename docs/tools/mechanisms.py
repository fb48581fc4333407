"""Pictures of validation cases, on light and on dark ground: mechanisms at their start, and errors over steps."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from docs.tools import looks, validation
from docs.tools.places import FIGURES, ROOT
from flexmb.validation import Case, cases

#: width and height of the picture of a mechanism [pixel]
SIZE = (760, 460)
#: height of a line of a legend [inch]
ROW = 0.2
#: packages on which pictures depend
SOURCES = ("flexmb", "elements", "validation", "examples", "docs/tools")


def draw() -> None:
    """Make all pictures that are missing, or older than the package or the results."""
    changed = max(path.stat().st_mtime for path in _sources())
    for case in cases().values():
        made = pictures(case)
        if made and min(path.stat().st_mtime if path.is_file() else 0.0 for path in made) < changed:
            if case.draw is not None:
                mechanism(case, *made[:2])
            own = validation.results().of(case.name).errors
            plots = made[2 if case.draw is not None else 0 :]
            for k, series in enumerate(validation.by_axis(own).values()):
                looks.save(errors(series), *plots[2 * k : 2 * k + 2])


def pictures(case: Case) -> list[Path]:
    """The files of a case: pairs for light and dark ground, the mechanism first."""
    names = [f"validation-{case.name}"] if case.draw is not None else []
    axes = validation.by_axis(validation.results().of(case.name).errors)
    names += [f"validation-{case.name}-errors-{k}" for k in range(len(axes))]
    return [FIGURES / f"{name}-{ground}.png" for name in names for ground in ("light", "dark")]


def mechanism(case: Case, light: Path, dark: Path) -> None:
    """Draw what a case is about."""
    from flexmb.visual.view import View

    assert case.draw is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the model, of which the case itself speaks
        view = View(case.draw())
        for ground, path in (("light", light), ("dark", dark)):
            path.parent.mkdir(parents=True, exist_ok=True)
            looks.on(view, ground).screenshot(path, size=SIZE)


def errors(series: list[dict[str, Any]]) -> Any:
    """A figure of errors with lines of the orders of theory."""
    import matplotlib
    from matplotlib import style
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    with style.context("flexmb.plots.light"):
        height = 3.6 + ROW * len(series)
        figure = Figure(figsize=(6.2, height))
        below = (0.55 + ROW * len(series)) / height
        ax = figure.add_axes((0.16, below, 0.8, 0.97 - below))  # room for labels such as 6 × 10⁻⁴
        colors = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
        for k, one in enumerate(series):
            x, y = np.array(one["x"]), np.abs(one["errors"])
            color = colors[k % len(colors)]
            label = f"{one['quantity']}, order {abs(one['order']):g}"
            ax.loglog(x, y, "o-", color=color, label=label, markersize=5)
            through = np.exp(np.mean(np.log(y / x ** one["order"])))
            ax.loglog(x, through * x ** one["order"], "--", color=color, linewidth=1.0)
        ax.set(xlabel=series[0]["against"], ylabel="error")
        places = sorted({x for one in series for x in one["x"]})
        if _apart(places):
            ax.set_xticks(places, [f"{place:g}" for place in places])
            ax.xaxis.set_minor_locator(NullLocator())
        figure.legend(loc="lower left", bbox_to_anchor=(0.1, 0.0))
    return figure


def _apart(places: Iterable[float]) -> bool:
    """Whether labels at places of a logarithmic axis have room beside each other."""
    logs = np.log(list(places))
    return bool(np.min(np.diff(logs), initial=np.inf) > 0.12 * np.ptp(logs))


def _sources() -> Iterable[Path]:
    yield validation.FILE
    for package in SOURCES:
        yield from (ROOT / package).rglob("*.py")
