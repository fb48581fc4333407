"""
4 A robot from a URDF file
==========================

A URDF file describes a robot: its links, joints, limits, friction and looks. In this lesson you read one, find the
torques that a motion needs, and make the arm follow the motion by its motors. Three control laws show what gravity and
friction do: the last one follows to 0.05 degrees.
"""

# %%
# Reading it
# ----------
#
# The file becomes a model in space, with the names that it has there. The program brings two robots of its own; the
# arm has seven joints and a gripper. ``positions`` says where the joints stand at the start.

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples import robots

JOINTS = [f"joint{k}" for k in range(1, 8)]
START = {"joint2": 0.6, "joint4": 1.2, "joint6": 0.8, "finger": 0.02}
GOAL = {"joint1": 0.8, "joint2": 0.2, "joint4": 1.6, "joint6": 1.0}


def arm():
    """The arm at its start, its gripper held open."""
    robot = fm.read_urdf(robots.folder() / "arm.urdf", positions=START)
    robot.drive("finger", START["finger"])
    return robot


robot = arm()
for name in JOINTS[:3]:
    joint = robot.joints[name]
    print(f"{name}: from {joint.lower} to {joint.upper} rad, up to {joint.effort:g} Nm, friction {joint.friction} Nm")

# %%
# A model can be looked at before it moves. The picture turns when you drag it.

robot.add_figure("floor", robot.ground, fm.Cylinder(diameter=0.8, length=0.01, position=(0, 0, -0.006)))
fm.View(robot, camera=(0.6, -2.0, 0.6))

# %%
# The torques of a motion
# -----------------------
#
# The arm shall go from START to GOAL in a second. ``SmoothStep`` is a function of time that starts and ends without a
# jolt. Drives let the joints follow it, and ``fm.kinematics`` says what forces this takes.

MOTIONS = {name: fm.SmoothStep(0.1, 1.0, START.get(name, 0.0), GOAL.get(name, 0.0)) for name in JOINTS}

planned = arm()
for name, motion in MOTIONS.items():
    planned.drive(name, motion)
plan = fm.kinematics(planned, 1.2, steps=120)
torques = planned.efforts(plan)
for name in ("joint1", "joint2", "joint4"):
    limit = planned.joints[name].effort
    print(f"{name}: up to {np.abs(torques[name]).max():.1f} Nm of {limit:g} Nm")

figure, ax = plt.subplots(layout="constrained")
for name in JOINTS[:4]:
    ax.plot(plan.t, torques[name], label=name)
ax.set(xlabel="t [s]", ylabel="torque [Nm]")
ax.legend(frameon=False)

# %%
# Joint coordinates give the same torques
# ---------------------------------------
#
# A robot arm is a tree of links. ``fm.TreeDynamics`` answers questions about it as functions of the joint coordinates
# :math:`q`: the mass matrix :math:`M(q)`, and the torques :math:`\tau(q, \dot q, \ddot q)` of a motion. It is fast
# enough for a control law. Here it has to agree with the drives above. It leaves out friction, so the drives must be
# asked where nothing moves.

free = fm.TreeDynamics(fm.read_urdf(robots.folder() / "arm.urdf"))  # counted from the zero position of the file
FINGERS = np.array([0.02, 0.02])
q0 = np.array([START.get(name, 0.0) for name in JOINTS])
still = free.drives(np.r_[q0, FINGERS], np.zeros(9), np.zeros(9))[:7]
drives = np.array([torques[name][0] for name in JOINTS])
print("holding torques [Nm]:", still.round(2))
assert np.abs(still - drives).max() < 1e-9

M = free.mass_matrix(np.r_[q0, FINGERS])[:7, :7]
print("inertia that each motor feels [kg m²]:", np.diag(M).round(3))

# %%
# Three control laws
# ------------------
#
# The motors are commanded 250 times a second from the measured positions and rates. All laws ask for the same
# acceleration, that of the plan and a correction of the errors :math:`e`,
#
# .. math:: a = \ddot q_d + \omega^2 e + 2 \omega \dot e, \qquad \omega = 10\ \text{rad/s},
#
# and differ in the torque that they command for it:
#
# 1. *mass*: :math:`\tau = M(q)\, a`
# 2. *mass, gravity and speeds*: :math:`\tau = \tau(q, \dot q, a)`, all of inverse dynamics
# 3. *friction too*: the friction that the file states, taken at the planned speed, besides
#
# A law is a function of the time and of the readings of the sensors. References are sensors too: they read the plan,
# its rate, and its acceleration.

DAMPING = np.array([robot.joints[name].damping for name in JOINTS])
FRICTION = np.array([robot.joints[name].friction for name in JOINTS])


