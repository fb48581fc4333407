"""
7 A component of one's own
==========================

A copper disk that turns between magnets is braked by eddy currents. The torque grows with the speed, but beyond a
certain speed it falls again, since the currents then expel the field:

.. math:: M = -\\frac{c\\,\\omega}{1 + (\\omega/\\omega_0)^2} .

The program has no such brake. In this lesson you give it one: first as a function of Python, in five lines, then as a
component that runs compiled with all methods and all analyses, and is tested like the built-in ones.
"""

# %%
# What must come out
# ------------------
#
# A disk with the inertia :math:`J` that is braked by nothing else has a speed that is known in closed form:
#
# .. math:: \ln\frac{\omega}{\omega_1} + \frac{\omega^2 - \omega_1^2}{2\,\omega_0^2} = -\frac{c\,t}{J} .

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb import testing
from flexmb.kernels import Kernels, kernel

C, W0, J, W1 = 0.02, 20.0, 0.01, 80.0


def exact(t):
    """The speed of the disk at a time."""
    return brentq(lambda w: np.log(w / W1) + (w**2 - W1**2) / (2.0 * W0**2) + C * t / J, 1e-9, W1)


def spinning_disk():
    """A disk on an axle, at its first speed."""
    model = fm.PlanarModel("disk")
    disk = model.add_body("disk", mass=1.0, inertia=J)
    model.revolute(model.ground, disk.frame)
    disk.move(angular_velocity=W1)
    return model, disk


# %%
# Five lines of Python
# --------------------
#
# ``python_force`` takes a function of time, position (x, y, θ) and velocity of a frame, and applies the force and
# moment that it returns.


def brake(t, position, velocity):
    w = velocity[2]
    return 0.0, 0.0, -C * w / (1.0 + (w / W0) ** 2)


model, disk = spinning_disk()
model.python_force(disk.frame, brake)
plain = fm.simulate(model, 8.0)
print(f"after 6 s: {plain.at(6.0)['disk'].angular_velocity[0]:.6f} rad/s, exact {exact(6.0):.6f} rad/s")
assert abs(plain.at(6.0)["disk"].angular_velocity[0] - exact(6.0)) < 1e-4

# %%
# This is enough for many purposes. It has three limits. A call takes some microseconds. Its power counts as power from
# outside, since nobody knows where it goes. And it exists once: no name, no parameters, no tests.
#
# A component
# -----------
#
# A component is a class with its data, and *kernels* that compute. A kernel works on all instances of a component at
# once. All kernels have the same list of arguments. Three of them matter here: ``p``, a row of parameters for each
# instance; ``iv``, which says where the speeds of an instance stand in ``v``; and ``out``, which the kernel fills.
#
# The equation of motion is :math:`M a + f + G^T \lambda = 0`. So ``residual`` has the torque with a plus where it
# resists. ``energy`` says where energy goes: its five numbers are kinetic, strain and potential energy, power that is
# dissipated, and power from outside. The derivative of the residual by the speed is made by the program, exactly.


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        speed = v[iv[i, 0]]
        out[i, 0] = p[i, 0] * speed / (1.0 + (speed / p[i, 1]) ** 2)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        speed = v[iv[i, 0]]
        out[i, 3] = p[i, 0] * speed**2 / (1.0 + (speed / p[i, 1]) ** 2)


EDDY_BRAKE = Kernels("eddy brake", residual, energy=energy)

# %%
# The class is a dataclass. ``frames`` says on what it acts. ``assemble`` gives the coordinates and parameters of each
# instance: the turning of a node is the last of its coordinates. ``check`` refuses numbers that make no sense, with a
# sentence that names the component.


@dataclass(eq=False)
class EddyBrake(fm.Component):
    """An eddy current brake on a frame: c ω/(1 + (ω/ω₀)²) against the turning."""

    frame: fm.planar.Frame
    coefficient: float
    critical_speed: float
    external = True  # it acts from outside: its moment on the mechanism need not vanish

    def frames(self):
        return [self.frame]

    def check(self):
        if self.coefficient < 0.0 or not self.critical_speed > 0.0:
            raise fm.errors.ModelError(f"{self.where}: take a coefficient ≥ 0 and a critical speed > 0")

    def assemble(self, assembly):
        _, turning = assembly.node(self.frame.node)
        assembly.instance(self, EDDY_BRAKE, turning, np.array([self.coefficient, self.critical_speed]))


model, disk = spinning_disk()
model.add(EddyBrake(disk.frame, C, W0, name="brake"))
solution = fm.simulate(model, 8.0)

