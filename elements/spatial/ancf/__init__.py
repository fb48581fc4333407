"""The kernels of the ANCF cable in space; the cable itself is flexmb.elements.spatial.ancf_cable."""
