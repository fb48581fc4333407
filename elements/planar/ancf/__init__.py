"""The kernels of the ANCF cable; the cable itself is flexmb.elements.planar.ancf_cable."""
