"""The kernels of the beam of component modes in space; the beam itself is flexmb.elements.spatial.cms_beam."""
