r"""
2 A blade that stiffens
=======================

*Ritz's method by hand, the program beside it, and a blade that buckles since it turns*

You will be able to

- write stiffness, mass and the two matrices of rotation of a blade by Ritz's method,
- say why a blade is stiffer across its plane of rotation than within it, and by how much,
- find Southwell's coefficients for a hub of any radius,
- find the speed at which a blade that points to the axis buckles, by hand and by the program.

You need the third lesson of the tutorial, and matrices.
"""

# %%
# Energies of a blade that turns
# ------------------------------
#
# A blade of length :math:`L`, mass per length :math:`\mu` and stiffness :math:`EI` stands on a hub of radius
# :math:`R` that turns at :math:`\Omega`. It bends by :math:`w(x)`. Three energies are of second order in
# :math:`w`, besides the kinetic one:
#
# .. math::
#
#     V_E = \tfrac12 \int_0^L EI\, w''^2\, dx, \qquad
#     V_T = \tfrac12 \int_0^L N(x)\, w'^2\, dx, \qquad
#     V_C = -\tfrac12 \int_0^L \mu \Omega^2 w^2\, dx \;\text{ (within the plane of rotation only)},
#
# with the tension of what lies outside of :math:`x`,
#
# .. math:: N(x) = \int_x^L \mu \Omega^2 (R + s)\, ds .
#
# :math:`V_C` is the centrifugal force along the deflection. Across the plane a deflection brings no point farther from
# the axis, so it is absent there.

import matplotlib.pyplot as plt
import numpy as np
from numpy.polynomial import Polynomial
from scipy.linalg import eigh
from scipy.optimize import brentq

import flexmb as fm

L, EI, MU = 2.0, 50.0, 0.8
UNIT = np.sqrt(EI / (MU * L**4))  # what speeds and frequencies are measured in


def integral(polynomial):
    """∫ from 0 to 1."""
    return polynomial.integ()(1.0)


# %%
# Ritz: take the shapes :math:`x^2, x^3, \dots`, which all stand firmly on the hub, and let their amplitudes be the
# coordinates. Lengths are measured in :math:`L` here, so that all integrals go from 0 to 1.

SHAPES = [Polynomial([0.0] * k + [1.0]) for k in range(2, 9)]


def matrices(hub):
    """Bending, tension at Ω = 1, and mass (7, 7) of a blade on a hub of radius `hub`, in units of L, μ and EI."""
    ends = Polynomial([hub, 1.0]).integ()  # ∫ (R + s) ds
    tension = ends(1.0) - ends

    def matrix(of):
        return np.array([[of(a, b) for b in SHAPES] for a in SHAPES])

    bending = matrix(lambda a, b: integral(a.deriv(2) * b.deriv(2)))
    stretched = matrix(lambda a, b: integral(tension * a.deriv() * b.deriv()))
    return bending, stretched, matrix(lambda a, b: integral(a * b))


def by_ritz(speed, hub, within):
    """The lowest squared frequency, in units, of a blade that turns at a speed; within the plane of rotation or
    across it."""
    K, T, M = matrices(hub)
    return eigh(K + speed**2 * (T - within * M), M, eigvals_only=True)[0]


print(f"at rest {np.sqrt(by_ritz(0.0, 0.0, True)):.6f}, in closed form 3.516015")
assert abs(np.sqrt(by_ritz(0.0, 0.0, True)) - 3.5160153) < 1e-6

# %%
# **Exercise 1.** By how much do the squared frequencies within and across the plane differ? Do not compute: look at the
# matrices.

for speed in (1.0, 5.0):
    print(speed, by_ritz(speed, 0.3, False) - by_ritz(speed, 0.3, True))
# answer: by Ω², exactly, since V_C is −Ω² times the kinetic energy's matrix
assert abs(by_ritz(5.0, 0.3, False) - by_ritz(5.0, 0.3, True) - 25.0) < 1e-8

# %%
# Southwell's coefficients
# ------------------------
#
# If the mode kept its shape, the squared frequency would be :math:`\omega_0^2 + \kappa\, \Omega^2`, with
# :math:`\kappa = (\kappa_0 + \kappa_1 R/L) - 1` within the plane. The numbers follow from the mode at rest.

K, _, M = matrices(0.0)
mode = eigh(K, M)[1][:, 0]  # mode @ M @ mode = 1
kappa_0 = mode @ matrices(0.0)[1] @ mode
kappa_1 = mode @ matrices(1.0)[1] @ mode - kappa_0
print(f"κ₀ = {kappa_0:.4f}, κ₁ = {kappa_1:.4f}")
assert abs(kappa_0 - 1.1933) < 1e-4 and abs(kappa_1 - 1.5709) < 1e-4

