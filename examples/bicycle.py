"""A bicycle that rides by itself: four rigid bodies, three hinges, and two wheels that roll without slip.

Pushed aside at 4.6 m/s it weaves and comes upright again, with the frequency and the decay of an eigenvalue of the
motion straight ahead. Below 4.29 m/s the weave grows, above 6.02 m/s the bicycle slowly falls over into a curve. The
parameters are those of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007), its rigid rider included.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

import flexmb as fm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: wheelbase and trail [m], angle of the steering axis to the vertical [rad], radii of the wheels [m]
WHEELBASE, TRAIL, TILT, REAR, FRONT = 1.02, 0.08, np.pi / 10.0, 0.3, 0.35
#: x forward, y to the left, z up: mass [kg], mass center [m], and inertia [kg m²] about it: xx, yy, zz, xz
BODIES = {
    "rear wheel": (2.0, (0.0, 0.0, REAR), (0.0603, 0.12, 0.0603, 0.0)),
    "frame": (85.0, (0.3, 0.0, 0.9), (9.2, 11.0, 2.8, -2.4)),
    "fork": (4.0, (0.9, 0.0, 0.7), (0.05892, 0.06, 0.00708, 0.00756)),
    "front wheel": (3.0, (WHEELBASE, 0.0, FRONT), (0.1405, 0.28, 0.1405, 0.0)),
}
#: the steering axis, upwards, and a point of it at the height of the head tube
AXIS = np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
HEAD = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) + 0.88 * AXIS
#: the run: speed [m/s], how fast a push makes it fall over [rad/s], end [s]
SPEED, PUSH, T_END = 4.6, 0.5, 5.0


def build(speed: float, push: float = 0.0) -> fm.SpatialModel:
    """The bicycle upright at a speed [m/s], falling over at a rate [rad/s]."""
    model = fm.SpatialModel("bicycle", gravity=(0.0, 0.0, -9.81))
    place = dict.fromkeys(BODIES, np.zeros(3))
    for name, (mass, center, (xx, yy, zz, xz)) in BODIES.items():
        place[name] = np.array(center)
        inertia = [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]
        body = model.add_body(
            name, mass=mass, inertia=inertia, center=(0.0, 0.0, 0.0), position=center, shape=_look(name)
        )
        rolls = {"rear wheel": speed / REAR, "front wheel": speed / FRONT}.get(name, 0.0)
        omega = np.array([push, 0.0, 0.0])
        body.move(np.array([speed, 0.0, 0.0]) + np.cross(omega, center), omega + [0.0, rolls, 0.0])

    def on(name: str, what: str, point: np.ndarray) -> fm.spatial.Frame:
        return model.frames[name].attach(f"{name}.{what}", point - place[name])

    for wheel, carrier, radius in (("rear wheel", "frame", REAR), ("front wheel", "fork", FRONT)):
        model.revolute(on(carrier, "dropout", place[wheel]), model.frames[wheel], axis="y", name=f"{wheel} hub")
        model.rolling_wheel(model.ground, model.frames[wheel], radius, axle="y", name=f"{wheel} road")
    model.revolute(on("frame", "head", HEAD), on("fork", "steerer", HEAD), axis=AXIS, name="steering")
    return model


def eigenvalues(speed: float) -> np.ndarray:
    """The eigenvalues (4,) of lean and steer at a speed, the largest real part last; that of another speed, which is
    always zero, is left out."""
    linear = fm.linearize(build(speed), "frame.mx", ["steering.angle"], steady=True)
    values = np.delete(linear.poles, np.argmin(np.abs(linear.poles)))
    return values[np.lexsort((values.imag, values.real))]


def weave_at(speed: float) -> complex:
    """The eigenvalue of the weave at a speed at which it swings [1/s]."""
    return complex(max(eigenvalues(speed), key=lambda value: value.imag))


def weave_speed() -> float:
    """The speed above which the weave dies out [m/s]."""
    from scipy.optimize import brentq

    return float(brentq(lambda v: weave_at(v).real, 3.0, 5.5, xtol=1e-10))


def capsize_speed() -> float:
    """The speed above which the bicycle slowly falls over [m/s]."""
    from scipy.optimize import brentq

    def capsize(speed: float) -> float:
        values = eigenvalues(speed)
        real = values[np.abs(values.imag) < 1e-9].real
        return float(np.max(real))

    return float(brentq(capsize, 5.0, 7.0, xtol=1e-10))


# -- what the bodies look like ----------------------------------------------------------------------------------------


@cache
def _look(name: str) -> fm.ClosedSurface:
    """The surface of a body about its mass center; it is the same at all speeds."""
    made = {"rear wheel": lambda: _wheel(REAR), "front wheel": lambda: _wheel(FRONT), "frame": _frame, "fork": _fork}
    vertices, faces = made[name]()
    return fm.ClosedSurface(vertices - np.array(BODIES[name][1]), faces)


def _tube(a: ArrayLike, b: ArrayLike, radius: float, end: float | None = None, sides: int = 12) -> tuple:
    """A closed tube between two points, with another radius at its end: vertices, faces."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    turn = Rotation.align_vectors([b - a], [[0.0, 0.0, np.linalg.norm(b - a)]])[0]
    angle = 2.0 * np.pi * np.arange(sides) / sides
    around = turn.apply(np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle]))
    vertices = np.vstack([a + radius * around, b + (radius if end is None else end) * around, [a, b]])
    k, n = np.arange(sides), (np.arange(sides) + 1) % sides
    one, two = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    faces = [np.column_stack(x) for x in ((k, n, k + sides), (n, n + sides, k + sides), (n, k, one))]
    return vertices, np.vstack([*faces, np.column_stack([k + sides, n + sides, two])])


