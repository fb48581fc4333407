"""Control: sensors, sampled controllers, laws."""
