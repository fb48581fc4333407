"""Right values for arguments by their names, and instances whose methods are called by the names of their classes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import flexmb as fm
from tests.models.worlds import ROD, STEEL, World, spring_model

_numbers = itertools.count()


def new_name() -> str:
    """A name that nothing has."""
    return f"new {next(_numbers)}"


@cache
def in_orbit() -> Any:
    """The orbit of a body, with its solution."""
    m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0), radius=1.0))
    m.add_body("hull", mass=1.0, inertia=(0.1, 0.2, 0.25))
    return fm.spatial.orbit(fm.simulate(m, 0.1, step=0.05, progress=False), sun=(1.0, 0, 0))


#: values by the names of arguments
VALUES_OF: dict[str, Callable[[World], Any]] = {
    "model": lambda w: w.plane,
    "solution": lambda w: w.solution,
    "material": lambda w: STEEL,
    "section": lambda w: ROD,
    "properties": lambda w: fm.planar.BeamProperties.of(STEEL, ROD),
    "path": lambda w: w.folder / "new.csv",
    "name": lambda w: new_name(),
    "names": lambda w: None,
    "beam": lambda w: "rod",
    "quantity": lambda w: "M",
    "joint": lambda w: "hinge",
    "component": lambda w: "hinge",
    "key": lambda w: "body",
    "to": lambda w: "ground",
    "frame": lambda w: w.plane.frames["body"],
    "a": lambda w: w.plane.ground,
    "b": lambda w: w.plane.frames["body"],
    "body": lambda w: w.reduced,
    "times": lambda w: [0.0, 0.01],
    "delay": lambda w: 0.1,
    "after": lambda w: 0.0,
    "time": lambda w: 0.0,
    "t": lambda w: 0.0,
    "k": lambda w: 0,
    "x": lambda w: "body.x",
    "point": lambda w: (0.0, 0.0, 0.0),
    "r": lambda w: (0.1, 0.0, 0.0),
    "color": lambda w: "#ff0000",
    "q": lambda w: [0.1, 0.1],
    "v": lambda w: [0.1, 0.1],
    "vdot": lambda w: [0.1, 0.1],
    "accelerations": lambda w: [0.1, 0.1],
    "offset": lambda w: (0.0, 0.0),
    "angle": lambda w: 0.1,
    "speed": lambda w: 1.0,
    "slip": lambda w: 0.1,
    "vertex": lambda w: 1,
    "period": lambda w: 0.01,
    "vector": lambda w: np.zeros(2),
    "plane": lambda w: True,
    "state": lambda w: fm.equilibrium(w.arm).state,
    "alpha": lambda w: 0.5,
    "count": lambda w: 2,
    "readings": lambda w: [0.0, 0.0],
    "end": lambda w: 1.0,
    "s": lambda w: 0.5,
    "signal": lambda w: "y",
    "error": lambda w: None,
    "duration": lambda w: 1.0,
    "t_start": lambda w: 0.0,
    "value": lambda w: 1.0,
    "base": lambda w: None,
    "amplitude": lambda w: 1.0,
    "frequency": lambda w: 1.0,
    "distance": lambda w: 1.0,
    "accelerate": lambda w: 0.1,
    "cruise": lambda w: 1.0,
    "decelerate": lambda w: 0.1,
    "density": lambda w: 1000.0,
    "youngs_modulus": lambda w: 1e9,
    "beta": lambda w: 0.1,
    "width": lambda w: 0.1,
    "height": lambda w: 0.2,
    "wall": lambda w: 0.01,
    **dict.fromkeys(("EA", "EI", "rhoA", "EIy", "EIz", "GJ"), lambda w: 1.0),
    "matrices": lambda w: "no.op4",
    "grids": lambda w: "no.bdf",
    "job": lambda w: "no",
    "nodes": lambda w: [0],
    "motor": lambda w: w.plane.components["motor"],
    "wanted": lambda w: None,
    "open_chain": lambda w: w.arm,
    "fiber": lambda w: (0.01,),
    "node": lambda w: 0,
    "direction": lambda w: (1.0, 0.0, 0.0),
    "normal": lambda w: (0.0, 0.0, 1.0),
    "load_name": lambda w: "load",
    "mass": lambda w: 1.0,
    "inertia": lambda w: 0.1,
}  # fmt: skip


def learning_task(w: World) -> Any:
    """A task of control of the mechanism in the plane."""
    return fm.environments.Task(
        model=w.plane, commands={"motor": (-1.0, 1.0)}, observations=["body.x"], period=0.01, duration=0.02,
        reward=lambda now: now["body.x"], method="radau", options={"tolerance": 1e-4},
    )  # fmt: skip


def begun(env: Any) -> Any:
    """An environment in which an episode has begun."""
    env.reset(seed=0)
    return env


#: instances whose methods are called, by the names of their classes
SUBJECTS: dict[str, Callable[[World], Any]] = {
    "JointMotion": lambda w: fm.joint_motion(w.plain_arm, {"link 1": (0.0, 0.0, -1.0)}, [0.0, 1.0, 2.0, 3.0]),
    "Env": lambda w: begun(fm.environments.Env(learning_task(w))),
    "VectorEnv": lambda w: begun(fm.environments.VectorEnv(learning_task(w))),
    "Moment": lambda w: fm.environments.Moment(("x",), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1)),
    "Solution": lambda w: w.solution,
    "Runs": lambda w: fm.batch(w.plane, 0.02, vary={"gravity": [(0.0, -1.0)]}, step=0.01, progress=False),
    "Simulator": lambda w: fm.Simulator(w.plane, "rkf45", step=0.01),
    "Motion": lambda w: w.motion,
    "PlanarModel": lambda w: w.plane,
    "SpatialModel": lambda w: w.space,
    "Robot": lambda w: w.robot,
    "Section": lambda w: ROD,
    "Shape": lambda w: fm.Box((1, 1, 1)),
    "TimeFunction": lambda w: fm.Harmonic(1.0, 1.0),
    "Curve": lambda w: fm.Arc((0, 0, 0), (1, 0, 0), 1.0),
    "Orbit": lambda w: in_orbit(),
    "CentralGravity": lambda w: fm.spatial.CentralGravity(4.0, (1.0, 0, 0), (0, 1.5, 0)),
    "Modes": lambda w: fm.modes(w.plane),
    "ComplexModes": lambda w: fm.complex_modes(fm.equilibrium(w.plane)),
    "Campbell": lambda w: fm.campbell(w.whirl, [0.0, 4.0], 2),
    "Equilibrium": lambda w: fm.equilibrium(w.plane),
    "EquilibriumPath": lambda w: fm.equilibrium_path(w.plane, ["load"], steps=2),
    "State": lambda w: fm.equilibrium(w.plane).state,
    "LinearModel": lambda w: w.damped,
    "FrequencyResponse": lambda w: w.plant.response([1.0, 2.0]),
    "Study": lambda w: w.study,
    "Tree": lambda w: w.tree,
    "TreeDynamics": lambda w: fm.TreeDynamics(w.arm),
    "Topology": lambda w: fm.Topology.of(w.arm),
    "View": lambda w: fm.View(w.solution_in_space),
    "Friction": lambda w: fm.Friction(1.0),
    "LuGre": lambda w: fm.LuGre(stiffness=1e5, coulomb=1.0),
    "JointFriction": lambda w: fm.JointFriction(0.3),
    "TireLaw": lambda w: fm.TireLaw(load=4000.0, cornering_stiffness=5e4, relaxation_length=0.3),
    "WholeTrack": lambda w: w.solution_in_space.whole,
    "Support": lambda w: w.standing.support(),
    "Track": lambda w: w.solution_in_space["body"],
    "Statistics": lambda w: w.solution.statistics,
    "ControlLog": lambda w: w.controlled.control["c"],
    "ModeShape": lambda w: fm.modes(w.plane).shape(0),
    "Frame": lambda w: w.plane.frames["body"],
    "FlexibleLink": lambda w: fm.FlexibleLink.beam(STEEL, ROD),
    "Gains": lambda w: fm.control.Gains.of(1.0),
    "ComputedTorque": lambda w: fm.control.ComputedTorque(w.arm, [fm.Constant(0.1)] * 2, fm.control.Gains.of(1.0)),
    "ReactionNullSpace": lambda w: fm.control.ReactionNullSpace(w.arm),
    "FollowingGain": lambda w: fm.control.FollowingGain(
        fm.control.JointAngle(w.arm.components["hinge 0"]), 1.0, 2.0, between=(0.0, 1.0)
    ),
    "TimeVaryingModel": lambda w: w.varying,
    "CriticalPoint": lambda w: w.buckling.critical[0],
    "Appendage": lambda w: fm.bodies.appendage_matrices(
        fm.bodies.mesh_model(w.mesh, STEEL), w.ends["foot"], (0.0, 0.0, 1.0)
    ),
    "OperationalSpace": lambda w: fm.control.OperationalSpace(
        w.long_arm, "link 2", [fm.Constant(0.1)] * 3, fm.control.Gains.of(1.0)
    ),
    "ModeComparison": lambda w: w.compared,
    "VirtualLoop": lambda w: fm.control.VirtualLoop(w.arm, w.arm),
    "VirtualSprings": lambda w: fm.control.VirtualSprings(w.arm, [fm.control.VirtualSpring("drive 0", 1.0)]),
    "SectionMatrices": lambda w: fm.spatial.SectionMatrices(np.eye(6), np.eye(6)),
    "BeamProperties": lambda w: fm.planar.BeamProperties(1.0, 1.0, 1.0),
    "SurfaceFinish": lambda w: fm.spatial.SurfaceFinish(0.1, 0.2),
    "NodeSet": lambda w: fm.bodies.nearest((0, 0, 0)),
    "StabilityMargins": lambda w: fm.control.stability_margins(fm.control.low_pass(0.1, 10.0)),
    "Sensitivity": lambda w: fm.static_sensitivity(spring_model, {"stiffness": 1.0}, "body.x"),
    "Sensor": lambda w: fm.control.RelativeAngle(w.plane.ground, w.plane.frames["body"]),
    "SlidingDesign": lambda w: fm.control.sliding_mode(w.damped, np.eye(2), np.eye(1), reaching=1.0),
    "Observer": lambda w: fm.control.kalman(w.damped, 1.0, 0.1, 0.01),
    "LQG": lambda w: fm.control.lqg(w.damped, np.eye(2), np.eye(1), 1.0, 0.1, 0.01),
    "Trim": lambda w: fm.control.trim(w.arm, ["drive 0"], {"hinge 0.angle": 0.1}),
    "InputShaper": lambda w: fm.control.input_shaper("zv", [-0.1 + 2.0j]),
    "Thruster": lambda w: None,
}  # fmt: skip
