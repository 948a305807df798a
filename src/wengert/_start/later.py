"""What the package has beside its operators, and loads when it is first asked for: who needs derivatives only does not
wait for it.
"""

LAYERS = (
    *(
        "compat",
        "debugging",
        "distributions",
        "fft",
        "func",
        "io",
        "library",
        "linalg",
        "masked",
        "sparse",
        "nn",
        "optim",
        "profiler",
    ),
    "quasirandom",
    *("scipy", "signal", "special", "utils", "vision", "viz"),
)
MIRRORS = (
    *("accelerator", "amp", "backends", "compiler", "cpu", "cuda", "distributed", "functional", "futures", "fx", "hub"),
    *("jit", "mps", "mtia", "multiprocessing", "onnx", "overrides", "random", "return_types", "serialization"),
    *("storage", "testing", "torch_version", "types", "version", "xpu", "_C", "_VF", "_dynamo", "_jit_internal"),
    *("_functorch", "_linalg_utils", "_lowrank", "_tensor", "_subclasses", "_utils", "_vmap_internals", "__config__"),
    *("__future__", "_higher_order_ops", "_tensor_str", "ao", "export", "quantization"),
    *("_decomp", "_export", "_guards", "_inductor", "_library", "_ops", "_prims_common", "_refs"),
)
"""Modules that programs of torch import, most of them to ask for what is not there."""

SETTINGS = (
    *("are_deterministic_algorithms_enabled", "compiled_with_cxx11_abi", "get_default_device"),
    *("get_deterministic_debug_mode", "get_float32_matmul_precision", "get_num_interop_threads"),
    *("has_lapack", "has_mkl", "has_openmp", "has_spectral"),
    *("is_deterministic_algorithms_warn_only_enabled", "is_storage"),
    *("is_vulkan_available", "is_warn_always_enabled", "set_default_device", "set_default_tensor_type"),
    *("set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal", "set_num_interop_threads"),
    *("set_warn_always", "typename", "use_deterministic_algorithms"),
)
TYPES = (
    *("BoolTensor", "ByteTensor", "CharTensor", "ComplexDoubleTensor", "ComplexFloatTensor", "DoubleTensor"),
    *("BFloat16Tensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor"),
)
STORAGES = (
    *("BoolStorage", "ByteStorage", "CharStorage", "ComplexDoubleStorage", "ComplexFloatStorage", "DoubleStorage"),
    *("BFloat16Storage", "FloatStorage", "HalfStorage", "IntStorage", "LongStorage", "ShortStorage", "Storage"),
)
CASTING = (
    *("autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_cpu_dtype"),
    *("get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled"),
    *("is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_cpu_dtype", "set_autocast_cpu_enabled"),
    *("set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype"),
)
CHECKS = (*("_index", "_is_size", "_not_implemented", "_tensor_all", "_tensor_all_with", "_type", "_value", "_with"),)
FOREACH = """
    abs abs_ acos acos_ add add_ addcdiv addcdiv_ addcmul addcmul_ asin asin_ atan atan_ ceil ceil_ clamp_max clamp_max_
    clamp_min clamp_min_ clone copy_ cos cos_ cosh cosh_ div div_ erf erf_ erfc erfc_ exp exp_ expm1 expm1_ floor floor_
    frac frac_ lerp lerp_ lgamma lgamma_ log log_ log10 log10_ log1p log1p_ log2 log2_ max maximum maximum_ minimum
    minimum_ mm mul mul_ neg neg_ norm pow pow_ powsum reciprocal reciprocal_ round round_ rsqrt rsqrt_ sigmoid sigmoid_
    sign sign_ sin sin_ sinh sinh_ sqrt sqrt_ sub sub_ tan tan_ tanh tanh_ trunc trunc_ zero_
""".split()  # noqa: SIM905 - so that it can be read
"""The operators that lists of tensors have, see `foreach`."""
LATER = {
    **{name: name for name in (*LAYERS, *MIRRORS, "_C")},
    **dict.fromkeys(SETTINGS, "settings"),
    **dict.fromkeys(TYPES, "legacy"),
    **dict.fromkeys(CASTING, "amp.casting"),
    **dict.fromkeys(
        ("alpha_dropout_", "dropout_", "feature_alpha_dropout_", "feature_dropout_"), "ops.neural.dropout_forms"
    ),
    **dict.fromkeys(("batch_norm", "instance_norm"), "ops.neural.norm_forms"),
    **dict.fromkeys(("eig", "lstsq", "matrix_rank", "solve", "symeig"), "_tensor.removed"),
    **dict.fromkeys(("SymBool", "SymFloat", "SymInt", "cond", "newaxis", "while_loop"), "eager"),
    **dict.fromkeys(("_assert", "_assert_async"), "eager"),
    **dict.fromkeys(("_shape_as_tensor", "_softmax_backward_data", "classes", "legacy_contiguous_format"), "eager"),
    **dict.fromkeys(
        ("adaptive_max_pool1d", "binary_cross_entropy_with_logits", "max_pool1d_with_indices"), "native_forms"
    ),
    **{f"_check{name}": "eager" for name in ("", *CHECKS)},
    **{f"_foreach_{name}": "foreach" for name in FOREACH},
    **{f"sym_{name}": "eager" for name in ("float", "int", "ite", "max", "min", "not", "sqrt", "sum")},
    **dict.fromkeys(("sparse_bsc", "sparse_bsr", "sparse_csc", "sparse_csr"), "ops.sparse.layouts"),
    **dict.fromkeys(("is_inference", "numel", "result_type"), "_tensor.questions"),
    "embedding_renorm_": "ops.indexing.embedding_forms",
    **dict.fromkeys(("rrelu_", "selu_"), "nn.functional"),
    **dict.fromkeys(STORAGES, "ops.create.legacy_storages"),
    **dict.fromkeys(("empty_cache", "memory_stats", "reset_peak_memory_stats", "set_memory_limit"), "ops.memory.kept"),
    "PyTorchFileReader": "io.reader",
    **dict.fromkeys(("AcceleratorError", "OutOfMemoryError"), "cuda"),
    **dict.fromkeys(("Event", "Stream"), "accelerator"),
    **dict.fromkeys(("ScriptFunction", "ScriptModule"), "jit"),
    "StorageBase": "ops.memory.storages",
    "TypedStorage": "ops.memory.storages",
    "UntypedStorage": "ops.memory.storages",
    "array_api": "compat",
    "GradScaler": "amp",
    "lobpcg": "_lobpcg",
    "autocast": "amp",
    "compile": "compiler",
    "default_generator": "ops.randomness.generator",
    "explain": "debugging",
    "from_file": "ops.create.legacy_storages",
    "get_device_module": "cpu",
    "graph_report": "debugging",
    "install_as_torch": "as_torch",
    "load": "io.objects",
    "save": "io.objects",
    "set_debug": "debugging",
    "set_printoptions": "_tensor.printing",
    "to_dlpack": "utils.dlpack",
    "vmap": "func",
}
"""The module below the package that has each name; one that is its own home is that module."""

