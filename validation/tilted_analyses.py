"""What a mechanism of the plane is asked, asked again of the same mechanism in a plane of space that is turned at
random: the answers must be the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples import slider_crank
from flexmb.validation import tilted_planes
from flexmb.validation.registry import Check, case
from flexmb.validation.tilted_planes import Tilted

SEED = 14
#: relative difference that answers to the same equations in other coordinates may have
ROUNDING = 1e-9
FREQUENCIES = [0.05, 0.3, 0.7, 2.0]


def column(
    force: float = 1.0, follower: bool = False, damping: float = 0.0, stiffness: float = 2.0, speed: float = 0.0
) -> fm.PlanarModel:
    """Two stiff links on torsion springs, under a force on the tip along them, that begin to turn about the foot."""
    model = fm.PlanarModel("column")
    low = model.add_body("low", mass=2.0, inertia=0.1, position=(0.5, 0.0))
    high = model.add_body("high", mass=1.0, inertia=0.1, position=(1.5, 0.0))
    foot, knee = low.attach("foot", (-0.5, 0.0)), high.attach("start", (-0.5, 0.0))
    model.revolute(model.ground, foot, name="hinge")
    model.revolute(low.attach("end", (0.5, 0.0)), knee, name="knee")
    model.torsion_spring(model.ground, low.frame, stiffness=stiffness, damping=damping, name="root")
    model.torsion_spring(low.frame, high.frame, stiffness=1.0, damping=damping, name="knee spring")
    model.point_force(high.attach("tip", (0.5, 0.0)), (-force, 0.0), axes="body" if follower else "ground", name="push")
    model.set_rigid_motion(angular_velocity=speed)
    return model


def toggle() -> fm.PlanarModel:
    """A mass on a guide between two springs, which snaps through under its load (von Mises)."""
    model = fm.PlanarModel("toggle")
    head = model.add_body("head", mass=1.0, inertia=0.1, position=(0.0, 0.4))
    model.prismatic(model.ground, head.frame, axis=0.5 * np.pi, name="guide")
    for name, x in (("left", -1.0), ("right", 1.2)):
        foot = model.add_frame(f"{name} foot", (x, 0.0), fixed=True)
        model.spring_damper(foot, head.frame, stiffness=50.0, name=name)
    model.point_force(head.frame, (0.0, -1.0), name="push")
    return model


def shaken() -> fm.PlanarModel:
    """The pendulum of two bodies, with a force on its end."""
    model = tilted_planes.pendulum()
    body: Any = model.components["lower"]
    model.point_force(body.attach("pushed", (0.2, 0.1)), (1.0, 2.0), factor=fm.Harmonic(0.5, 3.0), name="push")
    return model


def rocker(coupler: float = 1.0) -> fm.PlanarModel:
    """A four-bar linkage driven at its rocker, which locks where crank and coupler are in line."""
    model = fm.PlanarModel("rocker", gravity=(0.0, -9.81))
    crank, side, base = 0.4, 0.8, 1.1
    start = 1.2
    elbow = crank * np.array([np.cos(start), np.sin(start)])
    way = np.array([base, 0.0]) - elbow
    reach = float(np.hypot(*way))
    bend = np.arccos((coupler**2 + reach**2 - side**2) / (2.0 * coupler * reach))
    lean = float(np.arctan2(way[1], way[0]) + bend)
    top = elbow + coupler * np.array([np.cos(lean), np.sin(lean)])
    stand = float(np.arctan2(top[1], top[0] - base))
    foot = model.ground.attach("far foot", (base, 0.0))
    bars = {}
    for name, at, along, angle in (
        ("crank", 0.5 * elbow, crank, start),
        ("coupler", 0.5 * (elbow + top), coupler, lean),
        ("side", 0.5 * (top + [base, 0.0]), side, stand),
    ):
        body = model.add_body(name, mass=along, inertia=along**3 / 12.0, position=(at[0], at[1]), angle=angle)
        bars[name] = (body.attach(f"{name} near", (-0.5 * along, 0.0)), body.attach(f"{name} far", (0.5 * along, 0.0)))
    model.revolute(model.ground, bars["crank"][0], name="a")
    model.revolute(bars["crank"][1], bars["coupler"][0], name="b")
    model.revolute(bars["coupler"][1], bars["side"][1], name="c")
    model.revolute(foot, bars["side"][0], name="d")
    model.drive_angle(foot, bars["side"][0], fm.Polynomial([stand, 0.3]), name="motor")
    return model


class Pair:
    """A mechanism in the plane, and in its plane of space. Names of bodies and of joints are the same in both."""

    def __init__(self, build: Callable[..., fm.PlanarModel], turn: Rotation, shift: np.ndarray, **given: Any) -> None:
        self.flat = build(**given)
        self.tilted = Tilted(self.flat, turn, shift)
        self.deep = self.tilted.model
        self.bodies = [name for name, part in self.flat.components.items() if isinstance(part, fm.planar.RigidBody)]

    def back(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (…, 3) of space in the axes of the plane."""
        return self.tilted.turn.inv().apply(vectors)

    def places(self, flat: Any, deep: Any) -> float:
        """The largest difference of the places of bodies in two answers [m]."""
        sizes = [0.0]
        for name in self.bodies:
            known = np.atleast_2d(flat[name].position)
            sizes.append(float(np.max(np.abs(np.atleast_2d(deep[name].position) - self.tilted.at(known)))))
        return max(sizes)

    def forces(self, flat: Any, deep: Any) -> float:
        """The largest difference of joint forces in the plane, as a part of the largest of them; those that the motion
        does not determine, since hinges on parallel axes repeat one another, push along the axes only."""
        off, largest = 0.0, 1e-300
        for name, part in self.flat.components.items():
            if isinstance(part, fm.planar.Revolute):
                known = np.atleast_2d(flat.reaction(name)[0])
                found = self.back(np.atleast_2d(deep.reaction(name)[0]))
                off = max(off, float(np.max(np.abs(found[:, :2] - known))))
                largest = max(largest, float(np.max(np.abs(known))))
        return off / largest


