"""For tests of agents: replay a recording, script a provider, pytest fixtures."""