def law(kind):
    """The control law, a function of time and readings."""

    def torque(t, readings):
        q, v, wanted, wanted_rate, acceleration = readings.reshape(5, 7)
        a = np.r_[acceleration + 100.0 * (wanted - q) + 20.0 * (wanted_rate - v), 0.0, 0.0]
        q, v = np.r_[q, FINGERS], np.r_[v, 0.0, 0.0]
        if kind == "mass":
            return (free.mass_matrix(q) @ a)[:7]
        tau = free.drives(q, v, a)[:7]
        if kind == "friction too":
            tau += DAMPING * wanted_rate + FRICTION * np.tanh(wanted_rate / 0.01)
        return tau

    return torque


def follow(kind):
    """The arm under a control law for 1.3 s: robot and solution."""
    robot = arm()
    motors = [robot.actuate(name) for name in JOINTS]
    sensors = [robot.sensor(name, what) for what in ("position", "rate") for name in JOINTS]
    references = [fm.control.Reference(MOTIONS[name], rate=rate) for rate in range(3) for name in JOINTS]
    limits = [(-robot.joints[name].effort, robot.joints[name].effort) for name in JOINTS]
    robot.add_controller(
        "servo", period=4e-3, sensors=[*sensors, *references], commands=motors, law=law(kind), limits=limits
    )
    return robot, fm.simulate(robot, 1.3)


figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
worst = {}
for ax, kind in zip(axes, ("mass", "mass, gravity and speeds", "friction too")):
    robot, solution = follow(kind)
    positions = robot.positions(solution)
    errors = np.degrees([positions[name] - MOTIONS[name](solution.t) for name in JOINTS])
    worst[kind] = np.abs(errors[:, -1]).max()
    print(f"{kind}: largest error at the end {worst[kind]:.2f} degrees")
    for name, error in zip(JOINTS, errors):
        ax.plot(solution.t, error, label=name)
    ax.set(title=kind, xlabel="t [s]")
axes[0].set(ylabel="error [°]")
axes[2].legend(frameon=False, fontsize=8)

assert worst["friction too"] < 0.1 < 5.0 < worst["mass"]

# %%
# Without gravity in the law the arm sags. With it, something surprising is left: joints 1 and 3 miss their goals by
# some ten degrees, in opposite directions. At the goal their axes are almost parallel. Turned against each other, the
# two hardly move the arm. So the law, which thinks in accelerations, commands hardly any torque for such an error,
# and friction keeps it.

directions = np.linalg.svd(M)[2]
print("the motion with the least inertia:", directions[-1].round(2))
q1 = np.array([GOAL.get(name, 0.0) for name in JOINTS])
at_goal = free.mass_matrix(np.r_[q1, FINGERS])[:7, :7]
pair = at_goal[np.ix_([0, 2], [0, 2])]
values, vectors = np.linalg.eigh(pair)
print(f"joints 1 and 3 at the goal: inertia {values[0]:.3f} against each other, {values[1]:.3f} kg m² together")

# %%
# The arm under the last law, with its path:

solution.view(trails=["hand"], ghosts=[0.0], camera=(0.6, -2.0, 0.6), forces=False)

# %%
# Exercises
# ---------
#
# 1. How much faster may the plan be, before a motor reaches its limit?
# 2. The gripper holds a weight of 3 kg of which the law does not know. How far off is the arm?
# 3. Switch the motors off after 0.6 s (``fm.Switch``). What keeps the arm from falling through its own base?
#
# Answers
# -------


def largest_part(duration):
    """The largest torque of a plan of a duration, as a part of what the motor can give."""
    quick = arm()
    for name in JOINTS:
        quick.drive(name, fm.SmoothStep(0.0, duration, START.get(name, 0.0), GOAL.get(name, 0.0)))
    found = quick.efforts(fm.kinematics(quick, duration, steps=30))
    return max(np.abs(found[name]).max() / quick.joints[name].effort for name in JOINTS)


parts = {duration: largest_part(duration) for duration in (1.0, 0.3, 0.25, 0.2)}
print("1.", ", ".join(f"in {duration} s {100 * part:.0f} %" for duration, part in parts.items()))

extra = 3.0 * 9.81 * free.jacobian("hand", np.r_[q1, FINGERS])[5, :7]  # torques that the weight needs
sag = np.linalg.solve(at_goal, -extra) / 100.0
print(f"2. by up to {np.degrees(np.abs(sag).max()):.0f} degrees, if friction does not hold it: these gains are soft")
print("3. Nothing in the file: limits are data unless you read it with stops=True.")

# %%
# Where to go on
# --------------
#
# A flexible link goes between two frames of the robot as between any two: ``robot.add_beam(…)``. Lesson 5 controls one.
# The demo ``flexmb demo robot`` throws a weight with this arm, and lets its motors fail.
