"""Record the list of compiled functions that comes with the package (:mod:`flexmb.kernels.warming`):

python -m tests.recording             all kinds of mechanisms anew; takes minutes, and hours where nothing is compiled
python -m tests.recording cms beams   these anew; all others remain as they are
python -m tests.recording --missing   those that the list does not have

Each run is a process of its own, since a process asks only once for a function; it is forked, so that packages are
imported once. Kinds of mechanisms are those below, the demos, and the pages of the documentation.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import flexmb as fm
from docs.tools.pages import run as run_page
from docs.tools.places import DOCS
from flexmb import examples
from flexmb.errors import FlexmbError
from flexmb.examples import robots
from flexmb.kernels.warming.recorded import FILE, Recorded, read
from flexmb.kernels.warming.recording import recording

#: rooms of the documentation whose pages are recorded
ROOMS = ("start", "how-to", "theory")
MATERIAL = fm.Material(density=1100.0, youngs_modulus=5e7, poissons_ratio=0.3)
ROUND = fm.Circle(diameter=0.02)
START = {"joint1": -1.0, "joint4": 2.1, "joint5": 0.3, "joint6": 0.9, "finger": 0.035}


# -- mechanisms -----------------------------------------------------------------------------------------------------


def _model(space: bool) -> Any:
    if space:
        return fm.SpatialModel("mechanism", gravity=(2.0, -5.0, -8.0))
    return fm.PlanarModel("mechanism", gravity=(0.0, -9.81))


def _point(space: bool, x: float) -> tuple[float, ...]:
    return (x, 0.0, 0.0) if space else (x, 0.0)


def _hinge(space: bool, a: Any, b: Any, name: str, model: Any) -> None:
    model.revolute(a, b, name=name, **({"axis": "y"} if space else {}))


def _beam(space: bool, **options: Any) -> Any:
    """A beam on a hinge, with a mass at its end."""
    model = _model(space)
    rod = model.add_beam("rod", _point(space, 0.0), _point(space, 1.0), material=MATERIAL, section=ROUND, **options)
    _hinge(space, model.ground, rod.start, "hinge", model)
    model.add_point_mass("bob", rod.end, 0.05)
    return model


def _bodies(space: bool) -> Any:
    """Two bodies in a chain, with a spring."""
    model = _model(space)
    inertia: Any = (0.01, 0.02, 0.02) if space else 0.02
    first = model.add_body("first", mass=1.0, inertia=inertia, position=_point(space, 0.5))
    second = model.add_body("second", mass=0.5, inertia=inertia, position=_point(space, 1.5))
    near, far = _point(space, -0.5), _point(space, 0.5)
    _hinge(space, model.ground, first.attach("near", near), "hinge", model)
    _hinge(space, first.attach("far", far), second.attach("near", near), "elbow", model)
    anchor, end = model.ground.attach("anchor", _point(space, 3.0)), second.attach("far", far)
    model.spring_damper(anchor, end, stiffness=10.0, damping=0.5, free_length=1.0, name="spring")
    return model


def _clamped(space: bool) -> Any:
    """A beam that is clamped at one end."""
    model = _model(space)
    stiff = fm.Material(density=1100.0, youngs_modulus=5e9, poissons_ratio=0.3)
    rod = model.add_beam("rod", _point(space, 0.0), _point(space, 1.0), material=stiff, section=ROUND, modes=2)
    model.weld(model.ground, rod.start, name="clamp")
    return model


def _motion(build: Callable[[bool], Any], space: bool, **options: Any) -> None:
    """A run, and what one looks at afterwards."""
    solution = fm.simulate(build(space), 0.05, **options)
    print(solution)
    for name in ("rod.end", "rod@0.5", "second"):
        with suppress(FlexmbError):  # it has no such frame
            print(solution[name].position[-1], solution[name].velocity[-1], solution[name].acceleration[-1])
    for joint in ("hinge", "clamp"):
        with suppress(FlexmbError):
            print(solution.reaction(joint)[-1], solution[joint].angle[-1])
    print(solution.at(0.01).t)


def _robot(formulation: str, method: str) -> None:
    arm = fm.read_urdf(robots.folder() / "arm.urdf", position=(0, 0, 0.6), positions=START)
    print(fm.simulate(arm, 0.05, formulation=formulation, method=method))


def _modes(space: bool) -> None:
    model = _clamped(space)
    print(fm.modes(fm.equilibrium(model) if space else model).frequencies[:3])  # moments turn bodies in space


def _linear(space: bool) -> None:
    print(fm.linearize(_clamped(space), inputs=["rod.end.fy"], outputs=["rod.end.y"]))


# -- kinds ----------------------------------------------------------------------------------------------------------


def _both(run: Callable[..., None], *given: Any, **options: Any) -> list[Callable[[], None]]:
    """Runs in the plane and in space."""
    return [partial(run, *given, space=space, **options) for space in (False, True)]


#: runs by the name of their kind
KINDS: dict[str, list[Callable[[], None]]] = {
    "planar": [partial(_motion, _bodies, False)],
    "spatial": [partial(_motion, _bodies, True)],
    "cms": _both(_motion, partial(_beam, modes=2)),
    "exact": _both(_motion, partial(_beam, theory="exact", elements=4)),
    "ancf": _both(_motion, partial(_beam, theory="ancf", elements=4)),
    "generalized-alpha": [
        run for build in (_bodies, partial(_beam, modes=2)) for run in _both(_motion, build, method="generalized_alpha")
    ],
    **{
        name: _both(_motion, _bodies, method=name)
        for name in ("independent", "baumgarte", "projection", "dop853", "rkf45", "euler", "rosenbrock")
    },
    "newmark": _both(_motion, partial(_beam, modes=2), method="newmark", step=1e-3, beta=0.3025, gamma=0.6),
    **{name: _both(_motion, _bodies, formulation=name) for name in ("aba", "lagrange", "ada", "dca")},
    "urdf": [partial(_robot, "aba", method) for method in ("rkf45", "radau")],
    "equilibrium": _both(lambda space: print(fm.equilibrium(_clamped(space)))),
    "modes": _both(_modes),
    "linearize": _both(_linear),
}


def _demo(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        examples.load(name).run(Path(folder))


def _page(path: Path) -> None:
    run_page(path, path.read_text(encoding="utf-8"))


def runs() -> dict[str, list[Callable[[], None]]]:
    """All runs by their kinds: those above, demos, and pages of the documentation by the names of their files."""
    found = {name: list(some) for name, some in KINDS.items()} | {
        name: [partial(_demo, name)] for name in examples.DEMOS
    }
    for path in (path for room in ROOMS for path in sorted((DOCS / room).glob("*.md")) if path.stem != "index"):
        found.setdefault(path.stem, []).append(partial(_page, path))
    return found


# -- recording ------------------------------------------------------------------------------------------------------


def record(name: str, number: int, file: Path) -> None:
    """Record one run, in this process, into a file of its own."""
    with recording() as noted:
        runs()[name][number]()
    for text in dict.fromkeys(noted.left_out):
        print(f"{name}: not listed: {text}", file=sys.stderr)
    alone = Recorded()
    alone.add(name, noted.types, noted.functions)
    file.write_text(alone.text(), encoding="utf-8")


def _all(names: list[str], whole: Recorded) -> None:
    """Record runs of some kinds, each in a process, and write the list, in which what is `whole` of others stays."""
    known = runs()
    for name in names:
        alone = []
        for number in range(len(known[name])):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "run.json"
                process = multiprocessing.get_context("fork").Process(target=record, args=(name, number, file))
                process.start()
                process.join()
                if process.exitcode:
                    sys.exit(f"{name}, run {number}: it ended with an error")
                alone.append(read(file.read_text(encoding="utf-8")))
        alone = [one for one in alone if one.functions]  # a page may have no code
        whole = whole.without([name])
        for one in alone:
            whole.add(name, one.types, one.functions)
        print(f"{name}: {sum(len(one.functions) for one in alone)} functions, {len(whole.functions)} in all")
        FILE.write_text(whole.text(), encoding="utf-8")
    order = [name for name in known if name in whole.names]
    sorted_again = Recorded()
    for name in order:
        for kind, numbers in whole.runs:
            if kind == name:
                sorted_again.add(name, whole.types, (whole.functions[k] for k in numbers))
    FILE.write_text(sorted_again.text(), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Record all runs, or some."""
    if arguments[:1] == ["--run"]:
        record(arguments[1], int(arguments[2]), Path(arguments[3]))
    elif arguments:
        present = read(FILE.read_text(encoding="utf-8")) if FILE.exists() else Recorded()
        missing = [name for name in runs() if name not in present.names]
        _all(missing if arguments == ["--missing"] else arguments, present)
    else:  # without the list of before, whose types may be others than those of the same name now
        _all(list(runs()), Recorded())


if __name__ == "__main__":
    main(sys.argv[1:])