SHARED = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d bilinear conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_similarity native_channel_shuffle pairwise_distance pdist prelu
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Operators that are the same objects in `nn.functional`; those without a method are so anyway."""

METHODS = frozenset(
    """
    abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_
    ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach detach_ erf_ erfc_ exp2_
    exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ get_device i0_ index_put_ is_distributed is_nonzero
    is_same_size is_signed lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_
    relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_ zero_
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Methods of Tensor that are functions, too, and no operators of their own."""

KINDS = (
    *(
        "_cdata",
        "_is_zerotensor",
        "_make_subclass",
        "_make_wrapper_subclass",
        "as_subclass",
        "cuda",
        "dim_order",
        "get_device",
        "ipu",
        "is_cpu",
    ),
    *("is_distributed", "is_ipu", "is_maia", "is_meta", "is_mkldnn", "is_mps", "is_mtia", "is_nested"),
    *("is_nonzero", "is_pinned", "is_quantized", "is_same_size", "is_set_to", "is_signed", "is_sparse"),
    *(
        "dequantize",
        "eig",
        "is_sparse_csr",
        "is_vulkan",
        "is_xla",
        "is_xpu",
        "lstsq",
        "module_load",
        "mtia",
        "ndimension",
        "new",
        "pin_memory",
    ),
    *("reinforce", "resize", "resize_as", "solve", "symeig", "xpu"),
)
"""What the module `kinds` gives Tensor."""

CONVERSIONS = ("__format__", "__array__", "__dlpack__", "__dlpack_device__", "numpy", "type")
"""What the module `conversions` gives it."""
