"""
5 Vibration and control
=======================

*5 Vibration, a linear model, a controller*

A geared motor turns a thin steel link that carries a tool. Held stiffly by its motor, the link swings on for a minute
after each move. A strain gauge at its root and three numbers damp it in two seconds. In this lesson you find the
vibration, make a linear model of it, design the three numbers on that model, and prove them: by the poles of the
sampled loop, and by a run of the nonlinear mechanism.
"""

# %%
# The mechanism
# -------------
#
# A motor has a rotor, a ratio, and a reducer that twists a little. Its shaft is the hub; the link is clamped to it.

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import flexmb as fm

LENGTH, TOOL, PERIOD = 0.8, 0.1, 1e-3
STRIP = fm.Rectangle(width=0.03, height=0.003)
STEEL = fm.Material(density=7850.0, youngs_modulus=205e9)


def build(tool=TOOL):
    """The arm, its motor, and what is measured: motor angle, motor rate, strain near the root."""
    model = fm.PlanarModel("flexible arm")
    hub = model.add_body("hub", mass=1.0, inertia=0.01)
    model.revolute(model.ground, hub.frame, name="shoulder")
    damping = fm.ModalDamping(0.005)
    link = model.add_beam("link", hub.frame, (LENGTH, 0), material=STEEL, section=STRIP, damping=damping)
    model.add_point_mass("tool", link.end, tool)
    motor = model.motor(model.ground, hub.frame, inertia=1e-4, ratio=50, stiffness=2000.0, damping=1.0, name="motor")
    gauge = fm.control.StrainGauge(link.at(0.05))
    return model, motor, [fm.control.MotorAngle(motor), fm.control.MotorRate(motor), gauge]


# %%
# Vibration
# ---------
#
# ``fm.modes`` gives the frequencies without damping. The first one is zero: the arm turns freely.

model, motor, readings = build()
free = fm.modes(model, 4)
print("free motor:", free.frequencies.round(3), "Hz")
free.plot(which=[1, 2])

# %%
# A motor that is held stiffly makes the link a cantilever. Beam theory knows its lowest frequency, from
#
# .. math:: 1 + \cos\beta \cosh\beta + \frac{m}{\mu L} \beta\, (\cos\beta \sinh\beta - \sin\beta \cosh\beta) = 0 .

EI, mu = STEEL.youngs_modulus * STRIP.second_moment, STEEL.density * STRIP.area


def characteristic(b):
    ratio = TOOL / (mu * LENGTH)
    return 1 + np.cos(b) * np.cosh(b) + ratio * b * (np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b))


exact = brentq(characteristic, 1.0, 1.8) ** 2 * np.sqrt(EI / mu) / LENGTH**2 / (2.0 * np.pi)
cantilever = fm.PlanarModel("cantilever")
beam = cantilever.add_beam("link", cantilever.ground, (LENGTH, 0), material=STEEL, section=STRIP)
cantilever.add_point_mass("tool", beam.end, TOOL)
clamped = fm.modes(cantilever, 1).frequencies[0]
print(f"clamped: {clamped:.4f} Hz, beam theory {exact:.4f} Hz")
assert abs(clamped / exact - 1.0) < 1e-4

# %%
# The linear model
# ----------------
#
# ``fm.linearize`` gives :math:`\dot x = A x + B u`, :math:`y = C x + D u` for small motion, in minimal coordinates. The
# input is the motor's torque, the outputs are the three readings.

plant = fm.linearize(model, motor, readings)
print(len(plant.states), "states:", ", ".join(plant.states[:4]), "…")
plant.response(np.geomspace(0.5, 100.0, 400)).bode()

# %%
# The obvious controller fails
# ----------------------------
#
# Feed back angle and rate of the motor, and leave the gauge alone. ``closed`` gives the loop; its poles say how fast
# the slowest vibration decays. The stiffer the gains, the slower: a motor that does not give way takes no energy.


def slowest(loop):
    """The real part of the pole that decays most slowly."""
    return loop.poles.real.max()


for kp, kd in ((0.02, 0.001), (0.2, 0.005), (1.0, 0.01)):
    print(f"gains {kp}, {kd}: decays with {slowest(plant.closed([[kp, kd, 0.0]])):.3f} 1/s")
stiff = np.array([[1.0, 0.01, 0.0]])
assert slowest(plant.closed(stiff)) > -0.06

# %%
# A design
# --------
#
# ``lqr`` finds the feedback of *all* states that is cheapest for a cost: the square of the motor's angle, that of
# the strain (weighted by its size), and that of the torque. But only three numbers are measured. For these,
# ``minimum_error_excitation`` finds the output feedback that does, for disturbances at the motor, most nearly the same.

weights = np.diag([1.0, 0.0, 1e8])
optimal = fm.control.lqr(plant, Q=plant.C.T @ weights @ plant.C, R=100.0)
gain = fm.control.minimum_error_excitation(plant, optimal.K, plant.B @ plant.B.T)
print("three numbers:", gain.round(4))
print(f"all states: {optimal.poles.real.max():.2f} 1/s, three readings: {slowest(plant.closed(gain)):.2f} 1/s")
assert slowest(plant.closed(gain)) < -1.9

