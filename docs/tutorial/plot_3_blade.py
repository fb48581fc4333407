"""
3 A blade that is spun up
=========================

A blade of 8 m is spun up to 4 rad/s in 15 s. Its lowest natural frequency at rest is 2.9 rad/s, so it ends up turning
faster than it can vibrate. A linear beam model says that it then breaks. It does not: the centrifugal force stiffens
it. In this lesson you see what the linear model leaves out, and how to tell.
"""

# %%
# The blade
# ---------
#
# The blade is given by its stiffness and mass per length, instead of material and section. A drive turns its root. The
# problem is a classic of flexible multibody dynamics; these are the numbers of its usual form.

import warnings

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

LENGTH, SPEED, DURATION = 8.0, 4.0, 15.0
AREA, RHO, E = 2.0194 / 2767.0, 2767.0, 6.8952e10
SHEAR = {"GA": 0.83 * AREA * E / 2.6, "rhoI": RHO * 5666.0 / E}  # for shear and for sections that turn
BLADE = fm.planar.BeamProperties(EA=E * AREA, EI=5666.0, rhoA=RHO * AREA, **SHEAR)


def rotor(theory="cms", motion=None, **options):
    """A blade on a driven hub at the origin."""
    model = fm.PlanarModel("rotor")
    blade = model.add_beam("blade", (0, 0), (LENGTH, 0), properties=BLADE, theory=theory, **options)
    model.revolute(model.ground, blade.start, name="hub")
    model.drive_angle(model.ground, blade.start, motion or fm.SpinUp(SPEED, DURATION), name="motor")
    return model


def deflection(solution):
    """How far the tip is from the line along which the root points."""
    return solution.relative("blade.end", to="blade.start").position[:, 1]


rest = fm.modes(rotor(), 1)
print(f"at rest: {2 * np.pi * rest.frequencies[0]:.3f} rad/s")
assert abs(2.0 * np.pi * rest.frequencies[0] - 3.516 * np.sqrt(5666.0 / 2.0194) / LENGTH**2) < 1e-3

# %%
# Two models of the same blade
# ----------------------------
#
# ``theory="floating"`` describes the deformation as a linear field in a frame that turns along. ``theory="cms"``, the
# default, has the same bending modes, and besides them what lesson 1 used without saying so: when a beam bends, its
# points also move *inward* along it, by an amount of second order.

blade = fm.simulate(rotor(), 20.0, step=0.01)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    linear = fm.simulate(rotor("floating"), 9.0, step=0.01)
print(str(caught[-1].message))

# %%
# The linear model warns by itself. Here are both.

figure, ax = plt.subplots(layout="constrained")
ax.plot(linear.t, deflection(linear), "--", label="linear in the rotating frame")
ax.plot(blade.t, deflection(blade), label="with the second-order axial field")
ax.axvline(DURATION, color="gray", linewidth=0.8)
ax.annotate("full speed", (DURATION, -0.9), (4, 0), textcoords="offset points")
ax.set(xlabel="t [s]", ylabel="deflection of the tip [m]", ylim=(-1.0, 0.2))
ax.legend(frameon=False)

# %%
# The blade lags behind while the hub speeds up, by 0.534 m at most, and then follows. An exact rod, computed with
# polynomials, and a fine cable computed with another program both give -0.53387 m.

w = deflection(blade)
k = w.argmin()
print(f"largest deflection {w[k]:.5f} m after {blade.t[k]:.2f} s; reference -0.53387 m after 6.77 s")
assert abs(w[k] / -0.53387 - 1.0) < 1.5e-3

linear_speed = SPEED / DURATION * (linear.t - DURATION / (2 * np.pi) * np.sin(2 * np.pi * linear.t / DURATION))
lost = np.abs(deflection(linear)) > 1.0
print(f"the linear model passes 1 m at {linear_speed[lost.argmax()]:.2f} rad/s")

blade.draw(times=np.linspace(5.0, 8.5, 8), trails="blade.end")

# %%
# Why
# ---
#
# Take the blade turning steadily at :math:`\Omega`, and its lowest mode with the shape :math:`\phi(x)` and amplitude
# :math:`q`. In the turning frame a point has two forces of inertia more. Across the blade, the centrifugal force pulls
# it outward by :math:`\mu \Omega^2 w`. This is in the linear model. It *softens*:
#
# .. math:: \ddot q + (\omega^2 - \Omega^2)\, q = 0 .
#
# So the linear model becomes unstable at :math:`\Omega = \omega = 2.91` rad/s, and long before that it bends
# by a factor of :math:`1/(1 - \Omega^2/\omega^2)` too far. Along the blade there is the much larger
# :math:`\mu \Omega^2 x`, a tension. As the blade bends, its points come nearer to the hub by
# :math:`u(x) = \tfrac12 \int_0^x w'^2`, against that tension. That costs the energy
#
# .. math:: \int_0^L \mu \Omega^2 x\, u(x)\, dx
#           = \tfrac12 q^2\, \Omega^2 \int_0^L \tfrac12 \mu (L^2 - x^2)\, \phi'^2 dx ,
#
# of second order in :math:`q`, as is the energy of bending. A model whose displacements are linear in :math:`q` cannot
# contain it. The integral is larger than what softens: with the mode of a cantilever its part is
# :math:`1.193\, \Omega^2`, so that
#
# .. math:: \omega_\text{turning}^2 = \omega^2 + (1.193 - 1)\, \Omega^2 .
#
# The frequency of small vibration about steady rotation shows it.

