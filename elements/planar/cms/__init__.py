"""The kernels of the beam of component modes in the plane; the beam itself is flexmb.elements.planar.cms_beam."""
