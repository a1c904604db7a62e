"""The one door to the browser: widgets, and what they say to it."""
