r"""
Stiffening of a blade
=====================

*A blade that turns is stiffer than one at rest*

The centrifugal force pulls a blade straight. Its lowest frequency in the plane of rotation grows with the speed. With
lengths in :math:`L` and times in :math:`\sqrt{\rho A L^4/EI}`, tables give the frequency :math:`\omega_f` across this
plane (Wright et al. 1982; Hodges and Rutkowski 1981), and :math:`\sqrt{\omega_f^2 - \Omega^2}` is the one within it.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

SPEEDS = np.array([0.0, 2.0, 4.0, 6.0, 12.0])
ACROSS = np.array([3.5160, 4.1373, 5.5850, 7.3604, 13.1702])


def blade(speed):
    """A blade of length, bending stiffness and mass 1, in steady rotation."""
    model = fm.PlanarModel("blade")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame, name="bearing")
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), name="shaft")
    one = fm.planar.BeamProperties(EA=1e7, EI=1.0, rhoA=1.0, rhoI=1e-9)
    model.add_beam("blade", hub.frame, (1, 0), properties=one, elements=4, modes=2)
    return fm.equilibrium(model, spin=speed)


found = np.array([fm.complex_modes(blade(speed), 1).omegas[0] for speed in SPEEDS])
table = np.sqrt(ACROSS**2 - SPEEDS**2)
print("computed:", found.round(4))
print("tables:  ", table.round(4))
assert np.allclose(found, table, rtol=1e-4)

figure, ax = plt.subplots(layout="constrained")
fine = np.linspace(0.0, 13.0, 27)
ax.plot(fine, [fm.complex_modes(blade(speed), 1).omegas[0] for speed in fine], label="computed")
ax.plot(SPEEDS, table, "o", label="tables")
ax.set(xlabel=r"speed of rotation $\Omega\sqrt{\rho A L^4/EI}$", ylabel="lowest frequency, in the same unit")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The slowest motion of the blade at a speed of six:

fm.complex_modes(blade(6.0), 1).view(0)
