"""Dynamic stiffening: a blade that its hub spins up beyond its first natural frequency.

The centrifugal tension stiffens the blade. A beam whose deformation is linear in the rotating frame lacks this
stiffness and diverges. One CMS element with a second-order axial field has the largest deflection to 0.1 %.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm

LENGTH, SPEED, DURATION, T_END = 8.0, 4.0, 15.0, 20.0
BLADE = fm.planar.BeamProperties(EA=6.8952e10 * 2.0194 / 2767.0, EI=5666.0, rhoA=2.0194)
HUB = fm.SpinUp(SPEED, DURATION)
#: largest deflection of an exact rod, and of a fine ANCF cable computed with Exudyn [m], and its time [s]
REFERENCE, REFERENCE_TIME = -0.53387, 6.766
#: the same of one element with the strain of its chord alone, by other coordinates
CHORD, CHORD_TIME = -0.59325, 8.0812


def build(theory: str = "cms", elements: int = 1, **options: Any) -> fm.PlanarModel:
    """The blade of 8 m on its driven hub; the hub is the frame "blade.start", the tip "blade.end"."""
    model = fm.PlanarModel("spin-up")
    end = (LENGTH, 0.0)
    blade = model.add_beam("blade", (0.0, 0.0), end, properties=BLADE, theory=theory, elements=elements, **options)
    model.revolute(model.ground, blade.start, name="hub")
    model.drive_angle(model.ground, blade.start, HUB, name="motor")
    return model


def deflection(solution: fm.Solution) -> np.ndarray:
    """Tip deflection (k,) [m] across the hub's direction."""
    return solution.relative("blade.end", to="blade.start").position[:, 1]


def run(out: Path) -> list[Path]:
    """Compare three beams, and draw the blade's motion."""
    from matplotlib.figure import Figure

    chord = fm.simulate(build(axial="chord"), T_END, step=0.01)
    with warnings.catch_warnings():  # this beam warns that its theory fails, which the demo shows
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        linear = fm.simulate(build("floating"), 9.0, step=0.01)
    blade = fm.simulate(build(), T_END, step=0.01)  # the last run: its time has no compiling in it
    w = deflection(blade)
    k = int(np.argmin(w))
    print(blade)
    print(
        f"largest deflection {w[k]:.5f} m at {blade.t[k]:.2f} s; reference {REFERENCE:.5f} m at {REFERENCE_TIME:.2f} s"
    )

    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    ax = figure.subplots()
    ax.axvspan(0, DURATION, color="#f2f4f7", zorder=0)
    ax.text(0.3, 0.16, "hub speeds up", color="#667085", fontsize=9)
    ax.text(DURATION + 0.3, 0.16, "4 rad/s", color="#667085", fontsize=9)
    ax.plot(linear.t, deflection(linear), "--", color="#d95f02", label="linear in the rotating frame: diverges")
    ax.plot(chord.t, deflection(chord), color="#8da0cb", label="one CMS element, strain of the chord alone")
    ax.plot(blade.t, w, color="#0b3c5d", linewidth=2.2, label="one CMS element, second-order field")
    ax.plot(REFERENCE_TIME, REFERENCE, "o", color="#111111", label="largest: exact rod, and cable of Exudyn")
    label = "largest: chord alone, by other coordinates"
    ax.plot(CHORD_TIME, CHORD, "o", color="white", markeredgecolor="#5a6ea8", markeredgewidth=1.6, label=label)
    ax.set(xlim=(0, T_END), ylim=(-1.0, 0.25), xlabel="time [s]", ylabel="tip deflection in the hub frame [m]")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    comparison = out / "spin-up.png"
    figure.savefig(comparison, dpi=140)

    motion = out / "spin-up-motion.png"
    blade.draw(times=np.linspace(5.2, 7.6, 13), trails="blade.end", path=motion)
    return [comparison, motion, blade.save(out / "spin-up.h5")]
