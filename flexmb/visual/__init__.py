"""Mechanisms in space: pictures, films, windows and pages of any solution, and meshes for ParaView.

>>> from flexmb import visual
>>> visual.View.__name__
'View'
"""

from flexmb.visual.paraview import export_vtk, export_xdmf
from flexmb.visual.view import View

__all__ = ["View", "export_vtk", "export_xdmf"]
