"""Torch's names of operators that have other names here, and names without an operator."""

from __future__ import annotations

NAMES = {
    **{f"{name}_along": name for name in ("cummax", "cummin", "kthvalue", "mode", "sort", "topk")},
    **{f"{name}_{form}": name for name in ("median", "nanmedian") for form in ("along", "full")},
    **{f"_{name}": name for name in ("as_strided_scatter", "binary_cross_entropy", "binary_cross_entropy_with_logits")},
    **{f"_{name}": name for name in ("frexp", "geqrf", "histc", "huber_loss", "isin", "mse_loss", "multi_margin_loss")},
    **{f"_{name}": name for name in ("searchsorted", "segment_reduce", "smooth_l1_loss", "soft_margin_loss")},
    **{f"_linalg_{name}": f"linalg_{name}" for name in ("cholesky_ex", "eig", "inv_ex", "ldl_factor_ex", "ldl_solve")},
    **{f"_linalg_{name}": f"linalg_{name}" for name in ("lstsq", "lu", "lu_factor_ex", "lu_solve", "pinv", "qr")},
    **{f"_linalg_{name}": f"linalg_{name}" for name in ("householder_product", "solve_triangular")},
    "_lu_unpack": "lu_unpack",
    "_triangular_solve": "triangular_solve",
    "_native_dropout": "native_dropout",
    "adaptive_average": "_adaptive_avg_pool2d",
    "adaptive_average3d": "_adaptive_avg_pool3d",
    "adaptive_average3d_backward": "_adaptive_avg_pool3d_backward",
    "adaptive_average_backward": "_adaptive_avg_pool2d_backward",
    "adaptive_maximum": "adaptive_max_pool2d",
    "adaptive_maximum3d": "adaptive_max_pool3d",
    "batch_norm_backward": "native_batch_norm_backward",
    "batch_norm_forward": "native_batch_norm",
    "bernoulli_fill": "bernoulli",
    "conjugate_complex": "_conj",
    "fold_patches": "col2im",
    "group_norm_backward": "native_group_norm_backward",
    "layer_norm_backward": "native_layer_norm_backward",
    "logsigmoid": "log_sigmoid_forward",
    "nonzero_positions": "nonzero",
    "normal_fill": "normal",
    "relu_backward": "threshold_backward",
    "scatter_planes": "max_pool2d_with_indices_backward",
    "scatter_volumes": "max_pool3d_with_indices_backward",
    "unfold_patches": "im2col",
    "unique": "_unique2",
    "view_dtype": "view",
}
"""Torch's other names of operators, beside those that a profile knows."""

ONLY_NAMES = frozenset((
    "_assert_async", "_assert_scalar", "_assert_tensor_metadata", "_grouped_mm", "_is_all_true", "sym_size",
    "sym_constrain_range_for_size", "_foreach_div", "_foreach_maximum_",
    "_foreach_add_", "_foreach_mul_", "_foreach_norm", "_linalg_check_errors", "_local_scalar_dense",
    "_pin_memory", "_sparse_addmm", "_sparse_mm_reduce_impl",
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward", "convolution_backward", "lift_fresh", "mkldnn_rnn_layer",
    "mse_loss_backward",
))  # fmt: skip
"""Operators of torch that are composed of others here: programs compare with them."""
