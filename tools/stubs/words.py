"""What the cards do not say about types: by the name of a parameter, by operator, and the forms of overloaded ones.

Types are written in plain words (`int`, `dtype`, `Ints`, ...), see `NAMES`; None is added where it is the default. An
annotation other than `Any` on the card itself comes first. `tools/check_stub.py` tries every sample of every card on
what is said here.
"""

from __future__ import annotations

NAMES = {
    "bool": "_bool", "float": "_float", "int": "_int", "dtype": "_dtype", "DType": "_dtype", "device": "_device",
    "layout": "_layout", "memory_format": "_memory_format", "Number": "_Number", "Operand": "_Operand",
    "Truth": "_bool", "Ints": "_Ints", "sizes.Size": "Size", "np.ndarray": "ndarray",
}
"""Words whose meaning a method, a property or a name of the package would hide, and what the stubs call them."""

KINDS = {
    "Array": "Tensor", "Arrays": "Sequence[Tensor]", "Index": "Tensor", "Indices": "Sequence[Tensor | None]",
    "Sizes": "Sequence[int]",
}
"""What the kinds of a card's parameters are to programs."""

PARAMETERS = {
    "align_corners": "bool", "alpha": "Number", "beta": "Number", "bias": "Tensor", "buffer": "Any",
    "condition": "Tensor",
    "correction": "Number", "data": "Any", "destination": "Ints", "device": "device | str", "dilation": "Ints",
    "dim": "Ints", "dims": "Ints", "dtype": "dtype", "dx": "float", "end": "Number",
    "exponent": "Operand", "ext_tensor": "Any", "fill_value": "Number", "from_": "Number",
    "generator": "Generator", "indices": "Tensor", "input_lengths": "Ints | Tensor",
    "indices_or_sections": "Ints | Tensor", "input": "Tensor", "inputs": "Tensor | Sequence[Tensor]",
    "kernel_size": "Ints", "layout": "layout", "maxnorm": "Number", "memory_format": "memory_format",
    "ndarray": "np.ndarray[Any, Any]", "normalized_shape": "Sequence[int]", "obj": "Any", "options": "Any",
    "other": "Tensor", "out": "Tensor", "output_padding": "Ints", "output_size": "Ints", "p": "Number | str",
    "pad": "Sequence[int]", "padding": "Ints", "physical_layout": "Sequence[int]", "reduce": "bool",
    "repeats": "int | Tensor", "s": "Number", "scale_factor": "Number | Sequence[Number]", "seed": "int",
    "self": "Tensor", "shape": "Sequence[int]",
    "shapes": "Ints", "shifts": "Ints", "size": "Sequence[int]", "size_average": "bool", "sizes": "Sequence[int]",
    "source": "Ints", "spacing": "Number | Sequence[Number] | Sequence[Tensor]", "split_size": "Ints",
    "split_sizes": "Sequence[int]", "start": "Number", "step": "Number", "steps": "int", "stride": "Ints",
    "target_lengths": "Ints | Tensor", "tensors": "Sequence[Tensor]", "to": "Number", "unbiased": "bool",
    **{f"{form}_proj_weight": "Tensor" for form in "qkv"}, "value": "Number", "vec2": "Tensor",
    "weight": "Tensor",
}
"""Types of parameters that cards leave open, by name."""

