"""Files of bodies: reduced bodies as HDF5, and as standard input data (SID) of other programs."""
