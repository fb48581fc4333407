"""Tanks: masses on a node in space that jets use up; mass center and inertia are functions of the mass that is left.

The used mass u is a state of first order, whose rate the jets give (:mod:`flexmb.forces.spatial.outflow`), so what is
left is m = m₀ − u. At every instant its inertia is that of a rigid body of the mass m, with the arm s(m) from the node
and the tensor J(m) about the mass center (:mod:`flexmb.elements.spatial.offset_mass`). With F and M of that file,
d(x) = α × x + ω × (ω × x), and a prime for derivatives by m,

    ∂F/∂m = r̈ − g + R (d(s) + m d(s')),    ∂M/∂m = J' α + ω × J' ω + s' × Rᵀ F + s × Rᵀ ∂F/∂m
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.offset_mass import SpatialMass, add_inertia_tangent, put_energies, put_inertia, six
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, states
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, quaternion_in, rotation_matrix, turned, turned_back
from flexmb.kernels.slots import time_function
from flexmb.kernels.vectors import (
    applied,
    cross,
    matrix_product,
    minus,
    plus,
    times,
    transposed,
    turning_acceleration,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.geometry.inertia import check_tensor, tensor
from flexmb.model.geometry.inertia import turned as turned_tensor
from flexmb.model.gravity.fields import CentralGravity

#: parameters: gravity (3), the mass at the start, the place (3) of the frame and its axes (4) on the node; then the
#: nine functions of the mass: the mass center (3), xx, yy, zz, xy, xz, yz of the tensor, in the axes of the frame
GRAVITY, FULL, OFFSET, TURN, LAWS = 0, 3, 4, 7, 11
#: scratch numbers of :func:`filling`
ROOM = 27
#: name of the state
USED = "used"
#: parts of the mass at which its inertia is checked
_CHECKED = (1.0, 0.75, 0.5, 0.25, 0.1, 0.01)


@dataclass(eq=False)
class Tank(SpatialMass):
    """A mass that jets use up, on a frame of a body in space: what is left takes part in all motions as the mass of a
    rigid body.

    A :class:`~flexmb.spatial.Thruster` with this `tank` takes its mass from it. When it is empty, its jets close and
    stay so; the event 'name: empty' tells when. In a solution 'name.used' is the used mass [kg], a state of first
    order, and `left(solution)` is what is left.

    Arguments: `name`; `frame`; `mass` [kg] at the start; `center` (3,) [m] of mass in the axes of the frame, each a
    number, or a function of the mass that is left, as a function of time with kilograms in place of seconds;
    `inertia` [kg m²] about the mass center in these axes: three principal ones of the full tank or a matrix (3, 3),
    which go down with the mass, as those of a gas do, or three functions of the mass; `unusable` mass [kg] that stays
    when the tank is empty.

    Of a solid cylinder of the radius R that burns from one end, with ϱA the mass by length: `center` m/(2 ϱA) along the
    axis from the other end, `inertia` ½ m R² about it and m R²/4 + m³/(12 (ϱA)²) across.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("rocket")
    >>> hull = m.add_body("hull", mass=20.0, inertia=(1, 5, 5))
    >>> tank = m.add_tank("tank", hull.frame, 80.0)
    >>> nozzle = hull.attach("nozzle", (-1.0, 0, 0))
    >>> jet = m.thruster(nozzle, 800.0, fm.control.Reference(1.0), opens=0.5, exhaust=2000.0, tank=tank)
    >>> run = fm.simulate(m, 300.0)
    >>> round(float(run["hull.vx"][-1]), 3), run.events[-1].name, round(run.events[-1].t, 6)  # 2000 ln(100/20)
    (3218.876, 'tank: empty', 200.0)
    """

    _: KW_ONLY
    center: Any = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    unusable: float = 0.0
    kind = "tank"

    @property
    def own_frame(self) -> None:  # type: ignore[override]
        """None: it stands on its frame, which is one of the body that carries it."""
        return None

    @property
    def state(self) -> str:
        """The name of the used mass in solutions, events and sensors."""
        return f"{self.name}.{USED}"

    @property
    def usable(self) -> float:
        """The mass [kg] that jets can use from the start on."""
        return self.mass - self.unusable

    def laws(self) -> list[TimeFunction]:
        """The nine functions of the mass: its center (3), and xx, yy, zz, xy, xz, yz of its tensor."""
        centers = [x if isinstance(x, TimeFunction) else Constant(float(x)) for x in self.center]
        if any(isinstance(x, TimeFunction) for x in self._inertias()):
            each = [x if isinstance(x, TimeFunction) else Constant(float(x)) for x in self.inertia]
            return [*centers, *each, *([Constant(0.0)] * 3)]
        by_mass = np.array(six(tensor(self.inertia, self.where))) / self.mass
        return [*centers, *(Polynomial([0.0, x]) for x in by_mass.tolist())]

    def _inertias(self) -> list[Any]:
        return list(self.inertia) if isinstance(self.inertia, list | tuple) else []

    def functions(self) -> list[TimeFunction]:
        """None: what it follows are functions of its mass."""
        return []

    def filled(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Its arm (3,) [m] from the node and its tensor (3, 3) [kg m²] about the mass center, in the axes of the node,
        when so much mass [kg] is left."""
        values = [law(float(mass)) for law in self.laws()]
        xx, yy, zz, xy, xz, yz = values[3:]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        arm = self.frame.offset + np.array(turned(tuple(self.frame.axes.tolist()), tuple(values[:3])))
        return arm, turned_tensor(J, self.frame.axes)

    def arm(self) -> np.ndarray:
        return self.filled(self.mass)[0]

    def node_tensor(self) -> np.ndarray:
        return self.filled(self.mass)[1]

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "unusable")
        if not self.unusable < self.mass:
            raise ModelError(
                f"{self.where}: unusable mass {self.unusable:g} kg is not less than its mass {self.mass:g} kg; "
                "a mass that stays is part of the body"
            )
        for what in ("center", "inertia"):
            given = getattr(self, what)
            if isinstance(given, list | tuple) and any(callable(x) for x in given):
                self._check_functions(what, list(given))
            elif what == "center":
                self.center = checks.vector(given, what, self.where, 3)
        for part in _CHECKED:
            left = self.unusable + part * self.usable
            J = self.filled(left)[1]
            if np.any(J):
                check_tensor(J, f"{self.where}, with {left:.4g} kg left")

    def _check_functions(self, what: str, given: list[Any]) -> None:
        """Refuse what are not three smooth functions of the mass, or numbers in their place."""
        if len(given) != 3:
            raise ModelError(f"{self.where}: {what} has {len(given)} numbers or functions of the mass; give three")
        for x in given:
            if not isinstance(x, TimeFunction):
                if callable(x):
                    raise ModelError(
                        f"{self.where}: {what} is a function of Python, which compiled code cannot call; give a "
                        "Polynomial or a Spline, with the mass in place of time"
                    )
                checks.number(x, what, self.where)
            elif inside := [m for m in x.kinks if 0.0 < m < self.mass]:
                raise ModelError(
                    f"{self.where}: {what} has a kink at the mass {inside[0]:g} kg; give a smooth function of the mass "
                    f"from 0 to {self.mass:g} kg, such as a Polynomial or a Spline"
                )

    def attraction(self, gravity: CentralGravity) -> Component | None:
        raise ModelError(
            f"{self.where} loses mass, which a central gravity does not know; make it a body of the mass that is left, "
            "end the run when a burn has taken much, and go on with a lighter one"
        )

    def place(self) -> BodyPlace:
        x, y, z = (float(law(self.mass)) for law in self.laws()[:3])
        return BodyPlace(self.frame.name, (x, y, z), float(self.mass))

    def head(self, assembly: Assembler) -> list[float]:
        """The parameters before the functions, which its jets have too."""
        frame = self.frame
        return [*assembly.gravity.tolist(), self.mass, *frame.offset.tolist(), *frame.axes.tolist()]

    def law_numbers(self) -> np.ndarray:
        """The functions of the mass as parameters."""
        return np.concatenate([law.parameters() for law in self.laws()])

    def assemble(self, assembly: Assembler) -> None:
        own = assembly.coordinates(
            self, [states([USED])], np.zeros(1), np.zeros(1), given=True, sizes=np.array([self.mass])
        )[0]
        p = np.concatenate([self.head(assembly), self.law_numbers()])
        assembly.instance(self, TANK, [*assembly.node(self.frame.node), own], p, work=ROOM)

    def numbers(self, assembly: Assembler) -> Numbers:
        """The coordinate whose speed is the used mass, of a tank that is assembled already."""
        return assembly.own_coordinate(states([f"{self.name}.{USED}"]).names[0])

    def left(self, solution: Any) -> np.ndarray:
        """The mass (k,) [kg] that is left at the times of a solution."""
        return np.asarray(self.mass - solution[self.state])


