"""`torch.backends.openmp`: not there; native kernels have a pool of threads of their own."""


def is_available() -> bool:
    """False."""
    return False