OWN = {
    ("__array__", "dtype"): "Any", ("__dlpack__", "stream"): "None",
    **{("__dlpack__", name): "tuple[int, int]" for name in ("max_version", "dl_device")},
    ("__dlpack__", "copy"): "bool",
    **{("__array_function__", name): "Any" for name in ("function", "types", "args", "options")},
    **{("__array_ufunc__", name): "Any" for name in ("ufunc", "method", "inputs", "options")},
    ("adaptive_avg_pool2d", "output_size"): "int | Sequence[int | None] | None",
    ("as_strided", "stride"): "Sequence[int]",
    ("as_strided_", "stride"): "Sequence[int]", ("set_", "stride"): "Sequence[int]",
    ("__div__", "other"): "Operand", ("__idiv__", "other"): "Operand", ("__rdiv__", "other"): "Operand",
    ("div", "input"): "Operand", ("div", "other"): "Operand", ("divide", "input"): "Operand",
    ("divide", "other"): "Operand", ("div_", "other"): "Operand", ("divide_", "other"): "Operand",
    ("empty_strided", "stride"): "Sequence[int]", ("new_empty_strided", "stride"): "Sequence[int]",
    ("float_power", "input"): "Operand", ("frexp", "out"): "tuple[Tensor, Tensor]",
    ("bucketize", "input"): "Operand", ("isin", "elements"): "Operand", ("isin", "test_elements"): "Operand",
    ("narrow", "start"): "int | Tensor", ("slice_copy", "start"): "int", ("slice_copy", "end"): "int",
    **{("sparse_coo_tensor", name): "Any" for name in ("indices", "values")},
    **{
        (f"sparse_{kind}_tensor", name): "Any"
        for kind in ("bsc", "bsr", "compressed", "csc", "csr")
        for name in (
            *("ccol_indices", "col_indices", "compressed_indices", "crow_indices", "plain_indices", "row_indices"),
            "values",
        )
    },
    **{(f"sparse_{kind}_tensor", "size"): "Ints | None" for kind in ("bsc", "bsr", "compressed", "csc", "csr")},
    **{(f"to_sparse_{kind}", "blocksize"): "Sequence[int]" for kind in ("bsc", "bsr")},
    **{(f"to_sparse_{kind}", "dense_dim"): "int | None" for kind in ("bsc", "bsr", "csc", "csr")},
    ("sparse_coo_tensor", "size"): "Ints | None", ("sparse_coo_tensor", "is_coalesced"): "bool | None",
    ("sparse_mask", "mask"): "Tensor", **{(name, "mat2"): "Tensor" for name in ("spmm", "dsmm", "hsmm")},
    ("to_sparse", "sparse_dim"): "int | layout", ("to_sparse", "blocksize"): "Sequence[int] | None",
    ("to_sparse", "options"): "Any",
    ("unravel_index", "shape"): "Ints", ("view_copy", "size"): "Sequence[int] | dtype",
    ("conv1d", "padding"): "Ints | str", ("conv2d", "padding"): "Ints | str", ("conv3d", "padding"): "Ints | str",
    ("lstm_cell", "hx"): "Sequence[Tensor]", ("scaled_dot_product_attention", "scale"): "float",
    ("segment_reduce", "initial"): "Number",
    **{("fake_quantize_per_tensor_affine", name): "Number | Tensor" for name in ("scale", "zero_point")},
    **{(name, "dims"): "Sequence[int]" for name in ("tile", "permute_copy")},
    ("tile", "times"): "Sequence[int]", ("where", "other"): "Operand",
    **{(name, "out"): "Sequence[Tensor]"
       for name in ("geqrf", "lu", "lu_unpack", "qr", "slogdet", "svd", "triangular_solve")},
    **{(name, "size"): "Ints" for name in ("interpolate", "upsample", "upsample_bilinear", "upsample_nearest")},
    ("chain_matmul", "matrices"): "Tensor", ("einsum", "args"): "Any", ("tensordot", "dims"): "Any",
}
"""The same for one operator."""

