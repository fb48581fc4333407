"""What is watched within steps, when it crosses zero, and what happens then: events, touches, sticking, switching."""
