"""The pure part: folds of events, and tables that say what is allowed.

Nothing in here reads a clock, a file, a socket or a random number, logs, or knows
a framework. Times and ids come on the events or from a factory that is handed in.
So a replay equals the run, and a lesson can stop between any two events.
"""
