"""Modal assurance criteria as a table of colors."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from flexmb.plots.figures import Target, picture, whole


def correlation(
    criteria: np.ndarray, computed: np.ndarray, measured: np.ndarray, path: Target, background: str
) -> Figure:
    """The criteria (n, m) of computed modes, upwards, and of measured ones, along, with their frequencies [Hz]."""
    n, m = criteria.shape
    with picture(path, (2.4 + 0.55 * m, 1.6 + 0.45 * n), background) as figure:
        ax = figure.subplots()
        image = ax.imshow(criteria, origin="lower", vmin=0.0, vmax=1.0, cmap="viridis", aspect="auto")
        figure.colorbar(image, ax=ax, label="MAC")
        ax.set_xticks(range(m), [f"{f:.4g}" for f in measured], rotation=60)
        ax.set_yticks(range(n), [f"{f:.4g}" for f in computed])
        ax.set(xlabel="measured [Hz]", ylabel="computed [Hz]")
        for i, j in np.argwhere(criteria >= 0.05):
            ax.text(j, i, f"{criteria[i, j]:.2f}", ha="center", va="center", fontsize=7,
                    color="black" if criteria[i, j] > 0.6 else "white")  # fmt: skip
    return whole(figure)
