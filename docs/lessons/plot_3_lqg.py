r"""
3 A flexible arm under LQG
==========================

*Two Riccati equations by hand, the law of the program beside them, and the arm that bends in between*

You will be able to

- write a motor that turns a bending link as two masses on a spring, and say what its poles mean,
- sample a plant and its noise, and solve for the regulator and for Kalman's filter,
- tell from margins, and not from poles, how much a loop forgives,
- run the law in the loop of the whole, bending arm, and read what the estimate was worth.

You need the fifth lesson of the tutorial, and linear systems. The arm turns in a horizontal plane.
"""

# %%
# Two masses on a spring
# ----------------------
#
# A link of length :math:`L` on a hub carries a payload :math:`m_p`. For slow motion it is a spring: its end yields by
# :math:`w = F L^3 / 3EI`, so the payload hangs on the hub by :math:`k = 3EI/L^3`. With the hub's inertia :math:`J`
# and the payload's path :math:`y = L\theta + w`,
#
# .. math:: J\ddot\theta = \tau + k L w, \qquad m_p (L \ddot\theta + \ddot w) = - k w .

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm, solve_discrete_are

import flexmb as fm

L, DIAMETER, PAYLOAD, HUB, PERIOD = 0.8, 0.006, 0.5, 0.02, 0.002
EI = 205e9 * np.pi * DIAMETER**4 / 64.0
k = 3.0 * EI / L**3

# coordinates θ, w and their rates
A = np.zeros((4, 4))
A[:2, 2:] = np.eye(2)
A[2:, :2] = [[0.0, k * L / HUB], [0.0, -k / PAYLOAD - k * L**2 / HUB]]
B = np.array([[0.0], [0.0], [1.0 / HUB], [-L / HUB]])
# read are the angle of the hub, its rate, and the strain 50 mm from it, M d/2EI with M = k w (L − 0.05)
C = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, k * (L - 0.05) * DIAMETER / (2.0 * EI), 0, 0]])
by_hand = np.abs(np.linalg.eigvals(A).imag).max()
print(f"poles by hand: 0, 0, ±{by_hand:.3f}i 1/s")


def arm(payload=PAYLOAD):
    """The arm, described as what it is; its motor's torque, and what is read."""
    model = fm.PlanarModel("arm")
    hub = model.add_body("hub", mass=1.0, inertia=HUB)
    model.revolute(model.ground, hub.frame, name="shoulder")
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    section, damping = fm.Circle(diameter=DIAMETER), fm.ModalDamping(0.002)
    link = model.add_beam("link", hub.frame, (L, 0), material=steel, section=section, damping=damping)
    model.add_point_mass("payload", link.end, payload)
    torque = model.point_torque(hub.frame, 0.0, name="torque")
    angle = fm.control.RelativeAngle(model.ground, hub.frame, noise=1e-4)
    rate = fm.control.RelativeRate(model.ground, hub.frame, noise=1e-2)
    strain = fm.control.StrainGauge(link.at(0.05), noise=1e-6)
    return model, torque, [angle, rate, strain]


model, torque, read = arm()
whole = fm.linearize(model, torque, read)
vibration = np.sort(np.abs(whole.poles.imag))
print("poles of the program:", vibration[vibration > 1.0].round(2)[::2][:3])

# %%
# **Exercise 1.** The lowest vibration of the program is lower than the one by hand. Why, and by which part?
#
# Answer: the link has a mass, of which about a quarter (33/140 at a clamped end) moves with its end.

link_mass = 7850.0 * np.pi * DIAMETER**2 / 4.0 * L
heavier = PAYLOAD + 33.0 / 140.0 * link_mass
corrected = np.sqrt(k / heavier + k * L**2 / (HUB + link_mass * L**2 / 105.0))
lowest = vibration[vibration > 1.0][0]
print(f"by hand with a quarter of the link: {corrected:.2f}, the program: {lowest:.2f} 1/s")
assert lowest < by_hand and abs(corrected / lowest - 1.0) < 0.03

# %%
# The regulator
# -------------
#
# A processor reads and commands each :math:`T` seconds, and holds the torque between. What it commands is a plant in
# steps: :math:`x_{n+1} = \Phi x_n + \Gamma u_n`, found by one exponential. The cost
#
# .. math:: \int x^T Q x + u^T R u \; dt
#
# becomes a sum over steps; for steps that are short against the motion, :math:`Q T` and :math:`R T` are its weights.
# The least cost follows from Riccati's equation.


def stepped(A, B):
    """Φ and Γ of a plant whose input is held over a period."""
    n, m = B.shape
    whole = expm(PERIOD * np.block([[A, B], [np.zeros((m, n + m))]]))
    return whole[:n, :n], whole[:n, n:]


Phi, Gamma = stepped(A, B)
reach = np.array([[L, 1.0, 0.0, 0.0]])  # the payload's path
Q, R = 1e3 * reach.T @ reach, np.array([[1.0]])
P = solve_discrete_are(Phi, Gamma, Q, R)
K = np.linalg.solve(R + Gamma.T @ P @ Gamma, Gamma.T @ P @ Phi)
slow = fm.LinearModel(A, B, C, np.zeros((3, 1)))
theirs = fm.control.lqr(fm.LinearModel(Phi, Gamma, C, np.zeros((3, 1)), period=PERIOD), Q, R)
print("gains by hand", K.round(2), "of the program", np.asarray(theirs.K).round(2))
assert np.allclose(K, theirs.K, rtol=1e-6)

