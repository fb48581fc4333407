"""What central gravity does to all that has mass: the components that a model keeps beside its own."""