RESULTS = {
    "__array_function__": "Any", "__array_namespace__": "Any", "__array_ufunc__": "Any",
    "__dlpack__": "Any", "_grad": "Tensor | None", "_is_view": "Callable[[], bool]", "chunk": "tuple[Tensor, ...]",
    "device": "device", "dim": "int", "dsplit": "tuple[Tensor, ...]", "element_size": "int",
    "frexp": "return_types.frexp", "gradient": "tuple[Tensor, ...]", "grad": "Tensor | None",
    "hsplit": "tuple[Tensor, ...]", "is_complex": "bool", "is_cuda": "bool", "is_floating_point": "bool",
    "is_tensor": "TypeGuard[Tensor]", "item": "Any", "itemsize": "int", "layout": "layout", "name": "str | None",
    "native_batch_norm": "tuple[Tensor, Tensor, Tensor]", "nbytes": "int", "nelement": "int", "numel": "int",
    **{name: f"return_types.{name}" for name in ("geqrf", "lu_unpack", "qr", "slogdet", "svd", "triangular_solve")},
    "lu": "tuple[Tensor, ...]", "pca_lowrank": "tuple[Tensor, ...]", "svd_lowrank": "tuple[Tensor, ...]",
    "output_nr": "int", "cummax": "return_types.cummax", "cummin": "return_types.cummin",
    "histogram": "return_types.histogram", "histogramdd": "return_types.histogramdd",
    "kthvalue": "return_types.kthvalue", "mode": "return_types.mode", "sort": "return_types.sort",
    "topk": "return_types.topk", "tensor_split": "tuple[Tensor, ...]", "tolist": "Any", "vsplit": "tuple[Tensor, ...]",
}
"""What is returned where neither card nor function says so and it is not one tensor; also the types of properties."""

FIELDS = {("histogramdd", "bin_edges"): "tuple[Tensor, ...]"}
"""The types of elements of `return_types` that are no tensors."""

NEW = "dtype: dtype | None = None, layout: layout | None = None, device: device | str | None = None, \
pin_memory: bool = False, requires_grad: bool = False"
MADE = f"generator: Generator | None = None, out: Tensor | None = None, {NEW}"
LIKE = f"generator: Generator | None = None, {NEW}, memory_format: memory_format | None = None"
TO = "non_blocking: bool = False, copy: bool = False, *, memory_format: memory_format | None = None"
POOL = "input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, \
ceil_mode: bool = False"
EXTREMES = (
    "(input: Tensor) -> Tensor",
    "(input: Tensor, dim: int, keepdim: bool = False) -> return_types.{}",
    "(input: Tensor, other: Tensor) -> Tensor",
)
MEDIANS = (
    "(input: Tensor) -> Tensor",
    "(input: Tensor, dim: int, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> return_types.{}",
)
PLACES = "out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Tensor | None = None, \
out: Tensor | None = None"
SEARCHES = (
    "(sorted_sequence: Tensor, input: Operand, *, {}) -> Tensor",
    "(sorted_sequence: Tensor, *, self: Number, {}) -> Tensor",
)
DISTINCT = (
    "(input: Tensor, {}*, dim: int | None = None) -> Tensor",
    "(input: Tensor, {}return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any",
)
ATLEAST = (
    "(tensor: Tensor, /) -> Tensor",
    "(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]",
    "(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]",
)
WITH_INDICES = (
    "({}, return_indices: Literal[False] = False) -> Tensor",
    "({}, *, return_indices: Literal[True]) -> tuple[Tensor, Tensor]",
    "({}, return_indices: bool = False) -> Tensor | tuple[Tensor, Tensor]",
)
POOLED = tuple(form.format(POOL) for form in WITH_INDICES)
LENGTHS = "int | Sequence[int | None] | None"
"""Of adaptive pooling in two dimensions: None keeps the input's."""
PER_DIMENSION = ("(dim: None = None) -> {}", "(dim: int) -> int")

NETWORKS = (
    "(input: Tensor, hx: {state}, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, "
    "train: bool, bidirectional: bool, batch_first: bool) -> {results}",
    "(input: Tensor, hx: Tensor, params: {state}, has_biases: Sequence[Tensor], num_layers: bool, dropout: int, "
    "train: float, bidirectional: bool, batch_first: bool, /) -> {results}",
)
"""Recurrent networks on sequences of one length; on packed ones batch sizes come second, all else is one further."""