figure, ax = plt.subplots(layout="constrained")
ax.plot(solution.t, solution["disk"].angular_velocity, label="computed")
times = np.linspace(0.0, 8.0, 17)
ax.plot(times, [exact(t) for t in times], "o", label="closed form")
ax.axhline(W0, color="gray", linewidth=0.8, linestyle=":")
ax.annotate("the torque is largest here", (8.0, W0), (0, 4), textcoords="offset points", ha="right")
ax.set(xlabel="t [s]", ylabel="speed of the disk [rad/s]")
ax.legend(frameon=False)

error = np.abs(solution.at(times)["disk"].angular_velocity - [exact(t) for t in times]).max()
print(f"largest error {error:.1e} rad/s")
print(solution.energy)
assert error < 1e-4

# %%
# The kinetic energy of 32 J is now *dissipated*, and the balance closes.
#
# Is it right?
# ------------
#
# ``testing.conformance`` runs all checks that apply: derivatives against differences, power against the rate of energy,
# rigid motion, and more. It is silent if all is well. A wrong kernel is named. Here the energy forgets that the torque
# falls:

testing.conformance(model.component("brake"))


@kernel
def wrong(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 3] = p[i, 0] * v[iv[i, 0]] ** 2


class WrongBrake(EddyBrake):
    def assemble(self, assembly):
        _, turning = assembly.node(self.frame.node)
        kernels = Kernels("wrong brake", residual, energy=wrong)
        assembly.instance(self, kernels, turning, np.array([self.coefficient, self.critical_speed]))


model, disk = spinning_disk()
bad = model.add(WrongBrake(disk.frame, C, W0, name="bad brake"))
try:
    testing.conformance(bad)
except AssertionError as failure:
    print(str(failure).splitlines()[0])
else:
    raise AssertionError("the suite has to find it")

# %%
# A component like any other
# --------------------------
#
# All analyses know it now. A flexible pendulum that falls with a brake at its hinge:

plastic = fm.Material(density=1100.0, youngs_modulus=5e7)
arm = fm.PlanarModel("braked pendulum", gravity=(0.0, -9.81))
hub = arm.add_body("hub", mass=0.1, inertia=1e-4)
arm.revolute(arm.ground, hub.frame)
rod = arm.add_beam("rod", hub.frame, (1.0, 0.0), material=plastic, section=fm.Circle(diameter=0.02), elements=2)
arm.add(EddyBrake(hub.frame, 0.4, 2.0, name="brake"))
fall = fm.simulate(arm, 3.0)
print(f"the brake takes {fall.energy.dissipated[-1]:.2f} J of {fall.energy.exchanged:.2f} J")
fall.draw(times=np.linspace(0.0, 0.9, 10), trails="rod.end")

# %%
# Near rest the brake is a damper of :math:`c`. The linear model has it exactly:

model, disk = spinning_disk()
disk.move(angular_velocity=0.0)
model.add(EddyBrake(disk.frame, C, W0, name="brake"))
pole = fm.linearize(model, "disk.moment", "disk.angle").poles.real.min()
print(f"pole {pole:.6f} 1/s, -c/J = {-C / J:.6f} 1/s")
assert abs(pole + C / J) < 1e-9

# %%
# Exercises
# ---------
#
# 1. At which speed is the torque of the brake largest, and how large is it?
# 2. The disk is driven by 0.25 Nm, more than the brake can hold. What happens above the critical speed?
# 3. Write a brake between two frames: its torque depends on the difference of their speeds. Which line of the class
#    changes, and which attribute goes?
#
# Answers
# -------

print(f"1. at {W0} rad/s: c ω₀/2 = {C * W0 / 2.0} Nm")

model, disk = spinning_disk()
disk.move(angular_velocity=0.0)
model.add(EddyBrake(disk.frame, C, W0, name="brake"))
model.point_torque(disk.frame, 0.25)
away = fm.simulate(model, 12.0)["disk"].angular_velocity
print(f"2. it runs away: {away[-1]:.0f} rad/s after 12 s; the faster it is, the less it is braked")
assert away[-1] > 100.0
print("3. assemble gives the turnings of both nodes, frames both frames; `external` goes: the two torques cancel")

# %%
# Where to go on
# --------------
#
# The folder ``examples/own_elements`` of the program has a rope with coordinates of its own, a joint with rows, a wall
# with an event at the touch, and forces in space. Its page says how a component is drawn, commanded and switched.
