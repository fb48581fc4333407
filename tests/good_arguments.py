"""Right arguments of public callables, where their names alone do not tell them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import control
import numpy as np

import flexmb as fm
from flexmb.quantities.formulas import coordinate
from tests.good_values import in_orbit, learning_task, new_name
from tests.models.worlds import ROD, STEEL, World, driven_model, power, spring_model

Arguments = Mapping[str, Any]
TIMES, VALUES = [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 2.0]
SQUARE = [(0.0, 0.0), (0.1, 0.0), (0.1, 0.1), (0.0, 0.1)]
Q2, R1 = np.eye(2), np.eye(1)

#: arguments by the name of what is called
CALLS: dict[str, Callable[[World], Arguments]] = {
    "fm.add_method": lambda w: {"name": new_name(), "formula": fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2)},
    "fm.runge_kutta": lambda w: {"a": [[0, 0], [1, 0]], "b": [0.5, 0.5], "order": 2, "embedded": [1.0, 0.0]},
    "fm.assemble": lambda w: {"model": w.plane},
    "fm.axes_along": lambda w: {"z": (0, 0, 1), "x": (1, 0, 0)},
    "fm.campbell": lambda w: {"model": w.whirl, "speeds": [0.0, 4.0], "count": 2},
    "fm.crossing": lambda w: {"quantity": "body.x"},
    "fm.denavit_hartenberg": lambda w: {"table": [(0.0, 0.1, 0.2, 0.0), (0.0, 0.0, 0.3, 0.0)]},
    "fm.equilibrium": lambda w: {"model": w.plane},
    "fm.equilibrium_path": lambda w: {"model": w.plane, "loads": ["load"]},
    "fm.euler_angles": lambda w: {"sequence": "xyz", "angles": (0.1, 0.2, 0.3)},
    "fm.euler_parameters": lambda w: {"parameters": (1, 0, 0, 0)},
    "fm.rotation_vector": lambda w: {"vector": (0.1, 0, 0)},
    "fm.formulations.linearized": lambda w: _at_rest(fm.Tree.of(w.plain_arm)) | {"vdot": [0.0]},
    "fm.formulations.one_way": lambda w: _at_rest(fm.Tree.of(w.plain_arm)) | {"times": TIMES},
    "fm.formulation": lambda w: {"model": w.plain_arm},
    "fm.frequency_response": lambda w: {
        "model": w.plane,
        "inputs": ["motor"],
        "outputs": ["body.x"],
        "frequencies": [1.0],
    },
    "fm.grid": lambda w: {"x": [1.0, 2.0]},
    "fm.random_parameters": lambda w: {"n": 2, "x": (0.0, 1.0)},
    "fm.kinematics": lambda w: {
        "model": driven_model(),
        "t_end": 0.1,
        "steps": 2,
        "flexible": "undeformed",
        "progress": False,
    },
    "fm.inverse_kinematics": lambda w: {"model": w.plain_arm, "targets": {"link 1": (0.0, 0.0, -1.0)}},
    "fm.joint_motion": lambda w: {"model": w.plain_arm, "paths": {"link 1": (0.0, 0.0, -1.0)}, "times": TIMES},
    "fm.JointMotion.state": lambda w: {"k": 0},
    "fm.linearize": lambda w: {"model": w.plane, "inputs": ["motor"], "outputs": ["body.x"]},
    "fm.quasi_static": lambda w: {"model": w.plane, "t_end": 1.0, "steps": 2},
    "fm.refine": lambda w: {"model": w.plane, "question": lambda m: 1.0},
    "fm.section_of_outline": lambda w: {"outline": SQUARE},
    "fm.section_of_regions": lambda w: {"regions": [(SQUARE, STEEL)]},
    "fm.sensitivity": lambda w: {
        "model": spring_model,
        "parameters": {"stiffness": 100.0},
        "t_end": 0.02,
        "outputs": "body.x",
        "times": [0.02],
        "step": 0.01,
    },
    "fm.static_sensitivity": lambda w: {"model": spring_model, "parameters": {"stiffness": 100.0}, "outputs": "body.x"},
    "fm.simulate": lambda w: {"model": w.plane, "t_end": 0.02, "step": 0.01, "progress": False},
    "fm.batch": lambda w: {
        "model": w.plane,
        "t_end": 0.02,
        "vary": {"gravity": [(0.0, -1.0)]},
        "step": 0.01,
        "progress": False,
    },
    "fm.environments.Task": lambda w: {
        "model": w.plane,
        "commands": {"motor": (-1.0, 1.0)},
        "observations": ["body.x"],
        "period": 0.01,
        "duration": 0.02,
        "reward": lambda now: now["body.x"],
    },
    "fm.environments.Env": lambda w: {"task": learning_task(w)},
    "fm.environments.VectorEnv": lambda w: {"task": learning_task(w)},
    "fm.environments.Env.step": lambda w: {"action": [0.0]},
    "fm.environments.VectorEnv.step": lambda w: {"actions": [[0.0]]},
    "fm.spline_fit": lambda w: {"function": np.sin, "t_start": 0.0, "t_end": 1.0},
    "fm.study": lambda w: {"run": power, "parameters": [{"x": 1.0}], "workers": 0, "progress": False},
    "fm.export_vtk": lambda w: {"solution": w.solution, "folder": w.folder / "vtk"},
    "fm.export_xdmf": lambda w: {"solution": w.solution, "path": w.folder / "m.xdmf"},
    "fm.hertz": lambda w: {"material_a": STEEL, "material_b": STEEL, "radius_a": 0.1},
    "fm.View": lambda w: {"shown": w.solution_in_space},
    "fm.Arc": lambda w: {"center": (0, 0, 0), "start": (1, 0, 0), "angle": 1.0},
    "fm.Helix": lambda w: {"center": (0, 0, 0), "start": (1, 0, 0), "angle": 1.0, "pitch": 0.1},
    "fm.Curve": lambda w: {"function": lambda u: (u, u * u, 0.0)},
    "fm.SplineCurve": lambda w: {"points": [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 1)]},
    "fm.Polyline": lambda w: {"points": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "fillet": 0.1},
    "fm.Box": lambda w: {"edges": (1, 1, 1)},
    "fm.ClosedSurface": lambda w: _tetrahedron(),
    "fm.OpenSurface": lambda w: _tetrahedron(),
    "fm.CompoundShape": lambda w: {"parts": [fm.Box((1, 1, 1)), fm.Sphere(radius=0.1)]},
    "fm.Cavity": lambda w: {"radius": 0.2, "position": (0, 0)},
    "fm.Corners": lambda w: {"points": [(0, 0), (0.1, 0)]},
    "fm.Circle": lambda w: {"diameter": 0.1},
    "fm.Disk": lambda w: {"radius": 0.1},
    "fm.Sphere": lambda w: {"radius": 0.1},
    "fm.Cylinder": lambda w: {"radius": 0.1, "length": 1.0},
    "fm.HollowCylinder": lambda w: {"outer_diameter": 0.2, "inner_diameter": 0.1, "length": 1.0},
    "fm.Tube": lambda w: {"outer_diameter": 0.2, "inner_diameter": 0.1},
    "fm.Section": lambda w: {"area": 1.0, "second_moment": 1.0},
    "fm.Crossing": lambda w: {"quantity": "body.x", "value": 0.0, "direction": "both"},
    "fm.Event": lambda w: {"name": "event", "model": w.plane, "when": 0.1, "do": (fm.Note(),)},
    "fm.PiecewiseLinear": lambda w: {"times": TIMES, "values": VALUES},
    "fm.Spline": lambda w: {"times": TIMES, "values": VALUES},
    "fm.SplineFit": lambda w: {"times": TIMES, "values": VALUES},
    "fm.Polynomial": lambda w: {"coefficients": [1.0, 2.0]},
    "fm.ModalDamping": lambda w: {"ratios": 0.01},
    "fm.ThinWalls": lambda w: {"points": [(0.0, 0.0), (0.1, 0.0)], "walls": [(0, 1, 0.01)]},
    "fm.AngleSection": lambda w: {"width": 0.1, "height": 0.1, "wall": 0.01},
    "fm.LuGre": lambda w: {"stiffness": 1e5, "coulomb": 1.0},
    "fm.Friction": lambda w: {"coulomb": 1.0},
    "fm.Friction.torque": lambda w: {"speed": 1.0},
    "fm.JointFriction": lambda w: {"coefficient": 0.3},
    "fm.TireLaw": lambda w: {"load": 4000.0, "cornering_stiffness": 5e4, "relaxation_length": 0.3},
    "fm.Topology": lambda w: {"parents": [-1, 0]},
    "fm.Topology.of": lambda w: {"model": w.arm},
    "fm.Topology.augmented_masses": lambda w: {"masses": [1.0, 1.0]},
    "fm.Tree.of": lambda w: {"model": w.arm},
    "fm.Switch": lambda w: {"on": "hinge"},
    "fm.Tree.path": lambda w: {"link": "link 1"},
    "fm.TreeDynamics": lambda w: {"model": w.arm},
    "fm.TreeDynamics.jacobian": lambda w: {"frame": "link 1", "q": [0.0, 0.0]},
    "fm.WholeTrack.on_floor": lambda w: {"up": np.array([0.0, 0, 1]), "heights": np.zeros(3)},
    "fm.FlexibleLink.beam": lambda w: {"material": STEEL, "section": ROD},
    "fm.FlexibleLink.solid": lambda w: {"material": STEEL},
    "fm.FlexibleLink.reduced": lambda w: {"reduced": w.reduced},
    "fm.read_urdf": lambda w: {"path": "no.urdf"},
    "fm.SymbolicBlock": lambda w: {},
    "fm.planar.BeamProperties.of": lambda w: {"material": STEEL, "section": ROD},
    "fm.spatial.BeamProperties.of": lambda w: {"material": STEEL, "section": ROD},
    "fm.spatial.orbit": lambda w: {"solution": in_orbit().solution},
    "fm.spatial.Orbit.attitude": lambda w: {"key": "hull"},
    "fm.spatial.Orbit.at": lambda w: {"times": [0.0]},
    "fm.spatial.CentralGravity.enters": lambda w: {"t_start": 0.0, "t_end": 1.0},
    "fm.spatial.CentralGravity": lambda w: {"mu": 4.0, "position": (1.0, 0, 0), "velocity": (0, 1.5, 0)},
    "fm.spatial.SectionMatrices": lambda w: {"stiffness_matrix": np.eye(6), "mass_matrix": np.eye(6)},
    "fm.bodies.from_mesh": lambda w: {"mesh": w.mesh, "material": STEEL, "interfaces": w.ends, "modes": 1},
    "fm.bodies.mesh_model": lambda w: {"mesh": w.mesh, "material": STEEL},
    "fm.bodies.from_matrices": lambda w: _matrices(w) | {"interfaces": {"foot": [0, 1, 2, 3]}, "modes": 1},
    "fm.bodies.matrix_model": lambda w: _matrices(w),
    "fm.bodies.from_modes": lambda w: {
        "nodes": np.eye(3),
        "shapes": np.random.default_rng(0).normal(size=(3, 3, 1)),
        "omegas": [10.0],
        "node_masses": [1.0, 1.0, 1.0],
    },
    "fm.bodies.frame_model": lambda w: w.frame_body,
    "fm.bodies.from_frame": lambda w: w.frame_body | {"interfaces": {"a": "a", "b": "b"}, "modes": 2},
    "fm.bodies.Member": lambda w: {"joins": ("a", "b"), "section": ROD, "material": STEEL},
    "fm.bodies.from_substructures": lambda w: {
        "substructures": {"a": fm.bodies.mesh_model(w.mesh, STEEL)},
        "welds": {},
    },
    "fm.bodies.cut": lambda w: {"mesh": w.reduced.mesh, "point": (0.2, 0, 0), "normal": (1, 0, 0)},
    "fm.bodies.cut_modes": lambda w: {"mesh": w.reduced.mesh, "point": (0.2, 0, 0), "normal": (1, 0, 0)},
    "fm.spatial.SurfaceFinish": lambda w: {"mirror": 0.2, "diffuse": 0.3, "emissivity": 0.8},
    "fm.bodies.painted": lambda w: {"reduced": w.reduced, "finish": fm.spatial.SurfaceFinish(0.1)},
    "fm.bodies.in_box": lambda w: {"low": (0, 0, 0), "high": (1, 1, 1)},
    "fm.bodies.nearest": lambda w: {"point": (0, 0, 0)},
    "fm.bodies.on_cylinder": lambda w: {"point": (0, 0, 0), "axis": (0, 0, 1), "radius": 1.0},
    "fm.bodies.on_plane": lambda w: {"point": (0, 0, 0), "normal": (0, 0, 1)},
    "fm.bodies.mac": lambda w: {"one": np.eye(3), "two": np.eye(3)},
    "fm.bodies.principal": lambda w: {"stress": np.ones((2, 6))},
    "fm.bodies.von_mises": lambda w: {"stress": np.ones((2, 6))},
    "fm.bodies.rainflow_cycles": lambda w: {"stress": [0.0, 1.0, 0.0, 2.0]},
    "fm.bodies.gauge_modes": lambda w: {"mesh": w.reduced.mesh, "node": 0, "direction": (1, 0, 0)},
    "fm.bodies.stress_modes": lambda w: {"mesh": w.reduced.mesh},
    "fm.bodies.NodeSet.numbers": lambda w: {"nodes": np.eye(3)},
    "fm.bodies.NodalLoad": lambda w: {"nodes": [0], "force": (1.0, 0, 0)},
    "fm.bodies.compare_modes": lambda w: {"body": w.reduced, "measured": None},
    "fm.bodies.damage": lambda w: {"stress": [0.0, 1.0, 0.0, 2.0], "strength": 1.0, "cycles": 1e6, "exponent": 5.0},
    "fm.bodies.appendage_matrices": lambda w: {
        "full": fm.bodies.mesh_model(w.mesh, STEEL),
        "base": w.ends["foot"],
        "spin": (0.0, 0.0, 1.0),
    },
    "fm.bodies.NodeSet": lambda w: {"rule": lambda x: x[:, 0] > 0.0, "text": "to the right"},
    "fm.bodies.Interface": lambda w: {
        "position": (0, 0, 0),
        "orientation": np.eye(3),
        "translation": np.zeros((1, 3)),
        "rotation": np.zeros((1, 3)),
    },
    "fm.bodies.ModalLoad": lambda w: {"force": (0, 0, 0), "moment": (0, 0, 0), "modal": [0.0]},
    "fm.bodies.ReducedBody": lambda w: {
        "mass": 2.0,
        "first": np.zeros((2, 3)),
        "products": _products(),
        "stiffness": [1e4],
    },
    "fm.bodies.Tie": lambda w: {"nodes": [0, 1, 2]},
    "fm.control.AttitudeAngle": lambda w: {"frame": w.space.frames["body"], "sequence": "xyz", "number": 1},
    "fm.control.WeightedSum": lambda w: {
        "sensors": [fm.control.RelativeAngle(w.plane.ground, w.plane.frames["body"])],
        "weights": [1.0],
    },
    "fm.control.Controller": lambda w: {
        "name": "c",
        "model": w.plane,
        "period": 0.01,
        "sensors": [fm.control.RelativeAngle(w.plane.ground, w.plane.frames["body"])],
        "commands": ["motor"],
        "law": fm.control.LinearLaw(D=[[-1.0]]),
    },
    "fm.control.States": lambda w: {"law": lambda t, x, y: [0.0], "start": [0.0], "name": "lag"},
    "fm.control.StateValue": lambda w: {
        "states": fm.PlanarModel("n").add_states("lag", lambda t, x, y: [0.0], start=[0.0])
    },
    "fm.control.StrainGauge": lambda w: {"point": w.plane.components["rod"].at(0.5), "height": 0.02},
    "fm.control.MotorAngle": lambda w: {"motor": w.plane.components["motor"]},
    "fm.control.MotorRate": lambda w: {"motor": w.plane.components["motor"]},
    "fm.control.SurfaceGauge": lambda w: {"body": w.modal_body, "node": 0, "direction": (1, 0, 0)},
    "fm.control.WholeSensor": lambda w: {"model": w.plane, "quantity": "momentum.x"},
    "fm.control.NamedQuantity": lambda w: {"model": w.plane, "quantity": "body.x"},
    "fm.control.OwnSensor": lambda w: {
        "formula": coordinate,
        "on": [w.plane.frames["body"]],
        "values": [1.0, 0.0],
        "name": "own",
        "unit": "m",
    },
    "fm.control.Reference": lambda w: {"function": fm.Harmonic(1.0, 1.0)},
    "fm.control.PythonLaw": lambda w: {"function": lambda t, y: [0.0]},
    "fm.control.LinearLaw": lambda w: {"D": [[1.0]]},
    "fm.control.SlidingLaw": lambda w: {"gain": [[1.0, 1.0]], "surface": [[1.0, 1.0]], "switching": [[0.5, 0.5]]},
    "fm.control.FollowingGain": lambda w: {
        "sensor": fm.control.JointAngle(w.arm.components["hinge 0"]),
        "first": 1.0,
        "last": 2.0,
        "between": (0.0, 1.0),
    },
    "fm.control.ComputedTorque": lambda w: {
        "open_chain": w.arm,
        "wanted": [fm.Constant(0.1)] * 2,
        "gains": fm.control.Gains.of(1.0),
    },
    "fm.control.OperationalSpace": lambda w: {
        "open_chain": w.long_arm,
        "frame": "link 2",
        "wanted": [fm.Constant(0.1)] * 3,
        "gains": fm.control.Gains.of(1.0),
    },
    "fm.control.Gains": lambda w: {"position": 1.0, "rate": 1.0},
    "fm.control.Gains.of": lambda w: {"frequency": 1.0},
    "fm.control.ReactionNullSpace": lambda w: {"model": w.arm},
    "fm.control.ReactionNullSpace.ratio": lambda w: {
        "q": [0.1, 0.1],
        "follower": "hinge 0",
        "leader": "hinge 1",
        "quantity": "momentum.x",
    },
    "fm.control.ReactionlessDamper": lambda w: {
        "model": w.arm,
        "leader": "hinge 0",
        "follower": "hinge 1",
        "damping": 1.0,
        "shares": {"hinge 0": {"drive 0": 1.0}},
    },
    "fm.control.VirtualSpring": lambda w: {"actuator": w.arm.components["drive 0"], "stiffness": 1.0},
    "fm.control.VirtualSprings": lambda w: {"model": w.arm, "springs": [fm.control.VirtualSpring("drive 0", 1.0)]},
    "fm.control.VirtualSprings.control": lambda w: {"period": 0.01},
    "fm.control.VirtualLoop": lambda w: {"open_chain": w.arm, "loop": w.arm},
    "fm.control.differentiator": lambda w: {"time_constant": 0.1, "frequency": 10.0},
    "fm.control.low_pass": lambda w: {"time_constant": 0.1, "frequency": 10.0},
    "fm.control.transfer_function": lambda w: {"numerator": [1.0], "denominator": [1.0, 1.0]},
    "fm.control.filtered": lambda w: {
        "plant": w.plant,
        "filters": {w.plant.outputs[0]: fm.control.low_pass(0.1, 10.0)},
    },
    "fm.control.loop_at": lambda w: {
        "plant": w.controlled.model if hasattr(w.controlled, "model") else w.plane,
        "place": "motor",
    },
    "fm.control.lqr": lambda w: {"plant": w.damped, "Q": Q2, "R": R1},
    "fm.control.sliding_mode": lambda w: {"plant": w.damped, "Q": Q2, "R": R1, "reaching": 1.0},
    "fm.control.kalman": lambda w: {"plant": w.damped, "process": 1.0, "measurement": 0.1, "period": 0.01},
    "fm.control.disturbance_observer": lambda w: {
        "plant": w.damped,
        "process": 1.0,
        "measurement": 0.1,
        "disturbance": 1.0,
        "period": 0.01,
    },
    "fm.control.lqg": lambda w: {
        "plant": w.damped,
        "Q": Q2,
        "R": R1,
        "process": 1.0,
        "measurement": 0.1,
        "period": 0.01,
    },
    "fm.control.ObserverLaw": lambda w: {"A": R1, "B": R1, "E": R1, "C": R1, "D": R1},
    "fm.control.Observer.gain": lambda w: {"K": np.zeros((1, 2))},
    "fm.control.Observer.law": lambda w: {"K": np.zeros((1, 2))},
    "fm.control.trim": lambda w: {"model": w.arm, "by": ["drive 0"], "hold": {"hinge 0.angle": 0.1}},
    "fm.control.input_shaper": lambda w: {"kind": "zv", "about": [-0.1 + 2.0j]},
    "fm.control.InputShaper.residual": lambda w: {"pole": -0.1 + 2.0j},
    "fm.control.quiet_step": lambda w: {"about": [-0.1 + 2.0j]},
    "fm.Solution.residual": lambda w: {"*names": "body.x", "after": 0.0},
    "fm.control.lyapunov": lambda w: {"A": -Q2, "W": Q2},
    "fm.control.minimum_error_excitation": lambda w: {"plant": w.damped, "K": np.zeros((1, 2))},
    "fm.control.servo_errors": lambda w: {"count": 1, "period": 0.01},
    "fm.control.stability_margins": lambda w: {"open_loop": fm.control.low_pass(0.1, 10.0)},
    "fm.Runs.values": lambda w: {"k": 0},
    "fm.Runs.solution": lambda w: {"k": 0},
    "fm.Runs.doubts_of": lambda w: {"k": 0},
    "fm.Simulator.run": lambda w: {"t_end": 0.02, "progress": False},
    "fm.Simulator.step": lambda w: {"dt": 0.01},
    "fm.Solution.plot": lambda w: {"*names": "body.x"},
    "fm.Solution.plot_spectrum": lambda w: {"*names": "body.x"},
    "fm.EquilibriumPath.plot": lambda w: {"x": "body.x"},
    "fm.Study.plot": lambda w: {"x": "x", "y": "result"},
    "fm.LinearModel.response": lambda w: {"frequencies": [1.0]},
    "fm.LinearModel.simulate": lambda w: {"times": [0.0, 0.1], "u": [0.0, 0.0]},
    "fm.LinearModel.closed": lambda w: {"gain": [[1.0, 1.0]]},
    "fm.LinearModel.restore": lambda w: {"x": [0.0, 0.0]},
    "fm.LinearModel.from_control": lambda w: {"system": control.tf([2.0], [1.0, 2.0])},
    "fm.control.TimeVaryingModel.restore": lambda w: {"x": np.zeros(w.varying.A.shape[-1])},
    "fm.spatial.Track.euler_angles": lambda w: {"sequence": "xyz"},
    "fm.spatial.Track.euler_angle_rates": lambda w: {"sequence": "xyz"},
    "fm.PlanarModel.add_beam": lambda w: {"start": (0.0, 0.0), "end": (1.0, 0.0), "material": STEEL, "section": ROD},
    "fm.SpatialModel.add_beam": lambda w: {"start": (0, 0, 0), "end": (1, 0, 0), "material": STEEL, "section": ROD},
    "fm.SpatialModel.add_body": lambda w: {"mass": 1.0, "inertia": (1, 1, 1)},
    "fm.SpatialModel.add_figure": lambda w: {"frame": w.space.frames["body"], "shape": fm.Box((1, 1, 1))},
    "fm.SpatialModel.add_modal_body": lambda w: {"reduced": w.reduced},
    "fm.PlanarModel.add_modal_body": lambda w: {"reduced": w.reduced},
    "fm.PlanarModel.add_states": lambda w: {"law": lambda t, y, x: -x, "start": [1.0]},
    "fm.PlanarModel.add_event": lambda w: {"when": 0.1, "do": fm.Note()},
    "fm.PlanarModel.add_controller": lambda w: {
        "period": 0.01,
        "sensors": fm.control.RelativeAngle(w.plane.ground, w.plane.frames["body"]),
        "commands": "motor",
        "law": [[-1.0]],
    },
    "fm.PlanarModel.component": lambda w: {"name": "hinge"},
    "fm.PlanarModel.frame": lambda w: {"name": "body"},
    "fm.PlanarModel.add": lambda w: {
        "component": fm.planar.Weld(
            w.plane.frames["body"].attach(new_name()), w.plane.frames["body"].attach(new_name())
        )
    },
    "fm.PlanarModel.switch_off": lambda w: {"component": w.plane.components["load"]},
    "fm.PlanarModel.switch_on": lambda w: {"component": w.plane.components["load"]},
    "fm.SpatialModel.add_point_mass": lambda w: {"frame": w.space.frames["body"], "mass": 1.0},
    "fm.SpatialModel.solar_heat": lambda w: _heated(w),
    "fm.SpatialModel.add_tank": lambda w: {"frame": w.space.frames["body"], "mass": 1.0},
    "fm.SpatialModel.add_wheel": lambda w: {"frame": w.space.frames["body"], "inertia": 1.0},
    "fm.EquilibriumPath.series": lambda w: {"name": "body.x"},
    "fm.Robot.drive": lambda w: {"name": "joint 1", "motion": 0.1},
    "fm.Robot.joint": lambda w: {"name": "joint 1"},
    "fm.Robot.sensor": lambda w: {"name": "joint 1"},
    "fm.Tree.loop": lambda w: {"chord": "no chord"},
    "fm.FrequencyResponse.bode_against": lambda w: {"others": {"other": w.plant.response([1.0, 2.0])}},
    "fm.load": lambda w: {"path": "no.h5"},
    **{f"fm.ControlLog.{what}": (lambda w: {"signal": "motor", "times": [0.0]}) for what in ("at",)},
    "fm.ControlLog.unit": lambda w: {"signal": "motor"},
    "fm.ControlLog.plot": lambda w: {"*signals": "motor"},
    "fm.LinearModel.modal": lambda w: {"count": 1},
    "fm.planar.ModalBody.at": lambda w: {"interface": "clip"},
    "fm.spatial.Figure": lambda w: {
        "name": new_name(),
        "frame": w.space.frames["body"],
        "shape": fm.Box((1, 1, 1)),
    },
    "fm.WholeTrack.named": lambda w: {"what": "mass"},
    **{
        f"fm.Robot.{what}": (lambda w: {"of": w.robot_run})
        for what in ("accelerations", "efforts", "rates", "positions")
    },
    "fm.Robot.actuate": lambda w: {"name": "joint 1"},
    "fm.Loops": lambda w: {"model": w.arm},
    "fm.bodies.MeasuredModes": lambda w: {
        "frequencies": [1.0],
        "damping": [0.01],
        "places": np.eye(3),
        "shapes": np.ones((3, 3, 1)),
        "nodes": [1, 2, 3],
    },
    "fm.TreeDynamics.pose": lambda w: {"frame": "link 1", "q": [0.0, 0.0]},
    "fm.TreeDynamics.jacobian_rate": lambda w: {"frame": "link 1", "q": [0.0, 0.0], "v": [0.0, 0.0]},
    **{
        f"fm.control.{name}": (lambda w: {"joint": w.arm.components["hinge 0"]})
        for name in ("JointAngle", "JointRate", "LoadCell", "TorqueMeter")
    },
    **{f"fm.control.{name}": (lambda w: {"joint": _slide()}) for name in ("JointPosition", "JointSpeed")},
    **{
        f"fm.control.{name}": (lambda w: {"frame": w.space.frames["body"]})
        for name in ("AttitudeError", "AttitudeRate")
    },
    "fm.control.StarTracker": lambda w: {"frame": w.space.frames["body"], "number": 1},
    "fm.control.ComputedTorque.control": lambda w: {"model": w.arm, "period": 0.01},
}


def _tetrahedron() -> Arguments:
    return {
        "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
        "faces": [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
    }


def _heated(w: World) -> dict[str, Any]:
    """A new boom in the sun."""
    steel = fm.Material(density=7010, youngs_modulus=1.93e11, thermal_expansion=1.6e-5)
    boom = w.space.add_beam(
        new_name(), (0, 0, 5), (1, 0, 5), material=steel, section=fm.Tube(outer_diameter=0.02, inner_diameter=0.019)
    )
    finish = fm.spatial.SurfaceFinish(emissivity=0.5)
    return {"beam": boom, "finish": finish, "wall": 5e-4, "specific_heat": 500.0, "conductivity": 20.0}


def _matrices(w: World) -> dict[str, Any]:
    model = fm.bodies.mesh_model(w.mesh, STEEL)
    return {"K": model.stiffness, "M": model.mass, "nodes": model.nodes}


def _products() -> np.ndarray:
    P = np.zeros((2, 2, 3, 3))
    P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    return P


def _at_rest(tree: fm.Tree) -> dict[str, Any]:
    """A tree with one joint, and its state."""
    return {"tree": tree, "q": [0.1], "v": [0.0]}


def _slide() -> Any:
    m = fm.SpatialModel("slide")
    return m.prismatic(m.ground, m.add_body("cart", mass=1.0, inertia=(1, 1, 1)), axis="x")
