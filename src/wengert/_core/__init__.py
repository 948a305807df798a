"""The engine: tensors, graph, dispatch. Knows no operator; compiled by Cython, or run as it stands."""
