"""The node of a recorded call, and what it saves."""
