r"""
Two-link arm
============

*The two-link arm vibrates at the frequencies that its source prints*

Two slender links with an elbow and a tip mass, both motors held. Kobayashi (n.d.) prints 2.32 and 6.04 Hz. The masses
of elbow and tip follow from these two numbers; that the shapes, and everything above, come with them is the model's.
Links that share the frames of the bodies and links that are clamped to them by joints give the same.
"""

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm.arm import FREQUENCIES, held

found = fm.modes(held("shared"), 2)
clamped = fm.modes(held("clamped"), 2)
print("computed [Hz]:", found.frequencies.round(4), clamped.frequencies.round(4), "printed:", FREQUENCIES)
assert np.allclose(found.frequencies, FREQUENCIES, atol=0.005)
assert np.allclose(found.frequencies, clamped.frequencies, rtol=1e-6)

found.plot()

# sphinx_gallery_thumbnail_number = 2

# %%
# The second mode, in which elbow and tip swing against each other:

found.view(1)
