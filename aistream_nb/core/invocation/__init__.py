"""Whether a tool call may run: tables that decide, and a walk over snapshots."""
