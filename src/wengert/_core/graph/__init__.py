"""Nodes and edges, their hooks, and where nodes were made."""
