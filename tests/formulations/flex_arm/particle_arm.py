"""An arm of bodies of particles: the model, and the places of all particles for any deviations, independently."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from tests.models.particles import Particles

GRAVITY = np.array([0.4, -0.7, -9.81])
WAIST, ELBOW = fm.Harmonic(0.7, 2.0, 0.3), fm.Polynomial([0.2, 0.9, -0.6, 0.4])
AXES = np.array([[0.0, 0.0, 1.0], [2.0, -1.0, 2.0]]) / np.array([[1.0], [3.0]])


def tilde(v: Any) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def exp(v: Any) -> np.ndarray:
    """The rotation by a vector, of complex numbers too, by its series."""
    k = tilde(v)
    result, term = np.eye(3, dtype=k.dtype), np.eye(3, dtype=k.dtype)
    for n in range(1, 30):
        term = term @ k / n
        result = result + term
    return result


class ParticleArm:
    """A column that is welded to the ground, two links on hinges, one behind the other or, `branching`, both on the
    column, and a weight on the interface of the first."""

    def __init__(self, branching: bool = False) -> None:
        #: what carries each body, −1 the ground
        self.parents = (-1, 0, 0 if branching else 1)
        rng = np.random.default_rng(11)
        self.parts = [Particles.random(modes=n, seed=s, size=6) for n, s in ((2, 1), (3, 2), (2, 5))]
        m = fm.SpatialModel("arm", gravity=GRAVITY)
        self.bodies = [
            m.add_modal_body(name, p.reduced(damping=0.02), rng.normal(size=3), fm.rotation_vector(rng.normal(size=3)))
            for name, p in zip(("column", "upper", "lower"), self.parts, strict=True)
        ]
        self.weight = m.add_body(
            "weight", mass=1.5, inertia=(0.3, 0.4, 0.5), center=(0.2, 0.1, -0.3),
            frame=self.bodies[1].at("b").attach("hook", (0.1, 0.2, 0.3), fm.rotation_vector((0.3, 0.1, -0.2))),
        )  # fmt: skip
        self.feet = []
        ends = [*(body.at("b") for body in self.bodies), m.ground]
        for body, parent in zip(self.bodies, self.parents, strict=True):
            foot = body.at("a").attach(f"{body.name}.foot", rng.normal(size=3), fm.rotation_vector(rng.normal(size=3)))
            end, turn = ends[parent], ends[parent].orientation.inv()
            at = turn.apply(foot.position - end.position)
            self.feet.append(
                (end.attach(f"under {body.name}", at, turn * fm.rotation_vector(rng.normal(size=3))), foot)
            )
        m.weld(*self.feet[0])
        waist = m.revolute(*self.feet[1], axis=AXES[0], name="waist")
        a, b = self.feet[2]
        axis_b = b.orientation.inv().apply(a.orientation.apply(AXES[1]))
        elbow = m.revolute(b, a, axis=axis_b, name="elbow")  # the other way round
        m.drive_joint(waist, WAIST)
        m.drive_joint(elbow, ELBOW)
        self.model = m
        self.modes = np.cumsum([0, *(len(p.stiffness) for p in self.parts)])
        #: mass matrix of the particles of all bodies, and of those six that stand for the weight
        J = np.array(self.weight.tensor())
        S = 0.5 * np.trace(J) * np.eye(3) - J
        self.corners = np.concatenate([s * np.diag(np.sqrt(3.0 * np.diag(S) / 1.5)) for s in (1, -1)])

    def _frame(self, k: int, frame: Any, name: str, eta: Any) -> tuple[np.ndarray, np.ndarray]:
        """Axes and place of a frame on an interface of a body, in its reference frame."""
        i = self.parts[k].interfaces[name]
        place = i.position + i.translation @ eta + 0.5 * np.einsum("ist,s,t->i", i.translation2, eta, eta)
        psi = i.rotation @ eta + 0.5 * np.einsum("ist,s,t->i", i.rotation2, eta, eta)
        axes = exp(psi) @ i.orientation
        own = fm.model.orientations.rotation_of(frame.axes).as_matrix()
        return axes @ own, place + axes @ frame.offset

    def places(self, t: float, y: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Mass matrices and places (N, 3) of all particles; y: deviations of waist and elbow, then all amplitudes."""
        angles = (0.0, WAIST(t) + y[0], -ELBOW(t) - y[1])
        poses: list[tuple[np.ndarray, np.ndarray]] = []
        found = []
        for k, (part, (near, foot)) in enumerate(zip(self.parts, self.feet, strict=True)):
            eta = y[2 + self.modes[k] : 2 + self.modes[k + 1]]
            if k == 0:
                R_a, p = near.orientation.as_matrix(), near.position
            else:
                j = self.parents[k]
                R, o = poses[j]
                axes, place = self._frame(j, near, "b", y[2 + self.modes[j] : 2 + self.modes[j + 1]])
                R_a, p = R @ axes, o + R @ place
            relative = (near.orientation.inv() * foot.orientation).as_matrix()
            R_b = R_a @ exp(angles[k] * AXES[k - 1]) @ relative if k else R_a @ relative
            axes, place = self._frame(k, foot, "a", eta)
            R = R_b @ np.linalg.inv(axes)
            o = p - R @ place
            poses.append((R, o))
            found.append((part.m, o + part.positions(eta) @ R.T))
            if k == 1:
                axes, place = self._frame(1, self.weight.frame, "b", eta)
                local = self.weight.center + self.corners
                found.append((np.eye(6) * 0.25, o + (place + local @ axes.T) @ R.T))
        return found

    def stacked(self, t: float, y: Any) -> np.ndarray:
        return np.concatenate([x.ravel() for _, x in self.places(t, y)])

    @property
    def mass(self) -> np.ndarray:
        blocks = [np.kron(m, np.eye(3)) for m, _ in self.places(0.0, np.zeros(2 + self.modes[-1]))]
        size = sum(map(len, blocks))
        result, at = np.zeros((size, size)), 0
        for b in blocks:
            result[at : at + len(b), at : at + len(b)] = b
            at += len(b)
        return result

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """∂r/∂y by complex steps."""
        h = 1e-30
        return np.array([self.stacked(t, y + 1j * h * e).imag / h for e in np.eye(len(y))]).T