@compiled
def filling(row, first, m, work):
    """Arm s, tensor J and their first and second derivatives by the mass m, in the axes of the node, from the functions
    that begin at row[first]: (s, s', s''), (J, J', J'')."""
    k = first
    for j in range(9):
        work[j], work[9 + j], work[18 + j] = time_function(row, k, m)
        k += int(row[k + 1])
    axes = quaternion_in(row, TURN)
    return (
        (
            plus(vector_in(row, OFFSET), turned(axes, vector_in(work, 0))),
            turned(axes, vector_in(work, 9)),
            turned(axes, vector_in(work, 18)),
        ),
        (_turned(axes, work, 3), _turned(axes, work, 12), _turned(axes, work, 21)),
    )


@compiled
def _turned(axes, work, k):
    """R J Rᵀ of the six numbers of J from work[k] on."""
    xx, yy, zz = vector_in(work, k)
    xy, xz, yz = vector_in(work, k + 3)
    R = rotation_matrix(axes)
    return matrix_product(R, matrix_product((xx, xy, xz, xy, yy, yz, xz, yz, zz), transposed(R)))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        m = row[FULL] - v[iv[i, 6]]
        s, J = filling(row, LAWS, m, work)
        orientation, shift = quaternion_at(q, iq[i], 3), vector_at(a, iv[i], 0)
        omega, alpha = vector_at(v, iv[i], 3), vector_at(a, iv[i], 3)
        put_inertia(out[i], vector_in(row, GRAVITY), m, J[0], s[0], orientation, shift, omega, alpha)
        out[i, 6] = a[iv[i, 6]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, block = p[i], K[i]
        m = row[FULL] - v[iv[i, 6]]
        (s, s1, _), (J, J1, _) = filling(row, LAWS, m, work)
        orientation, shift = quaternion_at(q, iq[i], 3), vector_at(a, iv[i], 0)
        omega, alpha = vector_at(v, iv[i], 3), vector_at(a, iv[i], 3)
        add_inertia_tangent(block, w, vector_in(row, GRAVITY), m, J, s, orientation, shift, omega, alpha)
        block[6, 6] += w[0]
        shift = turned_back(orientation, minus(shift, vector_in(row, GRAVITY)))
        swung, moved = turning_acceleration(omega, alpha, s), turning_acceleration(omega, alpha, s1)
        pull = plus(shift, swung)
        more = plus(pull, times(m, moved))
        moment = plus(applied(J1, alpha), cross(omega, applied(J1, omega)))
        moment = plus(moment, plus(times(m, cross(s1, pull)), cross(s, more)))
        force = turned(orientation, more)
        for k in range(3):
            block[k, 6] -= w[1] * force[k]
            block[3 + k, 6] -= w[1] * moment[k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        m = row[FULL] - v[iv[i, 6]]
        s, J = filling(row, LAWS, m, work)
        orientation, place = quaternion_at(q, iq[i], 3), vector_at(q, iq[i], 0)
        velocity, omega = vector_at(v, iv[i], 0), vector_at(v, iv[i], 3)
        put_energies(out[i], vector_in(row, GRAVITY), m, J[0], s[0], orientation, place, velocity, omega)


#: The inertia of what is left in a tank, and of its state.
TANK: Kernels = Kernels("tank", residual=residual, tangent=tangent, energy=energy)