# %%
# Kalman's filter
# ---------------
#
# The torque has noise, and so have the sensors. The filter is the same equation, transposed.

W = 1e-2  # N²m² s
noise = np.diag([sensor.noise**2 for sensor in read])
n = len(A)  # Van Loan: the noise that a period brings, by one exponential
both = expm(PERIOD * np.block([[-A, W * B @ B.T], [np.zeros((n, n)), A.T]]))
brought = both[n:, n:].T @ both[:n, n:]
S = solve_discrete_are(Phi.T, C.T, brought, noise)
gain = S @ C.T @ np.linalg.inv(C @ S @ C.T + noise)
best = fm.control.lqg(slow, Q, R, W, np.diag(noise), period=PERIOD)
of_loop = np.concatenate([np.linalg.eigvals(Phi - Gamma @ K), np.linalg.eigvals(Phi - Phi @ gain @ C)])
print("poles by hand", np.sort(np.abs(of_loop)).round(4), "of the program", np.sort(np.abs(best.poles)).round(4))
assert np.allclose(np.sort(np.abs(of_loop)), np.sort(np.abs(best.poles)), atol=1e-7)

# %%
# **Exercise 2.** The poles of the loop are those of both parts together. Do they say how much the loop forgives?
#
# Answer: no. Doyle (1978) needed three words for it: there are none. Ask for the margins of the loop, with the whole
# arm in it, of which the law knows two masses only.

model.add_controller("servo", period=PERIOD, sensors=read, commands=torque, law=best.law)
print(fm.control.stability_margins(fm.control.loop_at(model, "torque")))
assert np.abs(fm.linearize(model, controllers="closed").poles).max() > 1.0

# %%
# The loop is not stable. The law makes the arm vibrate in its *second* mode, which it does not know: its torque
# excites it, and its readings take it for something else. That is called spillover. A law that knows the mode leaves
# it alone. The program's plant has all modes; `modal(4)` keeps the turn and the three slowest vibrations.

model, torque, read = arm()
kept = fm.linearize(model, torque, [*read, "link.end.y"]).modal(4)
plant, end = fm.LinearModel(kept.A, kept.B, kept.C[:3], kept.D[:3]), kept.C[3:]
best = fm.control.lqg(plant, 1e3 * end.T @ end, R, W, np.diag(noise), period=PERIOD)


def controlled(payload, law):
    """The arm under a law, which is pushed for a tenth of a second."""
    model, torque, read = arm(payload)
    model.add_controller("servo", period=PERIOD, sensors=read, commands=torque, law=law)
    model.point_force(model.frame("link.end"), (0.0, 1.0), factor=fm.Pulse(0.1, 0.1), name="push")
    return model


for payload in (PAYLOAD, 0.8 * PAYLOAD):
    loop = fm.control.loop_at(controlled(payload, best.law), "torque")
    print(f"{payload:g} kg:", fm.control.stability_margins(loop))

# %%
# The arm
# -------
#
# A blow of 1 N for a tenth of a second at the end of the link. The whole beam bends with all its modes; the noise is
# that of the sensors. The law was made for a payload of 0.5 kg.

figure, (above, below) = plt.subplots(2, sharex=True, layout="constrained")
for payload in (PAYLOAD, 1.5 * PAYLOAD):
    run = fm.simulate(controlled(payload, best.law), 6.0, step=PERIOD / 4.0)
    above.plot(run.t, 1e3 * run["link.end.y"], label=f"payload of {payload:g} kg")
    below.plot(run.control["servo"].t, run.control["servo"].u)
    largest, left = np.abs(run["link.end.y"]).max(), run.residual("link.end.y", after=5.0)
    print(f"{payload:g} kg: largest {1e3 * largest:.0f} mm, after 5 s {1e3 * left:.2f} mm are left")
    assert left < 0.02 * largest
above.set(ylabel="end of the link [mm]")
above.legend(frameon=False)
below.set(xlabel="t [s]", ylabel="torque [Nm]")

# %%
# **Exercise 3.** Take the strain gauge away, by `read[:2]` and `C[:2]`. The margins stay large. Does the loop still
# hold a payload that is 10 % lighter?
#
# Answer: no. A filter that trusts the hub's readings places poles near the vibration with the hub held still, which
# such readings do not see; they are hardly damped, and move with the payload. Margins ask what the loop forgives at
# the torque, not in the mass.

blind = fm.LinearModel(kept.A, kept.B, kept.C[:2], kept.D[:2])
less = fm.control.lqg(blind, 1e3 * end.T @ end, R, W, np.diag(noise)[:2], period=PERIOD)
for payload in (PAYLOAD, 0.9 * PAYLOAD):
    model, torque, read = arm(payload)
    model.add_controller("servo", period=PERIOD, sensors=read[:2], commands=torque, law=less.law)
    print(f"{payload:g} kg:", fm.control.stability_margins(fm.control.loop_at(model, "torque")))
    poles = fm.linearize(model, controllers="closed").poles
    assert (np.abs(poles).max() < 1.0) == (payload == PAYLOAD)

# %%
# What to read next: :doc:`/how-to/arm-to-lqg`, from an arm's data to its law in 22 lines, with a strain gauge, limits
# and a disturbance that is estimated too.
