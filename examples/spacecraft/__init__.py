"""A flexible spacecraft in orbit: it turns by its wheels, its panels and its boom swing, a jet fires, its sun sets.

A hull with a boom of 20 m and two panels flies along a circle around the earth, in a field of gravity that is weaker
at the tip of the boom than at the hull. A law that is sampled four times a second turns the craft by 30° within two
minutes by what it gives to three wheels. Then a jet pushes it off its orbit for five seconds. The validation case
of the same name has its motion by other means.

`craft.py` is the model, `mission.py` what `flexmb demo spacecraft` runs and writes, `slew.py` a quicker turn, plain and
shaped.
"""

from flexmb.examples.spacecraft.craft import EARTH, ORBIT, SUN, T_END, build, tip
from flexmb.examples.spacecraft.mission import run

__all__ = ["EARTH", "ORBIT", "SUN", "T_END", "build", "run", "tip"]
