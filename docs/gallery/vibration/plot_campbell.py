r"""
Campbell diagram
================

*A spinning rotor tilts at two frequencies, a slow backward and a fast forward one*

A rotor on two springs a distance :math:`\pm b` from its center spins at the rate :math:`\Omega`. With its inertias
:math:`A` across the axis and :math:`C` about it, its gyroscopic moment splits the frequency of tilting:

.. math:: A\,\omega^2 \mp C\,\Omega\,\omega - 2 k b^2 = 0 .

Its center swings at :math:`\sqrt{2k/m}`, at any speed.
"""

import numpy as np

import flexmb as fm

MASS, A, C, B, K = 6.0, 0.09, 0.05, 0.2, 3e4


def rotor(speed):
    """The rotor in steady spin [rad/s]."""
    model = fm.SpatialModel("rotor")
    body = model.add_body("rotor", mass=MASS, inertia=(A, A, C))
    for name, z in (("low", -B), ("high", B)):
        seat, journal = model.ground.attach(f"{name} seat", (0, 0, z)), body.attach(name, (0, 0, z))
        model.bushing(seat, journal, stiffness=(K, K, K, 0, 0, 0))
    return fm.equilibrium(model, rotors={"rotor": (0, 0, speed)})


speeds = np.linspace(0.0, 400.0, 9)
diagram = fm.campbell(rotor, speeds)
swing = np.sqrt(2.0 * K / MASS)
for k, speed in enumerate(speeds):
    half, root = 0.5 * C * speed / A, np.sqrt((0.5 * C * speed / A) ** 2 + 2.0 * K * B**2 / A)
    for wanted in (root - half, root + half, swing):
        assert np.abs(diagram.eigenvalues[k] - 1j * wanted).min() < 1e-8 * wanted
print(f"at {speeds[-1]:g} rad/s: backward {root - half:.2f}, forward {root + half:.2f}, swing {swing:.2f} rad/s")

figure = diagram.plot()

# sphinx_gallery_thumbnail_number = 2

# %%
# The slow backward whirl at 400 rad/s:

fm.complex_modes(rotor(400.0), 2).view(1)