def _ring(radius: float, thickness: float, sides: int = 48, around: int = 10) -> tuple:
    """A torus about the y-axis."""
    u = 2.0 * np.pi * np.repeat(np.arange(sides), around) / sides
    w = 2.0 * np.pi * np.tile(np.arange(around), sides) / around
    out = radius + thickness * np.cos(w)
    vertices = np.column_stack([out * np.cos(u), thickness * np.sin(w), out * np.sin(u)])
    i, j = np.repeat(np.arange(sides), around), np.tile(np.arange(around), sides)
    here, right = i * around + j, ((i + 1) % sides) * around + j
    up, both = i * around + (j + 1) % around, ((i + 1) % sides) * around + (j + 1) % around
    return vertices, np.vstack([np.column_stack([here, up, right]), np.column_stack([right, up, both])])


def _ball(center: np.ndarray, radius: float) -> tuple:
    """A ball."""
    angles = np.radians(np.linspace(-72.0, 72.0, 9))
    rings = [_ring_of(center, radius * np.cos(a), radius * np.sin(a)) for a in angles]
    sides = len(rings[0])
    vertices = np.vstack([*rings, [center - [0.0, 0.0, radius]], [center + [0.0, 0.0, radius]]])
    k, n = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = []
    for r in range(len(rings) - 1):
        low, high = r * sides, (r + 1) * sides
        faces += [np.column_stack([k + low, n + low, k + high]), np.column_stack([n + low, n + high, k + high])]
    top = (len(rings) - 1) * sides
    south, north = np.full(sides, len(vertices) - 2), np.full(sides, len(vertices) - 1)
    return vertices, np.vstack([*faces, np.column_stack([n, k, south]), np.column_stack([k + top, n + top, north])])


def _ring_of(center: np.ndarray, radius: float, height: float, sides: int = 24) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(sides) / sides
    return center + np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, height)])


