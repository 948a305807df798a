"""`torch._functorch`: the modules in which torch keeps its transforms of functions, by their names there."""
