"""`torch.utils._sympy`: sizes as symbols of SymPy, which are not there."""
