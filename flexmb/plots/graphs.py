"""Graphs of mechanisms: bodies as numbered circles by their levels, hinges as arrows, cut ones dashed."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from flexmb.plots.figures import Target, colors, picture, whole

#: inches for each level and for each body beside others, and the size of a circle [points]
LEVEL, BESIDE, CIRCLE = 1.15, 1.5, 21.0
#: bend of the cut arcs, which would else lie on those of the tree
BEND = 0.28


def numbered_graph(
    levels: Sequence[int],
    arcs: Sequence[tuple[int, int]],
    cuts: Sequence[tuple[int, int]],
    names: Sequence[str],
    labels: Sequence[str],
    path: Target,
    background: str,
) -> Figure:
    """A graph of bodies at `levels`, whose `arcs` of the tree and `cuts` are pairs of bodies, −1 for the ground, with
    `names` of the bodies and `labels` of the arcs, the cut ones after the others."""
    at = places(levels, arcs)
    wide = max((x for x, _ in at), default=0.0) + 1.0
    with picture(path, (1.0 + BESIDE * wide, 1.0 + LEVEL * (max(levels, default=0) + 1)), background) as figure:
        ax, look = figure.subplots(), colors()
        ax.axis("off")
        ax.set_xlim(-0.6, wide - 0.1)
        ax.set_ylim(-max(levels, default=0) - 0.5, 1.0 if any(-1 in cut for cut in cuts) else 0.5)
        ground = (wide - 0.6, 0.75)
        for k, (a, b) in enumerate([*arcs, *cuts]):
            cut = k >= len(arcs)
            ends = [at[end] if end >= 0 else ground for end in (a, b)]
            color = look.lines[1] if cut else look.ink
            how = {
                "arrowstyle": "-|>", "color": color, "linestyle": "--" if cut else "-", "shrinkA": 12.0,
                "shrinkB": 12.0, "connectionstyle": f"arc3,rad={BEND if cut else 0.0}",
            }  # fmt: skip
            ax.annotate("", ends[1], ends[0], arrowprops=how)
            if k < len(labels):
                (x, y), (u, w) = ends
                off = 0.5 * BEND if cut else 0.0  # the middle of the bent arrow, in these units
                middle = 0.5 * (x + u) + off * (w - y), 0.5 * (y + w) - off * (u - x)
                box = {"facecolor": look.paper, "edgecolor": "none", "pad": 0.6}
                ax.text(*middle, labels[k], ha="center", va="center", fontsize=7, color=color, bbox=box)
        if any(-1 in cut for cut in cuts):
            ax.text(*ground, "ground", ha="center", va="center", fontsize=8, color=look.quiet)
        for k, (x, y) in enumerate(at):
            ax.plot(x, y, "o", markersize=CIRCLE, color=look.paper, markeredgecolor=look.lines[0], zorder=3)
            ax.text(x, y, str(k), ha="center", va="center", zorder=4)
            if k < len(names):
                ax.text(x + 0.13, y + 0.1, names[k], ha="left", va="bottom", fontsize=7, color=look.quiet, zorder=4)
    return whole(figure)


def places(levels: Sequence[int], arcs: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Where the bodies stand: each above those that it carries, levels downwards.

    >>> places([0, 1, 1, 2], [(0, 1), (0, 2), (2, 3)])
    [(0.0, 0.0), (0.0, -1.0), (1.0, -1.0), (1.0, -2.0)]
    """
    carried: dict[int, list[int]] = {k: [] for k in range(len(levels))}
    for a, b in arcs:
        carried[a].append(b)
    x, wide = [0.0] * len(levels), 0.0
    roots = [k for k in range(len(levels)) if all(k != b for _, b in arcs)]
    waiting = roots[::-1]
    while waiting:
        k = waiting.pop()
        x[k] = wide
        waiting += carried[k][::-1]
        if not carried[k]:
            wide += 1.0
    return [(x[k], 0.0 - levels[k]) for k in range(len(levels))]
