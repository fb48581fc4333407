"""What a solution tells of a body with a mesh: forces through cuts, and strains on its surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.bodies.cuts import Cut, cut
from flexmb.bodies.reduced_body import axial
from flexmb.bodies.stresses import gauge_modes, needed_elasticity
from flexmb.errors import AccuracyWarning, warn
from flexmb.model import checks
from flexmb.model.appearance import MeshPlace
from flexmb.model.hints import AnswersCalls
from flexmb.results import names
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.stress_track import node_of


class BodyResults(metaclass=AnswersCalls):
    """The bodies with meshes of a :class:`~flexmb.results.solution.Solution`."""

    def section_force(
        self: Recorded, body: Any, point: Any, normal: Any, axes: str = "ground"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Force (k, d) [N] and moment [Nm], (k, 3) or in the plane (k,), about `point`, through a cut of a body with a
        mesh: what the part ahead, on the side to which the `normal` points, exerts on the part behind.

        `point` and `normal` (d,) of the cut's plane, in the axes in which the mesh was given; the point moves with the
        section. The result is in the axes of the "ground", or with `axes` "body" in those of the mesh, which turn with
        the body. See :func:`flexmb.bodies.cut`.

        >>> import flexmb as fm, skfem
        >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), *2 * [np.array([-0.05, 0.05])])
        >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
        >>> m = fm.SpatialModel("m")
        >>> bar = m.add_modal_body("bar", fm.bodies.from_mesh(bar, fm.Material(7850, 2e11), interfaces=ends, modes=2))
        >>> joint, push = m.weld(m.ground, bar.at("foot")), m.point_force(bar.at("tip"), (0, 0, 1000.0))
        >>> rest = fm.equilibrium(m).solution
        >>> force, moment = rest.section_force("bar", (0.6, 0, 0), (1, 0, 0))
        >>> np.abs(force[0]).round(-1).tolist(), float(moment[0, 1].round(1))
        ([0.0, 0.0, 1000.0], -400.0)
        """
        name, mesh = _mesh_of(self, body)
        checks.choice(axes, ("ground", "body"), "axes", self.where)
        d = self.layout.dimension
        at, along = checks.vector(point, "point", self.where, d), checks.vector(normal, "normal", self.where, d)
        eta = _amplitudes(self, mesh)
        to_frame = np.eye(d) if mesh.orientation is None else mesh.orientation
        start = np.zeros(d) if mesh.origin is None else mesh.origin
        found = cut(mesh, (at - start) @ to_frame, along @ to_frame, eta.shape[1])
        force = eta @ found.force.T + np.einsum("ki,xij,kj->kx", eta, found.force2, eta, optimize=True)
        moment = eta @ found.moment.T + np.einsum("ki,xij,kj->kx", eta, found.moment2, eta, optimize=True)
        motion = names.frame_motion(self, self.layout.bodies[name].frame)
        if np.isfinite(found.slice_mass):
            slices = inertia_of_slices(found, motion, eta, *_rates(self, mesh))
            force, moment = force + slices[0], moment + slices[1]
        else:
            warn(
                f"{self.where}, body {name!r}: its file does not tell the density of its elements, so that forces "
                "through cuts leave out inertia and weight between the plane and the nodes; make the body anew",
                AccuracyWarning,
            )
        turn = np.broadcast_to(to_frame, (len(eta), d, d)) if axes == "body" else motion.axes
        force = np.einsum("kxd,kd->kx", turn, force)
        return force, np.einsum("kxd,kd->kx", turn, moment) if d == 3 else moment[:, 0]

    def surface_strain(self: Recorded, body: Any, node: Any, direction: Any) -> np.ndarray:
        """The strain (k,) [–] of a body with a mesh along a `direction` (d,) in the axes in which the mesh was given,
        at a node: its number, or a place (d,) in these axes, to which the node is nearest.

        >>> import flexmb as fm, skfem
        >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), *2 * [np.array([-0.05, 0.05])])
        >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
        >>> m = fm.SpatialModel("m")
        >>> bar = m.add_modal_body("bar", fm.bodies.from_mesh(bar, fm.Material(7850, 2e11), interfaces=ends, modes=2))
        >>> joint, push = m.weld(m.ground, bar.at("foot")), m.point_force(bar.at("tip"), (20000.0, 0, 0))
        >>> fm.equilibrium(m).solution.surface_strain("bar", (0.5, 0.05, 0), (1, 0, 0)).round(7).tolist()
        [1e-05]
        """
        name, mesh = _mesh_of(self, body)
        own = checks.vector(direction, "direction", self.where, self.layout.dimension)
        if mesh.orientation is not None:
            own = own @ mesh.orientation
        eta = _amplitudes(self, mesh)
        return eta @ gauge_modes(mesh, node_of(mesh, node, f"{self.where}, body {name!r}"), own, eta.shape[1])


def _mesh_of(solution: Recorded, body: Any) -> tuple[str, MeshPlace]:
    """The name of a body, and its mesh with stresses."""
    name = names.key_name(solution, body)
    meshed = [key for key, place in solution.layout.bodies.items() if place.mesh is not None]
    if name not in meshed and name in solution.layout.bodies:
        needed_elasticity(None, f"{solution.where}, body {name!r}")
    checks.known(name, meshed, "body with a mesh", solution.where)
    mesh: MeshPlace = needed_elasticity(solution.layout.bodies[name].mesh, f"{solution.where}, body {name!r}")
    return name, mesh


def _amplitudes(solution: Recorded, mesh: MeshPlace) -> np.ndarray:
    """The amplitudes (k, n) of the modes of a mesh."""
    coordinates = solution.layout.coordinates
    return solution.q[:, [coordinates.index(mode) for mode in mesh.modes]]


def _rates(solution: Recorded, mesh: MeshPlace) -> tuple[np.ndarray, np.ndarray]:
    """The rates and the second rates (k, n) of the amplitudes of the modes of a mesh."""
    of = [solution.layout.coordinates.index(mode) for mode in mesh.modes]
    return solution.v[:, of], solution.a[:, of]


def inertia_of_slices(
    found: Cut, motion: names.FrameMotion, eta: np.ndarray, rate: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Force (k, d) and moment (k, r) by the accelerations u + α × s + ω × (ω × s) + 2 ω × ṡ + s̈ of the inertia between
    the plane of a cut and nodes, s = X + Σ φ η."""
    omega = _cross(motion.omega)
    turning = _cross(motion.alpha) + omega @ omega
    amplitudes = np.concatenate([np.ones((len(eta), 1)), eta], axis=1)
    first, products = found.slice_first, found.slice_products
    force = found.slice_mass * motion.acceleration
    arms = np.einsum("w,kx->kwx", found.slice_arm, motion.acceleration)
    for factors, turn in ((amplitudes, turning), (np.pad(rate, ((0, 0), (1, 0))), 2.0 * omega)):
        force = force + np.einsum("kxy,kf,fy->kx", turn, factors, first, optimize=True)
        arms = arms + np.einsum("kxy,kf,fwy->kwx", turn, factors, products, optimize=True)
    force = force + second @ first[1:]
    arms = arms + np.einsum("kf,fwx->kwx", second, products[1:])
    return force, axial(arms)


def _cross(w: np.ndarray) -> np.ndarray:
    """w̃ (k, d, d) of turns (k, r)."""
    if w.shape[1] == 1:
        return np.asarray(w[:, :, None] * np.array([[0.0, -1.0], [1.0, 0.0]]))
    x, y, z = w.T
    o = np.zeros(len(w))
    return np.stack([np.stack(row, axis=1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=1)