beta = 1.875104068711961
x = np.linspace(0.0, 1.0, 4001)
sigma = (np.cosh(beta) + np.cos(beta)) / (np.sinh(beta) + np.sin(beta))
shape = np.cosh(beta * x) - np.cos(beta * x) - sigma * (np.sinh(beta * x) - np.sin(beta * x))
slope = beta * (np.sinh(beta * x) + np.sin(beta * x) - sigma * (np.cosh(beta * x) - np.cos(beta * x)))
factor = np.trapezoid(0.5 * (1.0 - x**2) * slope**2, x) / np.trapezoid(shape**2, x)
print(f"the tension stiffens by {factor:.4f} Ω²")
assert abs(factor - 1.1933) < 1e-3

# %%
# ``fm.equilibrium(…, spin=…)`` finds the shape in which a mechanism turns steadily, and ``fm.complex_modes`` its small
# vibration, seen in axes that turn along.


def frequency(theory, speed):
    """Angular frequency of the lowest vibration of the blade that turns at a speed; NaN if it is unstable."""
    steady = rotor(theory, motion=fm.Polynomial([0.0, speed]))
    turning = fm.equilibrium(steady, spin=speed, stable=False)
    values = fm.complex_modes(turning).eigenvalues
    return np.nan if values.real.max() > 1e-6 else np.abs(values.imag).min()


speeds = np.linspace(0.01, 4.0, 17)
second_order = np.array([frequency("cms", speed) for speed in speeds])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    floating = np.array([frequency("floating", speed) for speed in speeds])
omega = 2.0 * np.pi * rest.frequencies[0]
estimate = np.sqrt(omega**2 + (factor - 1.0) * speeds**2)

figure, ax = plt.subplots(layout="constrained")
ax.plot(speeds, floating, "--", label="linear in the rotating frame")
ax.plot(speeds, second_order, label="with the second-order axial field")
ax.plot(speeds, estimate, ":", label=r"$\sqrt{\omega^2 + 0.193\,\Omega^2}$")
ax.set(xlabel="speed Ω [rad/s]", ylabel="lowest frequency [rad/s]", ylim=(0, 4))
ax.legend(frameon=False)
print(f"at 4 rad/s: {second_order[-1]:.3f} rad/s, estimate {estimate[-1]:.3f} rad/s")
assert 0.98 < second_order[-1] / estimate[-1] < 1.0
assert np.nanmax(speeds[~np.isnan(floating)]) < omega

# %%
# The estimate is 1.5 % high at full speed, since it keeps the shape of the mode. The tension changes the shape a
# little, and the free shape is always the softer one (Rayleigh).
#
# How to tell
# -----------
#
# Three signs tell whether a beam model is good enough:
#
# * the run says so: ``solution.doubts`` has sentences when a theory is used outside of its range;
# * another theory gives the same number. ``theory="exact"`` knows nothing of modes and axial fields, and
#   ``theory="ancf"`` has neither rotations nor a turning frame;
# * more elements change nothing.

options = {"exact": {"elements": 16}, "ancf": {"elements": 8}, "cms": {"elements": 2}}
for theory, option in options.items():
    run = fm.simulate(rotor(theory, **option), 8.0, step=0.02)
    print(f"{theory:6} {option['elements']} elements: {deflection(run).min():.5f} m, {run.statistics.steps} steps")
    assert abs(deflection(run).min() / -0.53387 - 1.0) < 0.01

# %%
# Exercises
# ---------
#
# 1. Spin the blade up in 7.5 s instead of 15 s. What is the largest deflection? First guess: the lag comes from the
#    angular acceleration, which doubles.
# 2. The axial field has a cheaper form, ``axial="chord"``, which shortens only the chord. What does it get wrong here?
# 3. What torque does the hub need? Compare with a rigid blade.
#
# Answers
# -------

quick = fm.simulate(rotor(motion=fm.SpinUp(SPEED, 7.5)), 7.5, step=0.01)
print(f"1. {deflection(quick).min():.3f} m: {deflection(quick).min() / w.min():.2f} times as much")

chord = fm.simulate(rotor(axial="chord"), 20.0, step=0.01)
print(
    f"2. {deflection(chord).min():.3f} m: the chord alone shortens,",
    "so the tension turns it back but does not resist the bending",
)

_, torque = blade.reaction("motor")
rigid = BLADE.rhoA * LENGTH**3 / 3.0 * 2.0 * SPEED / DURATION
print(f"3. {torque.max():.0f} Nm; a rigid blade {rigid:.0f} Nm")
assert abs(deflection(chord).min() + 0.59325) < 1e-3

# %%
# Where to go on
# --------------
#
# Lesson 4 goes into space. Blades that bend out of the plane, twist and carry weights are made in the same way in a
# ``SpatialModel``.