def _joined(parts: list[tuple]) -> tuple[np.ndarray, np.ndarray]:
    """Several closed surfaces as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    return np.vstack([v for v, _ in parts]), np.vstack([f + first for (_, f), first in zip(parts, starts)])


def _wheel(radius: float) -> tuple[np.ndarray, np.ndarray]:
    """A tire, a hub and spokes, two of which are thick, so that one sees the wheel turn; about the hub at its place."""
    hub = np.array([0.0 if radius == REAR else WHEELBASE, 0.0, radius])
    parts = [_ring(radius - 0.017, 0.017), _tube([0.0, -0.045, 0.0], [0.0, 0.045, 0.0], 0.022)]
    for k in range(12):
        angle = np.pi * k / 6.0
        out = np.array([np.cos(angle), 0.0, np.sin(angle)])
        side = np.array([0.0, 0.03 * (-1.0) ** k, 0.0])
        parts.append(_tube(0.015 * out + side, (radius - 0.02) * out, 0.009 if k == 0 else 0.0032, sides=6))
    vertices, faces = _joined(parts)
    return vertices + hub, faces


def _frame() -> tuple[np.ndarray, np.ndarray]:
    """Tubes, saddle and rider."""
    hub, bracket, seat = np.array([0.0, 0.0, REAR]), np.array([0.44, 0.0, 0.28]), np.array([0.29, 0.0, 0.84])
    top, low = HEAD + 0.05 * AXIS, HEAD - 0.09 * AXIS
    saddle, hip, shoulder = np.array([0.26, 0.0, 0.97]), np.array([0.26, 0.0, 1.08]), np.array([0.46, 0.0, 1.50])
    parts = [
        _tube(bracket, seat, 0.017), _tube(seat, saddle, 0.013), _tube(seat - [0.0, 0.0, 0.03], top, 0.016),
        _tube(bracket, low, 0.02), _tube(low - 0.03 * AXIS, top + 0.03 * AXIS, 0.022),
        _tube(saddle + [-0.13, 0.0, 0.0], saddle + [0.14, 0.0, 0.0], 0.07, 0.022),
        _tube(hip - [0.0, 0.0, 0.05], shoulder, 0.13, 0.17, sides=24), _ball(shoulder + [0.07, 0.0, 0.24], 0.115),
        _tube(shoulder, shoulder + [0.04, 0.0, 0.11], 0.17, 0.06, sides=24),
        _tube(bracket - [0.0, 0.12, 0.0], bracket + [0.0, 0.12, 0.0], 0.018),
    ]  # fmt: skip
    for side in (np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 0.0])):
        parts += [_tube(hub + 0.055 * side, x + 0.02 * side, 0.009) for x in (bracket, seat - [0.0, 0.0, 0.05])]
        knee, foot = np.array([0.63, 0.0, 0.80]) + 0.12 * side, np.array([0.44, 0.0, 0.30]) + 0.12 * side
        parts += [_tube(hip + 0.09 * side, knee, 0.075, 0.05), _tube(knee, foot, 0.05, 0.035)]
        hand = HEAD + 0.17 * AXIS + 0.24 * side + [0.0, 0.0, 0.03]
        parts += [_tube(shoulder + 0.17 * side, hand, 0.045, 0.03)]
    return _joined(parts)


def _fork() -> tuple[np.ndarray, np.ndarray]:
    """Steerer, stem, handlebar and blades."""
    hub, crown, stem = np.array([WHEELBASE, 0.0, FRONT]), HEAD - 0.14 * AXIS, HEAD + 0.17 * AXIS
    parts = [_tube(crown, stem, 0.014), _tube(stem - [0.0, 0.28, 0.0], stem + [0.0, 0.28, 0.0], 0.013)]
    for side in (np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 0.0])):
        parts += [
            _tube(crown, crown + 0.06 * side, 0.015),
            _tube(crown + 0.055 * side, hub + 0.055 * side, 0.014, 0.01),
        ]
        parts += [_tube(stem + 0.27 * side, stem + 0.27 * side - [0.12, 0.0, 0.0], 0.015)]
    return _joined(parts)


# -- diagrams ---------------------------------------------------------------------------------------------------------


def _diagram(speeds: np.ndarray, values: np.ndarray, weave: float, capsize: float) -> Figure:
    """Eigenvalues (k, 4) against speed: real parts as points that join to lines, imaginary parts dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    ax = figure.subplots()
    ax.axvspan(weave, capsize, color="tab:green", alpha=0.13, linewidth=0.0)
    ax.axhline(0.0, color="gray", linewidth=0.8)
    swings = np.abs(values.imag) > 1e-6
    pair = np.where(values.imag > 1e-6, values, 0.0).sum(axis=1)
    weaves = swings.any(axis=1)
    (line,) = ax.plot(speeds[weaves], pair.real[weaves], linewidth=2.0, label="weave, real part")
    own = line.get_color()
    ax.plot(speeds[weaves], pair.imag[weaves], "--", color=own, linewidth=1.4, label="weave, imaginary part")
    # below the speed at which the two falling motions become the weave they meet in a parabola
    slow = np.flatnonzero(~weaves)
    ends = values[slow].real[:, -2:]
    first = slow[-1] + 1
    loop = np.concatenate([ends[:, 0], [pair.real[first]], ends[::-1, 1]])
    along = np.concatenate([speeds[slow], [speeds[first]], speeds[slow[::-1]]])
    ax.plot(along, loop, color=own, linewidth=2.0)
    real = [np.sort(v[~s].real) for v, s in zip(values, swings)]
    ax.plot(speeds, [r[1] for r in real], linewidth=2.0, label="capsize")
    ax.plot(speeds, [r[0] for r in real], linewidth=2.0, label="castering")
    for speed, name, text, side in ((weave, "weave", (2.9, -1.6), "right"), (capsize, "capsize", (6.4, 1.1), "left")):
        ax.plot(speed, 0.0, "o", color="black", markersize=5, zorder=5)
        ax.annotate(
            f"{name} speed\n{speed:.4f} m/s", (speed, 0.0), text, ha=side, va="center", fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "gray", "linewidth": 0.8, "shrinkB": 4.0},
        )  # fmt: skip
    ax.text(0.5 * (weave + capsize), 9.3, "stable", ha="center", fontsize=10)
    ax.set(xlabel="speed [m/s]", ylabel="eigenvalue [1/s]", xlim=(0.0, 10.0), ylim=(-10.0, 10.5))
    ax.legend(frameon=False, loc="upper left", fontsize=9)
    return figure


