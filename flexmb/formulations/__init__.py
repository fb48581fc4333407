"""Formulations of the equations of motion in joint coordinates: a model as a tree of links and joints."""
