"""A quicker slew, as it is and shaped: what the boom swings by at its own frequency afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import flexmb as fm
from flexmb.examples.spacecraft.craft import PERIOD, START, TURN, build, tip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: how long the slew lasts, how long the craft is watched after it, and from when on it is measured [s]
LASTS, WATCHED, AFTER = 15.0, 60.0, 8.0
#: elements of boom and panels, and their theory: where a beam bends by millimetres, modes are enough
ELEMENTS = (1, 1, "cms")
#: modes of the loop below this frequency [rad/s] turn the craft; those with less damping than this part vibrate
SLOW, VIBRATES = 0.3, 0.2


def poles() -> np.ndarray:
    """The poles (k,) [1/s] of the craft under its law, without gravity and without those that rest."""
    loop = fm.linearize(build(*ELEMENTS, gravity=None), controllers="closed")
    steps = np.asarray(loop.poles, dtype=complex)
    found = np.log(steps[np.abs(steps) > 0.0]) / PERIOD
    return np.asarray(found[np.abs(found) > 1e-3])


def of_boom(found: np.ndarray) -> complex:
    """The slowest pole that vibrates: the boom sways at its root."""
    swaying = [s for s in found if s.imag > SLOW and -s.real < VIBRATES * abs(s)]
    return complex(min(swaying, key=abs))


def slews() -> tuple[dict[str, fm.Solution], np.ndarray]:
    """The runs of the plain slew and of that shaped by ZVD, and the poles of the loop."""
    found = poles()
    plain = fm.SmoothStep(START, LASTS, 0.0, TURN)
    shaped = fm.control.input_shaper("zvd", [of_boom(found)])(plain)
    t_end = START + LASTS + WATCHED
    times = np.linspace(0.0, t_end, round(4 * t_end) + 1)
    runs = {
        name: fm.simulate(build(*ELEMENTS, turn=turn), t_end, tolerance=1e-6, times=times, progress=False)
        for name, turn in (("plain", plain), ("shaped by ZVD", shaped))
    }
    return runs, found


def swing(run: fm.Solution, found: np.ndarray) -> float:
    """The amplitude [m] with which the tip of the boom swings at its own pole, at the time from which is measured. The
    slow turning of the craft, which bends the boom too, is told apart by the poles of its own."""
    t = run.t - (START + LASTS + AFTER)
    boom = of_boom(found)
    slow = [s for s in found if s.imag > 0.0 and abs(s) < SLOW]
    motions = [np.exp(s * t) for s in (*slow, boom)]
    columns = np.column_stack([np.ones_like(t), *(x for z in motions for x in (z.real, z.imag))])
    later = t >= 0.0
    amplitudes = np.linalg.lstsq(columns[later], tip(run)[later], rcond=None)[0][-2:]
    return float(np.hypot(*amplitudes).max())


def diagram(runs: dict[str, fm.Solution], found: np.ndarray) -> Figure:
    """The tip of the boom along y over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    ax = figure.subplots()
    for name, run in runs.items():
        label = f"{name}: {1e3 * swing(run, found):.2g} mm at {abs(of_boom(found).imag):.2f} rad/s"
        ax.plot(run.t, 1e3 * tip(run)[:, 0], label=label)
    ax.axvline(START + LASTS + AFTER, color="0.5", linewidth=0.8)
    ax.legend(frameon=False)
    ax.set(xlabel="t [s]", ylabel="tip of the boom [mm]")
    return figure


def report(path: Path) -> Path:
    """Both slews, in print and as a diagram."""
    runs, found = slews()
    both = ", ".join(f"{name} {1e3 * swing(run, found):.2f} mm" for name, run in runs.items())
    print(f"after a slew in {LASTS:g} s the boom swings at {abs(of_boom(found).imag):.2f} rad/s by: {both}")
    diagram(runs, found).savefig(path, dpi=140)
    return path