# %%
# The proof
# ---------
#
# The controller will run as a computer runs it: once a millisecond it reads, and holds its command until the next
# instant. References move the arm by one radian; 50 turns of the motor are one of the link. With
# ``controllers="closed"`` the linear model is that of the *sampled* loop, in discrete time. It is stable if all its
# poles are within the unit circle.

MOVE = fm.TrapezoidalSpeed(50.0, accelerate=0.3, cruise=0.3, decelerate=0.3)


def controlled(gain, tool=TOOL):
    """The arm under a controller of gains (1, 3)."""
    model, motor, readings = build(tool)
    wanted = [fm.control.Reference(MOVE), fm.control.Reference(MOVE, rate=1), fm.control.Reference(0.0)]
    law = fm.control.servo_errors(3, period=PERIOD).times(-gain)
    model.add_controller("servo", period=PERIOD, sensors=[*readings, *wanted], commands=motor, law=law)
    return model


def swings(model):
    """The vibrations of the sampled loop up to 200 rad/s: decay [1/s] and angular frequency [rad/s], slowest first."""
    z = fm.linearize(model, "link.end.fy", "link.end.y", controllers="closed").poles.astype(complex)
    poles = np.log(z[np.abs(z) > 1e-3]) / PERIOD
    poles = poles[(poles.imag > 1.0) & (poles.imag < 200.0)]
    return [(pole.real, pole.imag) for pole in poles[np.argsort(-poles.real)]]


for name, gains in (("stiff", stiff), ("designed", gain)):
    for rate, omega in swings(controlled(gains)):
        print(f"{name}: a vibration of {omega:.2f} rad/s decays with {-rate:.3f} 1/s")
        assert rate < 0.0

# %%
# And the whole nonlinear mechanism, turning by a radian:

runs = {name: fm.simulate(controlled(gains), 3.0) for name, gains in (("stiff", stiff), ("designed", gain))}


def swing(run):
    """How far the tool is from the line of the hub, across it."""
    return run.relative("link.end", to="hub").position[:, 1]


figure, (top, bottom) = plt.subplots(2, sharex=True, layout="constrained")
for name, run in runs.items():
    top.plot(run.t, run["hub.angle"], label=name)
    bottom.plot(run.t, 1e3 * swing(run))
top.set(ylabel="angle of the hub [rad]")
bottom.set(xlabel="t [s]", ylabel="swing of the tool [mm]")
top.legend(frameon=False)

left = {name: 1e3 * np.abs(swing(run))[run.t > 2.5].max() for name, run in runs.items()}
print(f"swing after 2.5 s: {left['stiff']:.2f} mm stiff, {left['designed']:.3f} mm designed")
assert left["designed"] < 0.05 * left["stiff"]
assert abs(runs["designed"]["hub.angle"][-1] - 1.0) < 1e-3

# %%
# The slowest vibration of the designed loop is the second one, which the move hardly excites. What one sees is the
# first, and it decays as its pole says. Measure it between peaks:

run = runs["designed"]
late = run.t > 1.0
t, s = run.t[late], swing(run)[late]
peaks = np.flatnonzero((s[1:-1] > s[:-2]) & (s[1:-1] >= s[2:])) + 1
measured = np.log(s[peaks[3]] / s[peaks[0]]) / (t[peaks[3]] - t[peaks[0]])
rate, omega = min(swings(controlled(gain)), key=lambda swing: swing[1])
print(f"decay of the run {measured:.2f} 1/s, of the pole {rate:.2f} 1/s")
assert abs(measured / rate - 1.0) < 0.03

# %%
# Its commands are kept with the solution.

runs["designed"].plot("servo.motor", "link@0.05.bending_moment")

# %%
# Exercises
# ---------
#
# 1. The tool weighs 0.5 kg instead of 0.1 kg. Is the loop still stable with the same three numbers?
# 2. How slowly may the controller sample, with the same gains, before the loop becomes unstable? Where does it fail
#    first?
# 3. Weight the strain by 1e9 instead of 1e8. Does the vibration decay faster?
#
# Answers
# -------

heavy = swings(controlled(gain, tool=0.5))
print(f"1. yes: its slowest vibration decays with {-heavy[0][0]:.2f} 1/s")

for period in (2e-3, 5e-3, 10e-3, 15e-3, 20e-3):
    law = fm.control.servo_errors(3, period=period).times(-gain)
    slow, slow_motor, slow_readings = build()
    zero = [fm.control.Reference(0.0)] * 3
    slow.add_controller("servo", period=period, sensors=[*slow_readings, *zero], commands=slow_motor, law=law)
    poles = fm.linearize(slow, "link.end.fy", "link.end.y", controllers="closed").poles
    print(f"2. every {1e3 * period:g} ms: largest pole {np.abs(poles).max():.4f}")

hard = fm.control.lqr(plant, Q=plant.C.T @ np.diag([1.0, 0.0, 1e9]) @ plant.C, R=100.0)
harder = fm.control.minimum_error_excitation(plant, hard.K, plant.B @ plant.B.T)
print(f"3. all states {hard.poles.real.max():.2f} 1/s, three readings {slowest(plant.closed(harder)):.2f} 1/s")

# %%
# Where to go on
# --------------
#
# Lesson 6 runs such a question over many values. The demo ``flexmb demo two-link-arm`` does all of this lesson for an
# arm with two flexible links, with a sliding mode controller.
