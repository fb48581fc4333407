"""A crank with a flexible rod, a reduced body of bricks, here and in Exudyn, Gerstmayr (2024): same K, M and modes.

Both take generalized-α with steps of 1 ms. The peer's floating frame has Euler parameters, and its field is linear in
the modes; that of flexmb is quadratic, and linear for comparison. Its time is that of its solver alone, of the fastest
of its Newton methods; that of flexmb is the whole of `simulate`. Then the time of a step with a hundred times as many
nodes: that of the loop of steps, less that of a run of one step.

python -m flexmb.validation.performance.reduced_body
python -m flexmb.validation.performance.reduced_body views
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.body_of_mesh import mesh_model
from flexmb.bodies.full_models.meshed_elements import scikit_fem
from flexmb.examples import bracket
from flexmb.machine.threads import one_thread
from flexmb.visual.rendering.smoothing import smoothed
from flexmb.visual.stage.meshes import vertex_normals

#: crank and rod [m], the angular velocity of the crank at the start [rad/s], end [s] and step [s]
CRANK, ROD, SPEED, T_END, STEP = 0.15, 0.6, 20.0, 1.0, 1e-3
SIDES, MATERIAL = (0.02, 0.01), fm.Material(2700.0, 2e9, 0.3)
MODES = 8
ENDS = {name: bodies.on_plane((s, 0, 0), (1, 0, 0)) for name, s in (("near", 0.0), ("far", ROD))}
#: bricks along the rod and across it, with 999 and 99 099 nodes
MESHES = (55, 1, 1), (500, 5, 4)


def rod(bricks: int = 12, *across: int) -> tuple[bodies.ReducedBody, Any]:
    """The reduced rod, and its full model; bricks along and across it, one if not given."""
    import skfem

    x = np.linspace(0.0, ROD, bricks + 1)
    sides = (np.linspace(-0.5, 0.5, count + 1) * side for side, count in zip(SIDES, across or (1, 1), strict=True))
    mesh = skfem.MeshHex.init_tensor(x, *sides)
    return bodies.from_mesh(mesh, MATERIAL, interfaces=ENDS, modes=MODES), mesh_model(mesh, MATERIAL)


def build(reduced: bodies.ReducedBody, field: str = "quadratic") -> fm.SpatialModel:
    """The mechanism: a crank on a hinge, another one to the rod, whose far end stays in a plane."""
    model = fm.SpatialModel("crank with a reduced rod", gravity=(0, -9.81, 0))
    crank = model.add_body("crank", mass=0.4, inertia=(1e-4, 1e-3, 1e-3), position=(0.5 * CRANK, 0, 0))
    body = model.add_modal_body("rod", reduced, (CRANK, 0, 0), field=field)
    model.revolute(model.ground, crank.attach("foot", (-0.5 * CRANK, 0, 0)), axis="z", name="hinge")
    model.revolute(crank.attach("top", (0.5 * CRANK, 0, 0)), body.at("near"), axis="z", name="elbow")
    model.point_in_plane(model.ground, body.at("far"), axis="y", name="guide")
    crank.move((0, 0.5 * CRANK * SPEED, 0), (0, 0, SPEED))
    body.frame.move((0, 0.5 * CRANK * SPEED, 0), (0, 0, -CRANK * SPEED / ROD))
    return model


def peer(reduced: bodies.ReducedBody, model: Any, newton: str) -> tuple[float, np.ndarray]:
    """Seconds of the peer's solver, and the place of the sliding end (k,) [m]."""
    import exudyn as exu
    from exudyn import FEM, itemInterface

    mesh = reduced.mesh
    assert mesh is not None
    fem = FEM.FEMinterface()
    fem.nodes = {"Position": np.array(mesh.nodes)}
    fem.massMatrix, fem.stiffnessMatrix = model.mass.tocsr(), model.stiffness.tocsr()
    fem.modeBasis = {"matrix": mesh.shapes.reshape(-1, reduced.modes).copy(), "type": "NormalModes"}
    reduction = FEM.ObjectFFRFreducedOrderInterface(fem)
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    turning = [0.0, 0.0, -CRANK * SPEED / ROD]
    placed = [CRANK + float(reduced.origin[0]), float(reduced.origin[1]), float(reduced.origin[2])]
    flexible = reduction.AddObjectFFRFreducedOrder(
        mbs, positionRef=placed, initialVelocity=[0, 0.5 * CRANK * SPEED, 0], initialAngularVelocity=turning,
        gravity=[0, -9.81, 0],
    )  # fmt: skip
    ground = mbs.AddObject(itemInterface.ObjectGround())
    inertia = FEM.RigidBodyInertia(mass=0.4, inertiaTensor=np.diag([1e-4, 1e-3, 1e-3]))
    crank = mbs.CreateRigidBody(
        inertia=inertia, referencePosition=[0.5 * CRANK, 0, 0], initialVelocity=[0, 0.5 * CRANK * SPEED, 0],
        initialAngularVelocity=[0, 0, SPEED], gravity=[0, -9.81, 0],
    )  # fmt: skip
    on_nodes = {}
    for name, chosen in ENDS.items():
        numbers = chosen.numbers(mesh.nodes + reduced.origin, "benchmark")
        weights = np.full(len(numbers), 1.0 / len(numbers))
        on_nodes[name] = mbs.AddMarker(
            itemInterface.MarkerSuperElementRigid(
                bodyNumber=flexible["oFFRFreducedOrder"], meshNodeNumbers=numbers.tolist(), weightingFactors=weights
            )
        )
    rigid = itemInterface.MarkerBodyRigid
    at = [
        mbs.AddMarker(rigid(bodyNumber=body, localPosition=place))
        for body, place in ((ground, [0, 0, 0]), (crank, [-0.5 * CRANK, 0, 0]), (crank, [0.5 * CRANK, 0, 0]))
    ]
    mbs.AddObject(itemInterface.GenericJoint(markerNumbers=at[:2], constrainedAxes=[1, 1, 1, 1, 1, 0]))
    mbs.AddObject(
        itemInterface.GenericJoint(markerNumbers=[at[2], on_nodes["near"]], constrainedAxes=[1, 1, 1, 1, 1, 0])
    )
    mbs.AddObject(
        itemInterface.GenericJoint(markerNumbers=[at[0], on_nodes["far"]], constrainedAxes=[0, 1, 0, 0, 0, 0])
    )
    end = int(np.argmax(mesh.nodes[:, 0]))
    sensor = mbs.AddSensor(
        itemInterface.SensorSuperElement(
            bodyNumber=flexible["oFFRFreducedOrder"], meshNodeNumber=end, storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )  # fmt: skip
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = round(T_END / STEP), T_END
    integration.verboseMode = 0
    integration.newton.useModifiedNewton = newton == "modified"
    integration.newton.weightTolerancePerCoordinate = True
    integration.generalizedAlpha.spectralRadius = 0.8
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = STEP
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    begun = time.perf_counter()
    mbs.SolveDynamic(settings)
    seconds, stored = time.perf_counter() - begun, np.asarray(mbs.GetSensorStoredData(sensor))
    return seconds, stored[:, 1]


def main() -> None:
    """Print seconds for the second of motion, the best of five, and where the end of the rod is."""
    reduced, model = rod()
    found = {}
    for field in ("quadratic", "linear"):
        mechanism = build(reduced, field)
        runs = []
        for _ in range(6):  # the first one may compile
            begun = time.perf_counter()
            run = fm.simulate(mechanism, T_END, step=STEP, progress=False)
            runs.append(time.perf_counter() - begun)
        found[f"flexmb, {field}"] = min(runs), run["rod.far"].position[-1, 0]
    for newton in ("modified", "full"):
        times = []
        for _ in range(5):
            seconds, place = peer(reduced, model, newton)
            times.append(seconds)
        found[f"Exudyn, {newton} Newton, linear"] = min(times), place[-1]
    for name, (seconds, place) in found.items():
        print(f"{name:36} {seconds:8.3f} s, end at {place:.6f} m", flush=True)
    steps_of_meshes()


def steps_of_meshes() -> None:
    """Print the time of a step for each of the meshes, the best of nine runs that take turns."""
    rods = [rod(*bricks)[0] for bricks in MESHES]
    mechanisms = [build(reduced) for reduced in rods]
    loops: list[list[float]] = [[] for _ in rods]
    starts: list[list[float]] = [[] for _ in rods]
    for _ in range(9):
        for k, mechanism in enumerate(mechanisms):
            for end, times in ((STEP, starts), (T_END, loops)):
                times[k].append(fm.simulate(mechanism, end, step=STEP, progress=False).statistics.seconds)
    steps = [1e6 * (min(loop) - min(start)) / (round(T_END / STEP) - 1) for loop, start in zip(loops, starts)]
    for reduced, step in zip(rods, steps):
        assert reduced.mesh is not None
        print(
            f"{len(reduced.mesh.nodes):6} nodes: {step:7.2f} µs a step, {step / steps[0]:.3f} times that of the first"
        )


#: elements along the plates, across them and through them, of the fine mesh; width and height of a picture [pixel]
ALONG, ACROSS, THROUGH, SIZE = 95, 60, 8, (800, 600)
#: so many pictures are drawn in turn, and the best of so many repetitions counts
PICTURES, REPEATS = 20, 3


def fine_bracket(along: int = ALONG, across: int = ACROSS, through: int = THROUGH) -> fm.bodies.ReducedBody:
    """The reduced bracket with a finer mesh."""
    skfem = scikit_fem()
    body = bracket.solid()
    x, z = (
        np.concatenate([np.linspace(0, 0.008, through + 1), np.linspace(0.008, size, along)[1:]])
        for size in (0.1, 0.12)
    )
    y, thick = np.linspace(0.0, 0.06, across + 1), np.linspace(0.0, 0.008, through + 1)
    mesh = skfem.MeshHex.init_tensor(x, y, thick) + skfem.MeshHex.init_tensor(thick, y, z[through:])
    given: Any = body.mesh
    frame = np.eye(3) if body.orientation is None else body.orientation
    origin = np.zeros(3) if body.origin is None else body.origin
    nodes = (mesh.p.T - origin) @ frame
    both = [LinearNDInterpolator, NearestNDInterpolator]
    shapes = []
    for coarse in (given.shapes, given.slave_shapes):
        inside, near = (kind(given.nodes, coarse.reshape(len(coarse), -1))(nodes) for kind in both)
        shapes.append(np.where(np.isnan(inside), near, inside).reshape(len(nodes), 3, -1))
    cells = mesh.t.T
    return replace(body, mesh=bodies.BodyMesh(nodes, [("hexahedron", _turned(nodes, cells))], *shapes))


def _turned(nodes: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells (c, 8) of a tensor mesh with their nodes in the order of meshio: by their places."""
    places = nodes[cells]
    low = places.min(axis=1, keepdims=True)
    bits = places > low + 0.5 * (places.max(axis=1, keepdims=True) - low)
    wanted = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    number = bits @ [1, 2, 4]
    at = np.argsort(number, axis=1)
    return np.take_along_axis(cells, at[:, [a + 2 * b + 4 * c for a, b, c in wanted]], axis=1)


def run_of(body: fm.bodies.ReducedBody) -> Any:
    """The bracket bolted down, and released from a bend."""
    model = fm.SpatialModel("bracket")
    bend = np.zeros(body.modes)
    bend[0] = 1e-3
    part = model.add_modal_body("bracket", body, amplitudes=bend)
    model.weld(model.ground.attach("bed", part.at("foot").position), part.at("foot"))
    return fm.simulate(model, 2e-3, step=1e-4, progress=False)


def measured(view: fm.View, count: int = PICTURES, repeats: int = REPEATS) -> dict[str, float]:
    """The least processor time [s] of a picture, summed over threads: of all of it, and of what it consists of; and its
    least `wall` time. Without a graphics card VTK draws by the processor, in threads."""
    times = view.frame_times(count)
    best: dict[str, float] = {}

    def note(what: str, done: Callable[[int], Any]) -> None:
        wall, begun = time.perf_counter(), time.process_time()
        for k in range(count):
            done(k)
        spent = {what: time.process_time() - begun} | ({"wall": time.perf_counter() - wall} if what == "all" else {})
        for name, seconds in spent.items():
            best[name] = min(best.get(name, np.inf), seconds / count)

    with view.picture(times, SIZE, "benchmark", smooth="fxaa") as picture:
        (piece,) = (piece for piece, _, _ in picture.parts if piece.name == "bracket" and piece.role == "body")
        picture.instant(0)
        image, places = picture.image(), piece.points(0)
        for _ in range(repeats):
            note("all", lambda k: (picture.instant(k), picture.image()))
            note("places and colors", one_thread(lambda k: (piece.points(k), piece.values(k))))
            note("normals", lambda k: vertex_normals(places, piece.faces))
            note("drawing by VTK", lambda k: picture.plotter.render())
            note("smooth edges", lambda k: smoothed(image, 0, len(image)))
    best["points"], best["triangles"] = float(len(piece.points(0))), float(len(piece.faces))
    return best


def views() -> None:
    """Pictures a second that are drawn off screen of a bracket on meshes of several sizes, magnified and colored,
    and what takes their time. The modes are those of the demo, interpolated: what a picture costs depends on the
    numbers of nodes and modes alone."""
    for sizes in ((24, 15, 2), (48, 30, 4), (ALONG, ACROSS, THROUGH)):
        body = fine_bracket(*sizes)
        view = fm.View(run_of(body), color="displacement", magnify=50)
        found = measured(view)
        points, triangles = int(found.pop("points")), int(found.pop("triangles"))
        parts = ", ".join(f"{what} {1e3 * seconds:.1f} ms" for what, seconds in found.items())
        assert body.mesh is not None
        size = f"{len(body.mesh.nodes)} nodes, {points} points, {triangles} triangles"
        print(f"{size}: {1.0 / found['wall']:.1f} a second; {parts}")


if __name__ == "__main__":
    views() if sys.argv[1:] == ["views"] else main()
