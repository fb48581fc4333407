"""Steps, time and size of runs with default settings, and their error against a tight run.

Run by ``python -m flexmb.validation.performance.default_settings``. Each model is simulated with all settings at their
defaults, and with others if asked for. The error is the largest of any coordinate at 101 times, in lengths of the model
or radians, as tolerances are; that of a tight run of another method and another family (`dop853`, 1e-9) is below 1e-8.
Times are processor times of one run of which the kernels are compiled before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples import deployment, four_bar, gyroscope, pendulum, slider_crank, spin_up, two_squares

#: a tight run
TIGHT: dict[str, Any] = {"method": "dop853", "tolerance": 1e-9}
#: times at which coordinates are compared
TIMES = 101

STEEL = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
RUBBER = fm.Material(density=1200, youngs_modulus=5e6, poissons_ratio=0.4)


def arm() -> fm.SpatialModel:
    """An arm of six driven joints and two flexible links; it begins unbent under its weight, so that it vibrates."""
    model = fm.SpatialModel("arm", gravity=(0.0, 0.0, -9.81))
    place, frame = np.zeros(3), model.ground
    links = [("z", 0.3, 1.0), ("y", 0.8, 2.0), ("y", 0.8, 1.0), ("x", 0.1, 0.5), ("y", 0.1, 0.5), ("x", 0.1, 0.3)]
    for k, (axis, length, mass) in enumerate(links, 1):
        ahead = np.array([1.0, 0.0, 0.0] if k > 1 else [0.0, 0.0, 1.0])
        hub = model.add_body(f"hub{k}", mass=mass, inertia=(0.01, 0.01, 0.01), position=place)
        joint = model.revolute(frame, hub.frame, axis=axis, name=f"j{k}")
        model.drive_joint(joint, fm.SmoothStep(0.1, 1.5, 0.0, 0.5 * (-1) ** k))
        end = place + length * ahead
        if k in (2, 3):
            tube = fm.Tube(outer_diameter=0.04, inner_diameter=0.036)
            frame = model.add_beam(f"link{k}", hub.frame, end, material=STEEL, section=tube, modes=2).end
        else:
            link = model.add_body(f"link{k}", mass=1.0, inertia=(0.01, 0.01, 0.01), position=0.5 * (place + end))
            model.weld(hub.frame, link.frame.attach(f"start{k}", -0.5 * length * ahead))
            frame = link.frame.attach(f"end{k}", 0.5 * length * ahead)
        place = end
    return model


def soft_pendulum() -> fm.PlanarModel:
    """A rod of rubber that is let go level."""
    model = fm.PlanarModel("soft pendulum", gravity=(0.0, -9.81))
    section = fm.Circle(diameter=0.03)
    rod = model.add_beam("rod", (0.0, 0.0), (1.0, 0.0), material=RUBBER, section=section, elements=9)
    model.revolute(model.ground, rod.start)
    return model


#: models, with the times to which they run [s]
MODELS: dict[str, tuple[Callable[[], fm.PlanarModel | fm.SpatialModel], float]] = {
    "arm": (arm, 2.0),
    "soft pendulum": (soft_pendulum, 5.0),
    "pendulum": (pendulum.build, 2.0),
    "four-bar": (four_bar.build, 3.8),
    "slider-crank": (slider_crank.build, slider_crank.SPIN_UP + 0.25),
    "spin-up": (spin_up.build, spin_up.T_END),
    "two squares": (two_squares.build, 10.0),
    "gyroscope": (gyroscope.build, gyroscope.T_END),
    "deployment": (deployment.build, deployment.T_END),
}
#: settings besides the defaults
OTHERS: tuple[dict[str, Any], ...] = ({"method": "generalized_alpha"}, {"tolerance": 1e-4})


def away(system: fm.System, one: fm.Solution, other: fm.Solution, times: np.ndarray) -> float:
    """The largest difference of any coordinate of two solutions at some times, in lengths of the model or radians."""
    apart = [system.difference(a, b) / system.scale for a, b in zip(one.at(times).q, other.at(times).q)]
    return float(np.max(np.abs(apart)))


def measure(name: str, settings: list[dict[str, Any]]) -> list[list[str]]:
    """A row for each of some settings."""
    build, end = MODELS[name]
    tight = fm.simulate(build(), end, progress=False, **TIGHT)
    times = np.linspace(0.0, min(end, float(tight.t[-1])), TIMES)
    system, rows = fm.System(build()), []
    for given in settings:
        fm.simulate(build(), 1e-3 * end, progress=False, **given)
        before = time.process_time()
        run = fm.simulate(build(), end, progress=False, **given)
        took = time.process_time() - before
        with tempfile.TemporaryDirectory() as folder:
            run.save(Path(folder) / "run.h5")
            size = (Path(folder) / "run.h5").stat().st_size / 1e6
        words = " ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in given.values()) or "default"
        if run.status != "finished":
            rows.append([name, words, run.status, f"{took:.2f}", "", "", ""])
            continue
        counts = (str(run.statistics.steps), str(len(run.t)))
        rows.append([name, words, *counts, f"{took:.2f}", f"{size:.1f}", f"{away(system, run, tight, times):.1e}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS), metavar="NAME")
    parser.add_argument("--others", action="store_true", help="generalized-α and a larger tolerance too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| model | settings | steps | states | time [s] | file [MB] | error |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in given.models:
        for row in measure(name, [{}, *(OTHERS if given.others else ())]):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
