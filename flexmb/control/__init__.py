"""Control: sensors, sampled controllers and their laws."""