def _far(a: Any, b: Any) -> float:
    """The largest difference, as a part of the largest number."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return float("inf")
    return float(np.max(np.abs(a - b)) / np.max(np.abs(a)))


def _planes(count: int) -> list[tuple[Rotation, np.ndarray]]:
    rng = np.random.default_rng(SEED)
    return [(Rotation.random(random_state=rng), rng.uniform(-1.0, 1.0, 3)) for _ in range(count)]


def _rest(pair: Pair) -> Iterator[tuple[str, float]]:
    flat, deep = fm.equilibrium(pair.flat), fm.equilibrium(pair.deep)
    yield "place at rest", pair.places(flat, deep)
    yield "joint forces at rest", pair.forces(flat, deep)
    yield "lowest ω² at rest", _far(flat.omega_squared, deep.omega_squared)
    yield "frequencies about rest", _far(fm.modes(flat).frequencies, fm.modes(deep).frequencies)
    yield "complex eigenvalues", _far(fm.complex_modes(flat).eigenvalues, fm.complex_modes(deep).eigenvalues)


def _linear(pair: Pair) -> Iterator[tuple[str, float]]:
    wanted = [f"lower.{x}" for x in ("x", "y", "z", "ax", "ay", "az")]
    about = (fm.equilibrium(pair.flat), fm.equilibrium(pair.deep))
    flat = fm.linearize(about[0], "push", [x for x in wanted if x[-1] != "z"])
    deep = fm.linearize(about[1], "push", wanted)
    yield "poles", _far(np.sort_complex(flat.poles), np.sort_complex(deep.poles))
    known = flat.response(FREQUENCIES).values[:, :, 0].reshape(-1, 2, 2)
    found = deep.response(FREQUENCIES).values[:, :, 0].reshape(-1, 2, 3)
    turned = found @ pair.tilted.turn.inv().as_matrix().T
    yield "response of a place and of its acceleration", _far(known, turned[..., :2])
    direct = fm.frequency_response(about[1], "push", wanted[:3], FREQUENCIES).values[:, :, 0]
    yield "response by the whole matrices", _far(found[:, 0], direct)
    moving = (pair.flat, pair.deep)
    poles = [np.sort_complex(fm.linearize(model, "push", "lower.x").poles) for model in moving]
    yield "poles of one instant of a motion", _far(*poles)


def _path(pair: Pair, to: float) -> Iterator[tuple[str, float]]:
    # The length of an arc counts all coordinates, of which space has more: only wanted factors are common to both.
    at = [0.1 * to, 0.2 * to]
    paths = [fm.equilibrium_path(model, "push", factor=to, at=at) for model in (pair.flat, pair.deep)]
    both = [[c.factor for c in path.critical] for path in paths]
    yield "load factors of limit points and bifurcations", _far(*both)
    chosen = [[int(np.argmin(np.abs(path.factor - x))) for x in (*at, to)] for path in paths]
    states = [[path.state(k) for k in some] for path, some in zip(paths, chosen)]
    yield "places along the path", max(pair.places(a, b) for a, b in zip(*states))


def _slow(pair: Pair) -> Iterator[tuple[str, float]]:
    flat, deep = fm.quasi_static(pair.flat, 1.0, steps=5), fm.quasi_static(pair.deep, 1.0, steps=5)
    yield "places of quasi-static motion", pair.places(flat, deep)
    yield "joint forces of quasi-static motion", pair.forces(flat, deep)


def _driven(pair: Pair, over: Any = None, **asked: Any) -> Iterator[tuple[str, float]]:
    motor: Any = pair.flat.components["motor"]
    begin = motor.b.angle - motor.a.angle  # in space a drive's angle begins at the drawing
    ways: list[dict[str, Any]] = [{}, {}]
    if over is not None:
        ways = [{"drive": "motor", "over": (over[0] - x, over[1] - x)} for x in (0.0, begin)]
    flat, deep = (fm.kinematics(m, progress=False, **asked, **way) for m, way in zip((pair.flat, pair.deep), ways))
    how = "over time" if over is None else "over the drive's range"
    yield f"places {how}", pair.places(flat, deep)
    yield f"joint forces {how}", pair.forces(flat, deep)
    moment = pair.back(deep.reaction("motor")[1])[:, 2]
    yield f"the drive's moment {how}", _far(flat.reaction("motor")[1], moment)
    if flat.events:
        yield "values of the drive at dead points", _far([e.t for e in flat.events], [e.t + begin for e in deep.events])


def _derivatives(build: Callable[..., fm.PlanarModel], plane: tuple, given: dict, body: str) -> Iterator:
    def deep(**given: float) -> fm.SpatialModel:
        turn, shift = plane
        return Pair(build, turn, shift, **given).deep

    names = [f"{body}.{x}" for x in ("x", "y", "z", "vx", "vy", "vz")]
    for method in ("direct", "adjoint"):
        asked: dict[str, Any] = {"step": 1e-2, "derivatives": method}
        known = fm.sensitivity(build, given, 0.2, final=[x for x in names if x[-1] != "z"], **asked)
        found = fm.sensitivity(deep, given, 0.2, final=names, **asked)
        turned = plane[0].inv().as_matrix() @ found.matrix.reshape(2, 3, -1)
        yield f"derivatives, {method}", _far(known.matrix.reshape(2, 2, -1), turned[:, :2])


def _answers() -> Iterator[tuple[str, str, float]]:
    """The mechanism, what is compared, and the difference."""
    planes = iter(_planes(12))

    def all_of(name: str, answers: Iterator[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
        for what, off in answers:
            yield name, what, off

    for name in ("pendulum", "four-bar", "slider-crank, free", "two squares"):
        yield from all_of(name, _rest(Pair(tilted_planes.MECHANISMS[name][0], *next(planes))))
    yield from all_of("pendulum", _linear(Pair(shaken, *next(planes))))
    yield from all_of("pendulum", _slow(Pair(shaken, *next(planes))))
    yield from all_of("toggle", _path(Pair(toggle, *next(planes)), 8.0))
    yield from all_of("column", _path(Pair(column, *next(planes)), 2.0))
    flutter = Pair(column, *next(planes), force=5.0, follower=True, damping=0.1)
    both = [fm.complex_modes(model, 2).eigenvalues for model in (flutter.flat, flutter.deep)]
    yield "column under a follower force", "complex eigenvalues, in flutter", _far(*both)
    plane = next(planes)
    yield from all_of("slider-crank", _driven(Pair(lambda: slider_crank.build("rigid"), *plane), t_end=0.3, steps=30))
    plane = next(planes)
    yield from all_of("rocker", _driven(Pair(rocker, *plane), t_end=1.0, steps=20))
    yield from all_of("rocker", _driven(Pair(rocker, *plane), over=(1.0, 3.0), steps=40))
    plane = next(planes)
    given = {"force": 1.0, "damping": 0.1, "stiffness": 2.0, "speed": 1.5}
    yield from all_of("column", _derivatives(lambda **x: column(follower=True, **x), plane, given, "high"))


@case("tilted-analyses", draw=lambda: Pair(rocker, *_planes(1)[0]).deep)
def compute() -> Iterator[Check]:
    """rest, load paths, driven motion, modes, linear models and sensitivities of mechanisms in planes of space"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)  # of hinges on parallel axes
        for name, what, off in _answers():
            yield Check(
                f"{name}: {what}: difference", off, 0.0, ROUNDING, "the model of the plane, asked the same",
                "rounding in iterations that end below 1e-10",
            )  # fmt: skip
