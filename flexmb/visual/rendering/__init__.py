"""What draws a stage: pictures by VTK, the window, the page for the browser, and their colors."""
