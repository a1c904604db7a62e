"""AG-UI on the wire: frames, events, their schema and their short forms."""
