"""Static elastica of 1000 ANCF elements: flexmb and Exudyn solve the same equations, assembly included."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.performance import peer_statics
from flexmb.validation.performance.timing import growth, timed
from flexmb.validation.references import elastica

ELEMENTS = 1000
EA, EI, DENSITY = 1e5, 1.0, 1.0
SLOPES = (30.0, 60.0, 85.0)
#: settings of the peer, one of which is the fastest to 1e-9 m for each slope: load steps, method, tolerance
PEERS: tuple[dict[str, Any], ...] = tuple(
    {"steps": steps, "newton": newton, "tolerance": tolerance}
    for steps in (1, 2, 5)
    for newton in ("full", "modified")
    for tolerance in (1e-5, 1e-8)
)


def build(slope: float, elements: int = ELEMENTS) -> fm.PlanarModel:
    """The cantilever of 1 m under the force of a slope [degrees]."""
    model = fm.PlanarModel("elastica")
    properties = fm.planar.BeamProperties(EA=EA, EI=EI, rhoA=DENSITY)
    beam = model.add_beam("beam", model.ground, (1.0, 0.0), properties=properties, theory="ancf", elements=elements)
    model.point_force(beam.end, (0.0, elastica.force(np.radians(slope))))
    return model


def tip_at_rest(model: fm.PlanarModel) -> np.ndarray:
    """The tip (2,) [m] in equilibrium."""
    state = fm.equilibrium(model, count=0)
    return np.array([state["beam.end.x"], state["beam.end.y"]])


def peak(code: str) -> float:
    """Memory [MB] that one of the codes needs for the case, in a process of its own."""
    run = [sys.executable, "-m", "flexmb.validation.performance.statics", code]
    return float(json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()[-1]))


def _memory(code: str) -> float:
    given = (EA, EI, DENSITY)
    if code == "flexmb":
        tip_at_rest(build(60.0, 16))  # loads libraries and kernels
        return growth(lambda: tip_at_rest(build(60.0)))
    peer_statics.cantilever(16, given, 0.1, 1)
    return growth(lambda: peer_statics.cantilever(ELEMENTS, given, elastica.force(np.radians(60.0)), 1))


def main() -> None:
    """Print times, ratios, the differences of the answers, and memory."""
    for slope in SLOPES:
        model = build(slope)
        tip = tip_at_rest(model)
        force = elastica.force(np.radians(slope))
        best: tuple[float, dict[str, Any], float] | None = None
        for settings in PEERS:
            place, seconds = peer_statics.cantilever(ELEMENTS, (EA, EI, DENSITY), force, **settings)
            difference = float(np.hypot(*(place - tip)))
            if difference < 1e-9 and (best is None or seconds < best[0]):
                best = seconds, settings, difference
        if best is None:
            print(f"{slope:g}°: no setting of Exudyn comes within 1e-9 m of the tip")
            continue
        _, settings, difference = best
        mine, theirs = [], []
        for _ in range(5):  # the two codes in turn
            mine.append(timed(lambda model=model: fm.equilibrium(model, count=0)))  # type: ignore[misc]
            theirs.append(peer_statics.cantilever(ELEMENTS, (EA, EI, DENSITY), force, **settings)[1])
        ratio = min(theirs) / min(mine)
        print(
            f"{slope:g}°: flexmb {1e3 * min(mine):.1f} ms, Exudyn {1e3 * min(theirs):.1f} ms ({json.dumps(settings)}), "
            f"tips apart {difference:.1e} m; flexmb {ratio:.2f} times as fast"
        )
    for elements in (100, 1000, 10_000):
        model = build(60.0, elements)
        seconds = min(timed(lambda model=model: fm.equilibrium(model, count=0)) for _ in range(5))  # type: ignore[misc]
        print(f"{elements:6d} elements: {1e3 * seconds:.1f} ms, {1e6 * seconds / elements:.1f} µs per element")
    print(f"memory of a run: flexmb {peak('flexmb'):.1f} MB, Exudyn {peak('exudyn'):.1f} MB")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(_memory(sys.argv[1])))
    else:
        main()
