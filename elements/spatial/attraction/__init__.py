"""Central gravity on all that has mass: the components that a model keeps beside its own."""
