"""`functorch.dim`: dimensions as objects, which do not exist here."""

raise ImportError(
    "functorch.dim: dimensions as objects need indexing, every operator and every view of torch's own library to know "
    "them; use einsum, vmap, or the package einops"
)
