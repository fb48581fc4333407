"""Derivatives of runs by parameters: fixed steps in the plane and in space, and steps that follow the error."""
