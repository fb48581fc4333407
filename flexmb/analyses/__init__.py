"""What is asked of a mechanism besides its motion: equilibrium, kinematics, vibration, linear models, sensitivities."""
