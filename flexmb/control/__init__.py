"""Control: sensors, sampled controllers, laws; filters, regulators, feedback of outputs, sliding modes."""