FORMS: dict[str, tuple[str, ...]] = {
    **{
        name: tuple(form.format(state="Tensor", results="tuple[Tensor, Tensor]") for form in NETWORKS)
        for name in ("gru", "rnn_tanh", "rnn_relu")
    },
    "lstm": tuple(form.format(state="Sequence[Tensor]", results="tuple[Tensor, Tensor, Tensor]") for form in NETWORKS),
    "max": tuple(form.format("max") for form in EXTREMES),
    "min": tuple(form.format("min") for form in EXTREMES),
    "adaptive_max_pool1d": tuple(form.format("input: Tensor, output_size: Ints") for form in WITH_INDICES),
    "adaptive_max_pool2d": tuple(form.format(f"input: Tensor, output_size: {LENGTHS}") for form in WITH_INDICES),
    "median": tuple(form.format("median") for form in MEDIANS),
    "nanmedian": tuple(form.format("nanmedian") for form in MEDIANS),
    "searchsorted": tuple(form.format(PLACES) for form in SEARCHES),
    "unique": tuple(form.format("sorted: bool = True, ") for form in DISTINCT),
    "unique_consecutive": tuple(form.format("") for form in DISTINCT),
    "aminmax": ("(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> return_types.aminmax",),
    "arange": (
        f"(end: Number, *, out: Tensor | None = None, {NEW}) -> Tensor",
        f"(start: Number, end: Number, step: Number = 1, *, out: Tensor | None = None, {NEW}) -> Tensor",
    ),
    "atleast_1d": ATLEAST,
    "atleast_2d": ATLEAST,
    "atleast_3d": ATLEAST,
    "broadcast_tensors": (
        "(*tensors: Tensor) -> tuple[Tensor, ...]",
        "(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]",
    ),
    "cartesian_prod": ("(*tensors: Tensor) -> Tensor", "(tensors: Sequence[Tensor], /) -> Tensor"),
    "meshgrid": (
        "(*tensors: Tensor, indexing: str = 'ij') -> tuple[Tensor, ...]",
        "(tensors: Sequence[Tensor], /, *, indexing: str = 'ij') -> tuple[Tensor, ...]",
    ),
    "max_pool1d": POOLED,
    "max_pool2d": POOLED,
    "nonzero": (
        "(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor",
        "(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]",
        "(input: Tensor, *, as_tuple: bool) -> Tensor | tuple[Tensor, ...]",
    ),
    "normal": (
        f"(mean: Tensor | float, std: Tensor | float = 1.0, *, {MADE}) -> Tensor",
        f"(mean: float, std: float, size: Sequence[int], *, {MADE}) -> Tensor",
    ),
    "randint": (
        f"(high: int, size: Sequence[int], *, {MADE}) -> Tensor",
        f"(low: int, high: int, size: Sequence[int], *, {MADE}) -> Tensor",
    ),
    "randint_like": (
        f"(input: Tensor, high: int, *, {LIKE}) -> Tensor",
        f"(input: Tensor, low: int, high: int, *, {LIKE}) -> Tensor",
    ),
    "size": tuple(form.format("Size") for form in PER_DIMENSION),
    "stride": tuple(form.format("tuple[int, ...]") for form in PER_DIMENSION),
    "to": (
        f"(input: Tensor, dtype: dtype, {TO}) -> Tensor",
        f"(input: Tensor, device: device | str | None = None, dtype: dtype | None = None, {TO}) -> Tensor",
        f"(input: Tensor, other: Tensor, {TO}) -> Tensor",
    ),
    "type": ("(dtype: None = None) -> str", "(dtype: dtype) -> Tensor"),
    "view": (
        "(input: Tensor, *size: int) -> Tensor",
        "(input: Tensor, size: Sequence[int]) -> Tensor",
        "(input: Tensor, dtype: dtype) -> Tensor",
    ),
    "where": (
        "(condition: Tensor) -> tuple[Tensor, ...]",
        "(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor",
    ),
}
"""The forms of operators that are called in several ways, or whose result depends on their arguments."""
