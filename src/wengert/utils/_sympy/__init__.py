"""Mirror of `torch.utils._sympy`, for symbolic sizes, which are not supported."""