def _history(solution: fm.Solution, weave: complex) -> Figure:
    """Lean and steer, with the decay of the weave, and the speed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    top, bottom = figure.subplots(2, sharex=True, height_ratios=(2.0, 1.0))
    lean = solution["frame"].orientation.as_euler("ZXY", degrees=True)[:, 1]
    steer = np.degrees(solution["steering.angle"])
    top.plot(solution.t, lean, label="lean to the right")
    top.plot(solution.t, steer, label="steer to the left")
    late = solution.t > 0.5
    size = np.max(np.abs(steer[late]) * np.exp(-weave.real * solution.t[late]))
    for sign in (1.0, -1.0):
        top.plot(
            solution.t, sign * size * np.exp(weave.real * solution.t), ":", color="gray", linewidth=1.0,
            label="decay of the weave" if sign > 0.0 else None,
        )  # fmt: skip
    top.set(ylabel="angle [°]", xlim=(0.0, solution.t[-1]))
    bottom.plot(solution.t, np.linalg.norm(solution["rear wheel"].velocity, axis=1), label="rear wheel")
    bottom.set(xlabel="t [s]", ylabel="speed [m/s]")
    top.legend(frameon=False, ncols=3, loc="upper right")
    return figure


def run(out: Path) -> list[Path]:
    """Eigenvalues against speed, and a run at 4.6 m/s after a push from the side, with pictures."""
    from matplotlib import style

    weave, capsize = weave_speed(), capsize_speed()
    print(f"stable from {weave:.8f} m/s (weave) to {capsize:.8f} m/s (capsize)")
    speeds = np.unique(np.concatenate([np.linspace(0.0, 10.0, 41), np.linspace(0.65, 0.75, 11)]))
    values = np.array([eigenvalues(speed) for speed in speeds])
    solution = fm.simulate(build(SPEED, PUSH), T_END, "dop853", tolerance=1e-9)
    print(solution)
    print(f"weave at {SPEED} m/s: {weave_at(SPEED):.6f} 1/s; energy kept to {np.ptp(solution.energy.total):.2g} J")

    written = []
    with style.context("flexmb.plots.light"):
        for name, figure in (
            ("eigenvalues", _diagram(speeds, values, weave, capsize)),
            ("weave", _history(solution, weave_at(SPEED))),
        ):
            figure.savefig(out / f"bicycle-{name}.png", dpi=140)
            written.append(out / f"bicycle-{name}.png")
    road = solution.at(np.linspace(0.0, 1.3, 131))
    view = road.view(ghosts=[0.0, 0.43, 0.87], camera=(0.9, -2.0, 0.55), follow="frame")
    written.append(view.screenshot(out / "bicycle.png", size=(1200, 500)))
    view = solution.view(camera=(1.0, -1.6, 0.6), follow="frame")
    written.append(view.html(out / "bicycle.html", pictures=201, pace=0.5))
    return [*written, solution.save(out / "bicycle.h5")]
