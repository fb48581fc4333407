"""Analyses besides motion in time: equilibrium, kinematics, vibration, linear models, sensitivities."""
