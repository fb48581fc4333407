"""Inverse kinematics: joint angles at which frames stand where they shall, and along paths."""
