"""Modes of a taut ANCF cable of 1000 to 10 000 coordinates, here and in Exudyn, and of a chain of 1000 links here.

Each code runs in a process of its own, in turn, so that the peak of its memory can be measured. Both solve the same
discretization, and the largest difference of the frequencies is printed. (The chain has constraints, which Exudyn's
sparse eigenvalue solver does not take.)
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

import flexmb as fm
from flexmb.validation.performance.peer_modes import cable_frequencies

#: hinged at both ends and stretched by a hundredth. (Without tension, the lowest frequencies of a cable of 2500
#: elements have two right digits in any code: they come from bending, whose stiffness matrix has a condition number of
#: (L/h)⁴.)
CABLE = {"length": 100.0, "EA": 1e4, "EI": 0.1, "rhoA": 1.0, "strain": 0.01}
SIZES = (250, 1000, 2500)
COUNT = 10
TURNS = 3


def ours(elements: int) -> tuple[np.ndarray, float]:
    """The first circular frequencies of the cable [rad/s], and seconds, without building the model and its state."""
    model = fm.PlanarModel("cable")
    given = fm.planar.BeamProperties(EA=CABLE["EA"], EI=CABLE["EI"], rhoA=CABLE["rhoA"])
    length = CABLE["length"]
    cable = model.add_beam("cable", (0, 0), (length, 0), properties=given, theory="ancf", elements=elements)
    anchor = model.add_frame("anchor", ((1.0 + CABLE["strain"]) * length, 0.0), fixed=True)
    model.revolute(model.ground, cable.start, name="left")
    model.revolute(anchor, cable.end, name="right")
    state = fm.equilibrium(model).state
    fm.modes(state, COUNT)  # loads compiled code
    begun = time.perf_counter()
    modes = fm.modes(state, COUNT)
    return modes.omegas, time.perf_counter() - begun


def theirs(elements: int) -> tuple[np.ndarray, float]:
    """The same frequencies and seconds in Exudyn."""
    cable_frequencies(16, COUNT, **CABLE)  # loads SciPy
    return cable_frequencies(elements, COUNT, **CABLE)


def chain(links: int) -> tuple[np.ndarray, float]:
    """The first circular frequencies of a hanging chain of rigid links in absolute coordinates, and seconds."""
    model = fm.PlanarModel("chain", gravity=(0, -9.81))
    h = 2.0 / links
    before = model.ground
    for k in range(links):
        link = model.add_body(f"link{k}", mass=h, inertia=h**3 / 12, position=(0, -(k + 0.5) * h))
        model.revolute(before, link.attach("top", (0, h / 2)), name=f"hinge{k}")
        before = link.attach("bottom", (0, -h / 2))
    state = fm.assemble(model)
    fm.modes(state, COUNT)
    begun = time.perf_counter()
    modes = fm.modes(state, COUNT)
    return modes.omegas, time.perf_counter() - begun


def in_own_process(what: str, size: int) -> tuple[np.ndarray, float, float]:
    """Frequencies, seconds and peak memory [MB] of one run in a process of its own."""
    command = [sys.executable, "-m", "flexmb.validation.performance.modes", what, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return np.array(answer["omegas"]), answer["seconds"], answer["memory"]


def main() -> None:
    """Print times, memory, ratios and the largest relative difference of the frequencies."""
    if len(sys.argv) == 3:
        run = {"flexmb": ours, "exudyn": theirs, "chain": chain}[sys.argv[1]]
        omegas, seconds = run(int(sys.argv[2]))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        print(json.dumps({"omegas": omegas.tolist(), "seconds": seconds, "memory": memory}))
        return
    for elements in SIZES:
        rows: dict[str, list] = {"flexmb": [], "exudyn": []}
        for _ in range(TURNS if elements < 2500 else 1):  # the two codes in turn
            for what in rows:
                rows[what].append(in_own_process(what, elements))
        (a, mine, room), (b, other, peer_room) = (min(rows[what], key=lambda row: row[1]) for what in rows)
        print(
            f"{elements:5d} elements, {4 * (elements + 1)} coordinates, {COUNT} modes: flexmb {1e3 * mine:.1f} ms, "
            f"{room:.0f} MB; Exudyn {1e3 * other:.1f} ms, {peer_room:.0f} MB; flexmb {other / mine:.1f} times as fast, "
            f"frequencies apart by {np.max(np.abs(a / b - 1.0)):.1e}"
        )
    omegas, seconds, room = in_own_process("chain", 1000)
    exact = 0.5 * np.array([2.404825557695773, 5.520078110286311, 8.653727912911013]) * np.sqrt(9.81 / 2.0)
    print(
        f"chain of 1000 links, 3000 coordinates, 2000 constraints, {COUNT} modes: {1e3 * seconds:.1f} ms, "
        f"{room:.0f} MB, frequencies off the hanging rope's by {np.max(np.abs(omegas[:3] / exact - 1.0)):.1e}"
    )


if __name__ == "__main__":
    main()
