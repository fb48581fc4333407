"""The classical formulations of systems with flexible bodies of Ohkami et al. (1985), one paper a file, in its
variables."""
