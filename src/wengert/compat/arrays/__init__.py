"""NumPy's functions called with tensors: `np.sin(x)`, `np.add.reduce(x)`, `np.stack([x, y])` give tensors with history.

What has no rule is refused by name (a ufunc, where a derivative would be lost); no tensor
becomes an array without `np.asarray` or `numpy()`.
"""
