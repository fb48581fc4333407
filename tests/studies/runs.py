"""Functions that studies run, in a module that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

import flexmb as fm


def swing(diameter: float, length: float = 1.0) -> dict:
    """The place of the tip of a soft rod after a tenth of a second, and the history of its height."""
    plastic = fm.Material(density=1100.0, youngs_modulus=5e7)
    model = fm.PlanarModel("rod", gravity=(0.0, -9.81))
    section = fm.Circle(diameter=diameter)
    rod = model.add_beam("rod", (0, 0), (length, 0), material=plastic, section=section, modes=1)
    model.revolute(model.ground, rod.start)
    solution = fm.simulate(model, 0.1, step=0.005, progress=False)
    return {"tip": solution["rod.end"].position[-1, 1], "height": solution["rod.end"].position[:, 1]}


def kinds(x: int) -> dict:
    """Every kind of result."""
    return {
        "square": x * x,
        "root": np.float64(x) ** 0.5,
        "odd": np.bool_(x % 2),
        "name": f"run ‘{x}’",
        "nothing": float("nan") if x else float("-inf"),
        "powers": [x, x**2, x**3],
        "long": np.full(x, 0.1),
    }


def one_number(x: float) -> float:
    """A number without a name."""
    return 2.0 * x


def delicate(x: int) -> dict:
    """Raises at 3, returns something that is no result at 5, exits Python at 7."""
    if x == 3:
        raise ValueError("three is\ntoo many")
    if x == 5:
        return {"y": {"a": 1}}
    if x == 7:
        raise SystemExit(4)
    return {"y": float(x)}


def deadly(x: int, culprits: tuple = ()) -> dict:
    """Its process ends at once, in two ways, for some x."""
    if x in culprits:
        if x % 2:
            os._exit(17)
        os.kill(os.getpid(), signal.SIGKILL)
    return {"y": 10 * x}


def deadly_once(x: int, mark: str) -> dict:
    """Its process ends for x = 2, the first two times."""
    if x == 2:
        seen = Path(mark)
        times = int(seen.read_text()) if seen.exists() else 0
        seen.write_text(str(times + 1))
        if times < 2:
            os._exit(1)
    return {"y": 10 * x}


def counted(x: int, log: str, seconds: float = 0.0) -> dict:
    """Writes down that it was called."""
    with open(log, "a") as file:
        file.write(f"{x}\n")
    time.sleep(seconds)
    return {"y": x * 0.1, "line": np.arange(3) + x}


def failing_if(x: int, mark: str) -> float:
    """Raises for odd x as long as a file is there."""
    if x % 2 and Path(mark).exists():
        raise RuntimeError("not yet")
    return float(x)


def interrupting(x: int) -> float:
    """Presses Ctrl-C at 3, which cuts that run short."""
    if x == 3:
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(5.0)
        except KeyboardInterrupt:
            return -1.0
    return float(x)


def threads(x: int) -> str:
    """The number of threads that BLAS may use."""
    return os.environ.get("OPENBLAS_NUM_THREADS", "")


def meeting(x: int, folder: str) -> int:
    """The process that runs it; runs 1 and 2 wait for each other."""
    if x:
        Path(folder, str(x)).touch()
        end = time.monotonic() + 60.0
        while not Path(folder, str(3 - x)).exists():
            if time.monotonic() > end:
                raise TimeoutError("the other run does not come")
            time.sleep(0.01)
    return os.getpid()


def good_above(x: int, least: int) -> float:
    """Raises for numbers that are too small."""
    if x < least:
        raise ValueError("too small")
    return float(x)


def clashing(x: int, log: str) -> dict:
    """Returns a name that every study has; it is not spelled out in the return."""
    with open(log, "a") as file:
        file.write(f"{x}\n")
    results = {"y": x, "status": "good"}
    return results
