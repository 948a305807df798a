"""`torch.backends.mkl`: not there; products are those of the BLAS that NumPy carries."""


def is_available() -> bool:
    """False."""
    return False
