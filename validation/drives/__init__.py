"""Robots and drives: inverse kinematics, backlash, friction of bristles, a servo with all of it."""
