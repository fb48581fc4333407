r"""
Vibration absorber
==================

*A small mass on a spring brings a large one to rest*

A machine of mass :math:`m` on a spring is shaken by a harmonic force. A mass :math:`m_a` on a spring :math:`k_a` is
hung on it. Where the force has the frequency :math:`\sqrt{k_a/m_a}`, the machine stands still, and the small mass moves
just so that its spring balances the force. Two resonances remain, at the roots of

.. math:: (k + k_a - m\omega^2)(k_a - m_a \omega^2) = k_a^2 .
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

M, K, MA, KA = 10.0, 4e4, 1.0, 4e3
model = fm.PlanarModel("machine")
machine = model.add_body("machine", mass=M, inertia=1.0)
small = model.add_body("absorber", mass=MA, inertia=1.0, position=(0, 0.3))
for a, b, k, name in ((model.ground, machine.frame, K, "base"), (machine.frame, small.frame, KA, "absorber spring")):
    model.prismatic(a, b, axis=0.5 * np.pi, name=f"{name} guide")
    model.bushing(a, b, stiffness=(0.0, k, 0.0), name=name)
model.point_force(machine.frame, (0, 1), factor=0.0, name="shaker")
found = fm.modes(model).frequencies

total = np.array([M * MA, -((K + KA) * MA + KA * M), K * KA])
theory = np.sort(np.sqrt(np.roots(total))) / (2.0 * np.pi)
still = np.sqrt(KA / MA) / (2.0 * np.pi)
response = fm.linearize(model, "shaker", ["machine.y", "absorber.y"]).response(np.array([still]))
print("resonances [Hz]:", found.round(6), "theory:", theory.round(6))
print(
    f"at {still:.3f} Hz: machine {response.magnitude[0, 0, 0]:.1e} m/N, absorber {response.magnitude[0, 1, 0]:.1e} m/N"
)
assert np.allclose(found, theory, rtol=1e-9)
assert response.magnitude[0, 0, 0] < 1e-12 and abs(response.magnitude[0, 1, 0] * KA - 1.0) < 1e-9

f = np.linspace(5.0, 16.0, 2000)
plain = 1.0 / np.abs(K - M * (2.0 * np.pi * f) ** 2)
both = fm.linearize(model, "shaker", "machine.y").response(f).magnitude[:, 0, 0]
figure, ax = plt.subplots(layout="constrained")
ax.semilogy(f, plain, "--", label="without absorber, theory")
ax.semilogy(f, both, label="with absorber")
ax.set(xlabel="frequency [Hz]", ylabel="amplitude of the machine [m/N]", ylim=(1e-7, 1e-2))
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The second mode, in which the absorber swings against the machine:

fm.modes(model).view(1)
