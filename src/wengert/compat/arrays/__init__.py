"""NumPy's functions on tensors: `np.sin(x)`, `np.add.reduce(x)`, `np.stack([x, y])` return tensors with history.

Functions without a rule are refused by name (ufuncs only if a derivative would be lost). A tensor becomes an array only
by `np.asarray` or `numpy()`.
"""
