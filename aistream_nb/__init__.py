"""See, steer and test an agent's stream inside a notebook."""
