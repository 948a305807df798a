"""Memory of elements: storages, memory formats, copies and casts."""