# %%
# The program is told of a hub, a drive and a beam, of no energies. ``fm.equilibrium`` with a `spin` finds how the
# blade turns steadily, ``fm.complex_modes`` its small vibration. The beam is slender: its sections turn without
# inertia, and it does not shear, as in the formulas.


def turning_blade(speed, hub, inwards=False):
    """A blade on a hub that turns, at its speed; `inwards`: it points from a rim to the axis."""
    model = fm.PlanarModel("rotor")
    properties = fm.planar.BeamProperties(EA=1e7, EI=EI, rhoA=MU)
    root, tip = (hub, hub - L) if inwards else (hub, hub + L)
    blade = model.add_beam("blade", (root, 0.0), (tip, 0.0), properties=properties, elements=2)
    disk = model.add_body("disk", mass=1.0, inertia=1.0)
    model.revolute(model.ground, disk.frame, name="bearing")
    model.weld(disk.attach("rim", (root, 0.0), np.pi if inwards else 0.0), blade.start)
    model.drive_angle(model.ground, disk.frame, fm.Polynomial([0.0, speed]), name="motor")
    return model


def by_program(speed, hub, inwards=False):
    """The lowest squared frequency in units, as `by_ritz`; negative where the blade buckles."""
    steady = fm.equilibrium(turning_blade(speed * UNIT, hub * L, inwards), spin=speed * UNIT, stable=False)
    values = fm.complex_modes(steady).eigenvalues / UNIT
    growing = values.real.max()
    return -(growing**2) if growing > 1e-6 else np.abs(values.imag).min() ** 2


speeds = np.linspace(0.0, 8.0, 9)
figure, ax = plt.subplots(layout="constrained")
for hub in (0.0, 0.5):
    ritz = np.array([by_ritz(speed, hub, True) for speed in speeds])
    program = np.array([by_program(speed, hub) for speed in speeds])
    straight = 3.5160153**2 + (kappa_0 + kappa_1 * hub - 1.0) * speeds**2
    (line,) = ax.plot(speeds**2, ritz, label=f"Ritz, R = {hub} L")
    ax.plot(speeds**2, straight, ":", color=line.get_color())
    ax.plot(speeds**2, program, "o", fillstyle="none", color=line.get_color(), label=f"program, R = {hub} L")
    print(f"R = {hub} L: largest difference from Ritz {np.abs(program / ritz - 1.0).max():.1e}")
    assert np.abs(program / ritz - 1.0).max() < 2e-3
ax.set(xlabel="squared speed [EI/μL⁴]", ylabel="squared frequency within the plane [EI/μL⁴]")
ax.legend(frameon=False)

# %%
# **Exercise 2.** Dotted are Southwell's straight lines. Why do they lie above what is computed, and never below?
#
# Answer: they take the shape of the mode at rest; the true shape is the one with the least quotient of energies
# (Rayleigh), so any other gives more.
#
# A blade that points inwards
# ---------------------------
#
# In some compressors and in space stations a part stands on a rim and points *to* the axis. Then what lies farther in
# presses outwards on what lies nearer to the rim. With :math:`R` the radius of the rim, measured inwards from it,
#
# .. math:: N(x) = -\int_x^L \mu\Omega^2 (R - s)\, ds .
#
# The blade is compressed, and from some speed on it buckles.
#
# **Exercise 3.** Find that speed for :math:`R = 1.5\, L`, within the plane and across it, by changing one line of
# `matrices`. Then ask the program.


def by_ritz_inwards(speed, rim, within):
    """As `by_ritz`, of a blade that stands on a rim and points to the axis."""
    ends = Polynomial([rim, -1.0]).integ()  # the changed line
    tension = -(ends(1.0) - ends)
    K, _, M = matrices(0.0)
    T = np.array([[integral(tension * a.deriv() * b.deriv()) for b in SHAPES] for a in SHAPES])
    return eigh(K + speed**2 * (T - within * M), M, eigvals_only=True)[0]


across = brentq(lambda speed: by_ritz_inwards(speed, 1.5, False), 0.5, 10.0)
within = brentq(lambda speed: by_ritz_inwards(speed, 1.5, True), 0.5, 10.0)
found = brentq(lambda speed: by_program(speed, 1.5, inwards=True), 0.5 * within, 1.5 * within, xtol=1e-4)
print(f"Ritz: {within:.4f} within the plane, {across:.4f} across it; the program: {found:.4f} within the plane")
assert within < across and abs(found / within - 1.0) < 2e-3

# %%
# **Exercise 4.** Why does such a blade buckle within the plane first?
#
# Answer: by exercise 1 the squared frequency there is smaller by :math:`\Omega^2`. So the order of both is that of
# blades which point outwards, and it is the compression that decides whether either comes to zero.
#
# What to read next: :doc:`/theory/planar-cms-beam` tells how one element of component modes knows all of this, and
# :doc:`/how-to/steady-motion` what else can be asked of a mechanism that turns.
