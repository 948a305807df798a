"""Nodes and edges of the graph, their hooks, and the places in the program where nodes were created."""
