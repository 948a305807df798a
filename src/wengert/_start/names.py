"""Names that are loaded when they are first asked for, by the module that has them.

Made by tools/make_names.py; do not edit. All names of a module stand in one text: the package is imported often, few
of them are asked for. Modules are named below the package.
"""

OPERATORS = {
    "ops.create.interchange": "as_tensor asarray from_dlpack from_numpy frombuffer",
    "ops.create.like": "empty_like full_like ones_like zeros_like",
    "ops.create.ranges": "arange linspace logspace range tril_indices triu_indices",
    "ops.create.strided": "empty_permuted empty_strided",
    "ops.fourier.forms": (
        "fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_ihfft2 "
        "fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn"
    ),
    "ops.fourier.frequencies": "fft_fftfreq fft_fftshift fft_ifftshift fft_rfftfreq",
    "ops.fourier.signal_windows": (
        "signal_windows_bartlett signal_windows_blackman signal_windows_cosine signal_windows_exponential "
        "signal_windows_gaussian signal_windows_general_cosine signal_windows_general_hamming signal_windows_hamming "
        "signal_windows_hann signal_windows_kaiser signal_windows_nuttall"
    ),
    "ops.fourier.transforms": "_fft_c2c _fft_c2r _fft_r2c",
    "ops.fourier.windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "ops.images.conv": "convolution convolution_input convolution_weight",
    "ops.images.conv_functions": "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d",
    "ops.images.grid": "_grid_sample affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d",
    "ops.images.local_response": "local_response_norm",
    "ops.images.pad": "constant_pad_nd edge_pad edge_pad_backward pad",
    "ops.images.patches": "col2im fold_patches im2col pixel_shuffle pixel_unshuffle unfold_patches",
    "ops.images.pool": (
        "avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward gather_planes gather_volumes "
        "max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices "
        "max_pool3d_with_indices_backward scatter_planes scatter_volumes"
    ),
    "ops.images.pool_adaptive": (
        "adaptive_average adaptive_average3d adaptive_average3d_backward adaptive_average_backward adaptive_maximum "
        "adaptive_maximum3d"
    ),
    "ops.images.pool_fractional": "fractional_max_pool2d fractional_max_pool3d",
    "ops.images.pool_functions": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
        "adaptive_max_pool3d avg_pool1d max_pool1d max_pool2d max_pool3d"
    ),
    "ops.images.resize": "interpolate resample resample_backward resample_bytes",
    "ops.images.unpool": "max_unpool2d max_unpool3d",
    "ops.indexing.embedding": (
        "_embedding_sparse _one_hot embedding embedding_dense_backward embedding_dense_gather embedding_lookup one_hot"
    ),
    "ops.indexing.embedding_bag": "_embedding_bag embedding_bag",
    "ops.indexing.embedding_bag_lookup": "embedding_bag_lookup",
    "ops.indexing.positions": "unravel_index",
    "ops.indexing.put": "fill_diagonal masked_scatter_backward",
    "ops.linalg.cholesky": "_linalg_cholesky_ex linalg_cholesky linalg_cholesky_ex",
    "ops.linalg.coinciding": "_eigh_frame _eigh_function",
    "ops.linalg.cross": "linalg_cross",
    "ops.linalg.determinants": "_det_minors _linalg_det _linalg_slogdet linalg_det linalg_slogdet",
    "ops.linalg.distances": "_cdist_forward _euclidean_dist _pdist_forward cdist pdist",
    "ops.linalg.eigen": (
        "_linalg_eig _linalg_eigh _linalg_eigvalsh linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh"
    ),
    "ops.linalg.einsum": "einsum",
    "ops.linalg.inverse": "_linalg_inv_ex linalg_inv linalg_inv_ex",
    "ops.linalg.ldl": "_linalg_ldl_factor_ex _linalg_ldl_solve linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve",
    "ops.linalg.least_squares": (
        "_linalg_lstsq _linalg_pinv linalg_lstsq linalg_pinv linalg_tensorinv linalg_tensorsolve"
    ),
    "ops.linalg.linear": "linear",
    "ops.linalg.lu": (
        "_linalg_lu _linalg_lu_factor_ex _linalg_lu_solve _lu_unpack linalg_lu linalg_lu_factor linalg_lu_factor_ex "
        "linalg_lu_solve lu_unpack"
    ),
    "ops.linalg.norms": (
        "frobenius_norm linalg_cond linalg_matrix_norm linalg_matrix_rank linalg_norm norm_except_dim nuclear_norm"
    ),
    "ops.linalg.pairs": "tensordot",
    "ops.linalg.powers": "chain_matmul linalg_matrix_exp linalg_matrix_power linalg_multi_dot",
    "ops.linalg.qr": "_linalg_qr linalg_qr",
    "ops.linalg.reflections": "_geqrf _linalg_householder_product linalg_householder_product",
    "ops.linalg.singular": "_linalg_svd linalg_svd linalg_svdvals",
    "ops.linalg.solve": (
        "_linalg_solve_ex _linalg_solve_triangular _triangular_solve linalg_solve linalg_solve_ex "
        "linalg_solve_triangular"
    ),
    "ops.linalg.vectors": "linalg_diagonal linalg_vander linalg_vecdot vander",
    "ops.neural.attention": "scaled_dot_product_attention",
    "ops.neural.attention_blocks": (
        "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward"
    ),
    "ops.neural.attention_weights": "_causal_softmax _safe_softmax",
    "ops.neural.batch_norm": "batch_norm batch_norm_backward batch_norm_forward instance_norm native_batch_norm",
    "ops.neural.bilinear": "bilinear",
    "ops.neural.dropout": (
        "_native_dropout alpha_dropout dropout dropout1d dropout2d dropout3d dropout_noise feature_alpha_dropout "
        "feature_dropout native_dropout"
    ),
    "ops.neural.gates": (
        "_rrelu channel_shuffle glu glu_backward native_channel_shuffle rrelu rrelu_noise rrelu_with_noise_backward"
    ),
    "ops.neural.grad_history": "slope_with_history",
    "ops.neural.group_norm": "group_norm group_norm_backward native_group_norm",
    "ops.neural.loss": "cross_entropy nll_loss nll_loss_backward nll_loss_forward",
    "ops.neural.loss_backward": "huber_loss_backward mse_loss_backward smooth_l1_loss_backward",
    "ops.neural.loss_binary": (
        "_binary_cross_entropy _binary_cross_entropy_with_logits binary_cross_entropy binary_cross_entropy_with_logits"
    ),
    "ops.neural.loss_ctc": "_ctc_loss ctc_loss",
    "ops.neural.loss_margins": "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss",
    "ops.neural.loss_pairs": "_huber_loss _mse_loss _smooth_l1_loss huber_loss l1_loss mse_loss smooth_l1_loss",
    "ops.neural.loss_rates": "kl_div poisson_nll_loss",
    "ops.neural.loss_scores": (
        "_multi_margin_loss _multilabel_margin_loss _soft_margin_loss multi_margin_loss multilabel_margin_loss "
        "soft_margin_loss"
    ),
    "ops.neural.multi_head": "multi_head_attention_forward",
    "ops.neural.norm": "layer_norm layer_norm_backward native_layer_norm rms_norm",
    "ops.neural.recurrent": "gru lstm rnn_relu rnn_tanh",
    "ops.neural.recurrent_cells": "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell",
    "ops.neural.similarity": "cosine_similarity distance_norm normalize pairwise_distance",
    "ops.neural.softmax": "_log_softmax _log_softmax_backward_data _softmax _softmax_backward_data softmin",
    "ops.order.bounds": "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo",
    "ops.order.histogram": "_histc _histogramdd histogramdd",
    "ops.order.ranks": "kthvalue_along median_along median_full mode_along nanmedian_along nanmedian_full",
    "ops.order.running": "cummax_along cummin_along",
    "ops.order.search": "_isin _searchsorted bucketize isin searchsorted",
    "ops.order.sort": "sort_along topk_along",
    "ops.order.unique": "_unique",
    "ops.pointwise.activation": (
        "gelu gelu_backward hardswish_backward kept_gradient relu_backward sigmoid_backward silu silu_backward "
        "tanh_backward"
    ),
    "ops.pointwise.bessel": (
        "_airy_ai_derivative special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 "
        "special_i0e special_i1 special_i1e special_modified_bessel_i0 special_modified_bessel_i1 "
        "special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0 "
        "special_scaled_modified_bessel_k1 special_spherical_bessel_j0"
    ),
    "ops.pointwise.choose": "_where",
    "ops.pointwise.classify": "is_complex is_floating_point is_tensor",
    "ops.pointwise.complex": "_conj_physical view_as_complex view_as_real",
    "ops.pointwise.complex_copies": "view_as_complex_copy view_as_real_copy",
    "ops.pointwise.complex_of_reals": "complex polar",
    "ops.pointwise.gamma": "special_zeta",
    "ops.pointwise.normal": "special_entr special_erfcx special_log_ndtr special_ndtr special_ndtri",
    "ops.pointwise.pairs": "special_xlog1py",
    "ops.pointwise.piecewise": (
        "_prelu_kernel celu elu hardsigmoid hardswish hardtanh leaky_relu relu6 selu softshrink threshold"
    ),
    "ops.pointwise.piecewise_backward": (
        "hardshrink_backward hardtanh_backward leaky_relu_backward prelu_kernel_backward prelu_weight_backward "
        "softshrink_backward threshold_backward"
    ),
    "ops.pointwise.polynomials": (
        "_polynomial_derivative special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
        "special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h "
        "special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w"
    ),
    "ops.pointwise.quantised": (
        "fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask fake_quantize_per_tensor_affine "
        "fake_quantize_per_tensor_affine_cachemask"
    ),
    "ops.pointwise.scales": "_frexp",
    "ops.pointwise.smooth": "logsigmoid mish softplus softsign tanhshrink",
    "ops.pointwise.smooth_backward": "elu_backward log_sigmoid_backward softplus_backward",
    "ops.randomness.gamma_draws": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad binomial",
    "ops.randomness.low_rank": "pca_lowrank svd_lowrank",
    "ops.randomness.random": "rand rand_like randint randint_like randn randn_like randperm",
    "ops.randomness.random_fill": "bernoulli_fill cauchy exponential geometric log_normal normal_fill random uniform",
    "ops.randomness.sampling": "normal normal_about poisson",
    "ops.reductions.differences": "cumulative_trapezoid gradient trapezoid trapz",
    "ops.reductions.maxima": "_aminmax max_dim max_full min_dim min_full",
    "ops.reductions.moments": "std_mean var_mean",
    "ops.reductions.scan": "cumsum_reversed recurrence",
    "ops.reductions.segments": "_segment_reduce segment_reduce",
    "ops.reductions.vector_norm": "linalg_vector_norm",
    "ops.shapes.as_strided_copies": "_as_strided_copy _as_strided_scatter as_strided_copy",
    "ops.shapes.broadcast": "broadcast_shapes broadcast_tensors",
    "ops.shapes.combine": "_block_diag block_diag cartesian_prod column_stack combinations meshgrid row_stack",
    "ops.shapes.stacks": "atleast_1d atleast_2d atleast_3d concat concatenate dstack hstack vstack",
    "ops.shapes.strided": "diagonal_backward diagonal_copy unfold_backward",
    "ops.shapes.view_copies": (
        "_view_copy alias_copy detach_copy expand_copy permute_copy select_copy slice_copy split_copy "
        "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy"
    ),
    "ops.sparse.compressed_create": (
        "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor"
    ),
    "ops.sparse.compressed_entries": "_sparse_compressed_tensor _to_sparse_compressed",
    "ops.sparse.compressed_products": "_sparse_mm_reduce_impl _sparse_sampled_addmm",
    "ops.sparse.create": "sparse_coo_tensor",
    "ops.sparse.entries": "_sparse_coo_tensor_with_dims_and_tensors _sparse_entries _to_sparse",
    "ops.sparse.part_copies": (
        "ccol_indices_copy col_indices_copy crow_indices_copy indices_copy row_indices_copy values_copy"
    ),
    "ops.sparse.products": "_sparse_addmm _sparse_sparse_matmul dsmm hsmm spmm",
    "ops.sparse.reading": "_coalesce _sparse_mask _sparse_values _to_dense",
    "ops.sparse.reductions": "_sparse_log_softmax _sparse_softmax _sparse_sum",
    "ops.sparse.sparse_results": "hspmm saddmm",
}
"""Operators that are not on Tensor: functions of the package, and what only other modules call."""
ON_TENSOR = {
    "_core.calls.overriding": "__torch_function__",
    "_tensor.conversions": "__array__ __dlpack__ __dlpack_device__ __format__ numpy type",
    "_tensor.older": "eig lstsq new reinforce resize resize_as solve symeig",
    "_tensor.pickling": "__deepcopy__ __reduce__",
    "_tensor.predicates": (
        "_cdata _is_zerotensor cuda dequantize dim_order get_device ipu is_cpu is_distributed is_ipu is_maia is_meta "
        "is_mkldnn is_mps is_mtia is_nested is_nonzero is_pinned is_quantized is_same_size is_set_to is_signed "
        "is_sparse is_sparse_csr is_vulkan is_xla is_xpu mtia ndimension pin_memory xpu"
    ),
    "_tensor.subclasses": "_make_subclass _make_wrapper_subclass as_subclass module_load",
    "compat.arrays.protocols": "__array_function__ __array_namespace__ __array_ufunc__ to_device",
    "ops.create.legacy_storages": "storage_type",
    "ops.create.like": "new_empty new_full new_ones new_tensor new_zeros",
    "ops.create.strided": "new_empty_strided",
    "ops.fourier.short_time": "istft stft",
    "ops.indexing.index_write": "index_add index_add_ index_copy index_copy_ index_fill index_fill_",
    "ops.indexing.positions": "nonzero_static",
    "ops.indexing.put": "fill_diagonal_ masked_scatter masked_scatter_ put put_",
    "ops.indexing.scatter": "scatter scatter_ scatter_add scatter_add_",
    "ops.indexing.scatter_reduce": "index_reduce index_reduce_ scatter_reduce scatter_reduce_",
    "ops.linalg.addmm": "addbmm addbmm_ addmm addmm_ addmv addmv_ baddbmm baddbmm_",
    "ops.linalg.addr": "addr addr_",
    "ops.linalg.cholesky": "cholesky cholesky_inverse cholesky_solve",
    "ops.linalg.cross": "cross",
    "ops.linalg.determinants": "det logdet slogdet",
    "ops.linalg.inverse": "inverse",
    "ops.linalg.least_squares": "pinverse",
    "ops.linalg.lu": "lu lu_solve",
    "ops.linalg.norms": "norm",
    "ops.linalg.pairs": "kron",
    "ops.linalg.powers": "matrix_exp matrix_power",
    "ops.linalg.qr": "qr",
    "ops.linalg.reflections": "geqrf orgqr ormqr",
    "ops.linalg.singular": "svd",
    "ops.linalg.solve": "triangular_solve",
    "ops.linalg.statistics": "corrcoef cov",
    "ops.linalg.trace": "trace",
    "ops.memory.casts": "bfloat16 bool byte cdouble cfloat chalf char double float half int long short",
    "ops.memory.storages": "_typed_storage is_shared share_memory_ storage untyped_storage",
    "ops.neural.gates": "_rrelu_",
    "ops.neural.softmax": "log_softmax softmax",
    "ops.order.bincount": "bincount",
    "ops.order.histogram": "histc histogram",
    "ops.order.quantile": "nanquantile quantile",
    "ops.order.ranks": "kthvalue median mode nanmedian",
    "ops.order.running": "cummax cummin logcumsumexp",
    "ops.order.sort": "argsort msort sort topk",
    "ops.order.unique": "unique unique_consecutive",
    "ops.pointwise.activation": "gelu_ relu relu_ sigmoid sigmoid_ silu_ tanh tanh_",
    "ops.pointwise.apply": "apply_ map2_ map_",
    "ops.pointwise.bessel": "i0 i0_",
    "ops.pointwise.choose": (
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ nan_to_num nan_to_num_ where"
    ),
    "ops.pointwise.classify": "isfinite isinf isnan isneginf isposinf isreal signbit",
    "ops.pointwise.closeness": "allclose equal isclose",
    "ops.pointwise.compared_in_place": "eq_ ge_ greater_ greater_equal_ gt_ le_ less_ less_equal_ lt_ ne_ not_equal_",
    "ops.pointwise.complex": (
        "_conj _neg_view angle conj conj_physical conj_physical_ imag is_conj is_neg real resolve_conj resolve_neg"
    ),
    "ops.pointwise.extremes": "fmax fmin maximum minimum",
    "ops.pointwise.gamma": (
        "digamma digamma_ igamma igamma_ igammac igammac_ lgamma lgamma_ mvlgamma mvlgamma_ polygamma polygamma_"
    ),
    "ops.pointwise.integers": "gcd gcd_ lcm lcm_",
    "ops.pointwise.mixtures": "lerp lerp_",
    "ops.pointwise.normal": "erfinv erfinv_",
    "ops.pointwise.pairs": (
        "copysign copysign_ heaviside heaviside_ hypot hypot_ logaddexp logaddexp2 nextafter nextafter_ xlogy xlogy_"
    ),
    "ops.pointwise.piecewise": (
        "celu_ elu_ hardshrink hardshrink_ hardsigmoid_ hardswish_ hardtanh_ leaky_relu_ prelu softshrink_ threshold_"
    ),
    "ops.pointwise.scaled_sums": "addcdiv addcdiv_ addcmul addcmul_",
    "ops.pointwise.scales": (
        "deg2rad deg2rad_ float_power float_power_ frexp ldexp ldexp_ logit logit_ rad2deg rad2deg_ sinc sinc_"
    ),
    "ops.pointwise.smooth": "erf erf_ erfc erfc_ logsigmoid_ mish_ softplus_",
    "ops.pointwise.trigonometry": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 "
        "arctan2_ arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ cos cos_ cosh "
        "cosh_ sin sin_ sinh sinh_ tan tan_"
    ),
    "ops.randomness.random_fill": "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_",
    "ops.randomness.sampling": "bernoulli multinomial",
    "ops.reductions.differences": "diff",
    "ops.reductions.distance": "dist renorm renorm_",
    "ops.reductions.hashes": "hash_tensor",
    "ops.reductions.maxima": "amax amin aminmax max min",
    "ops.reductions.moments": "std var",
    "ops.reductions.places": "argmax argmin",
    "ops.reductions.scan": "cumprod cumprod_ cumsum cumsum_ prod",
    "ops.shapes.as_strided_copies": "as_strided_scatter",
    "ops.shapes.broadcast": "broadcast_to expand_as sum_to_size",
    "ops.shapes.duals": "_fw_primal _made_dual",
    "ops.shapes.flips": "flip fliplr flipud",
    "ops.shapes.geometry": "_as_strided_from_ as_strided_ resize_ resize_as_ set_ swapaxes_ swapdims_",
    "ops.shapes.moved": "adjoint moveaxis movedim swapaxes swapdims",
    "ops.shapes.rearrange": "repeat repeat_interleave roll tile tril tril_ triu triu_",
    "ops.shapes.rotate": "rot90",
    "ops.shapes.scattered": "diagonal_scatter select_scatter slice_scatter",
    "ops.shapes.sections": (
        "dsplit hsplit split_with_sizes tensor_split unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
    ),
    "ops.shapes.strided": "diag diag_embed diagflat diagonal unfold",
    "ops.shapes.view_copies": "narrow_copy",
    "ops.sparse.methods": (
        "_coalesced_ _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices "
        "is_coalesced row_indices sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ to_dense to_sparse "
        "to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values"
    ),
    "ops.sparse.resizing": "resize_as_sparse_",
    "ops.sparse.sparse_results": "smm sspaddmm",
}
"""Names on Tensor, operators or not."""
LATE = {
    "wengert": {
        "_C": "_C",
        "_VF": "_VF",
        "__config__": "__config__",
        "__future__": "__future__",
        "_decomp": "_decomp",
        "_dynamo": "_dynamo",
        "_export": "_export",
        "_functorch": "_functorch",
        "_guards": "_guards",
        "_higher_order_ops": "_higher_order_ops",
        "_inductor": "_inductor",
        "_jit_internal": "_jit_internal",
        "_library": "_library",
        "_linalg_utils": "_linalg_utils",
        "_lobpcg": "lobpcg",
        "_lowrank": "_lowrank",
        "_ops": "_ops",
        "_prims_common": "_prims_common",
        "_refs": "_refs",
        "_subclasses": "_subclasses",
        "_tensor.predicates": "is_inference numel result_type",
        "_tensor.removed": "eig lstsq matrix_rank solve symeig",
        "_tensor.text": "set_printoptions",
        "_tensor_str": "_tensor_str",
        "_utils": "_utils",
        "_vmap_internals": "_vmap_internals",
        "accelerator": "Event Stream accelerator",
        "amp": "GradScaler amp autocast",
        "amp.casting": (
            "autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype "
            "get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled "
            "is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled "
            "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype"
        ),
        "ao": "ao",
        "as_torch": "install_as_torch",
        "backends": "backends",
        "compat": "array_api compat",
        "compiler": "compile compiler",
        "cpu": "cpu get_device_module",
        "cuda": "AcceleratorError OutOfMemoryError cuda",
        "debugging": "debugging explain graph_report set_debug",
        "distributed": "distributed",
        "distributions": "distributions",
        "eager": (
            "SymBool SymFloat SymInt _assert _assert_async _check _check_index _check_is_size _check_not_implemented "
            "_check_tensor_all _check_tensor_all_with _check_type _check_value _check_with _shape_as_tensor "
            "_softmax_backward_data classes cond legacy_contiguous_format newaxis sym_float sym_int sym_ite sym_max "
            "sym_min sym_not sym_sqrt sym_sum while_loop"
        ),
        "export": "export",
        "fft": "fft",
        "foreach": (
            "_foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_add _foreach_add_ _foreach_addcdiv "
            "_foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin _foreach_asin_ _foreach_atan "
            "_foreach_atan_ _foreach_ceil _foreach_ceil_ _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min "
            "_foreach_clamp_min_ _foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ "
            "_foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp "
            "_foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_ "
            "_foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_ "
            "_foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max _foreach_maximum "
            "_foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg "
            "_foreach_neg_ _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal "
            "_foreach_reciprocal_ _foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid "
            "_foreach_sigmoid_ _foreach_sign _foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ "
            "_foreach_sqrt _foreach_sqrt_ _foreach_sub _foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh "
            "_foreach_tanh_ _foreach_trunc _foreach_trunc_ _foreach_zero_"
        ),
        "func": "func vmap",
        "functional": "functional",
        "futures": "futures",
        "fx": "fx",
        "hub": "hub",
        "io": "io",
        "io.objects": "load save",
        "io.reader": "PyTorchFileReader",
        "jit": "ScriptFunction ScriptModule jit",
        "legacy": (
            "BFloat16Tensor BoolTensor ByteTensor CharTensor ComplexDoubleTensor ComplexFloatTensor DoubleTensor "
            "FloatTensor HalfTensor IntTensor LongTensor ShortTensor"
        ),
        "library": "library",
        "linalg": "linalg",
        "masked": "masked",
        "mps": "mps",
        "mtia": "mtia",
        "multiprocessing": "multiprocessing",
        "native_functions": "adaptive_max_pool1d binary_cross_entropy_with_logits max_pool1d_with_indices",
        "nn": "nn",
        "nn.functional": "rrelu_ selu_",
        "onnx": "onnx",
        "ops.create.legacy_storages": (
            "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage "
            "DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage Storage from_file"
        ),
        "ops.indexing.embedding": "embedding_renorm_",
        "ops.memory.kept": "empty_cache memory_stats reset_peak_memory_stats set_memory_limit",
        "ops.memory.storages": "StorageBase TypedStorage UntypedStorage",
        "ops.neural.dropout": "alpha_dropout_ dropout_ feature_alpha_dropout_ feature_dropout_",
        "ops.neural.norms_in_package": "batch_norm instance_norm",
        "ops.randomness.generator": "default_generator",
        "ops.sparse.layouts": "sparse_bsc sparse_bsr sparse_csc sparse_csr",
        "optim": "optim",
        "overrides": "overrides",
        "profiler": "profiler",
        "quantization": "quantization",
        "quasirandom": "quasirandom",
        "random": "random",
        "return_types": "return_types",
        "scipy": "scipy",
        "serialization": "serialization",
        "settings": (
            "are_deterministic_algorithms_enabled compiled_with_cxx11_abi get_default_device "
            "get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads has_lapack has_mkl "
            "has_openmp has_spectral is_deterministic_algorithms_warn_only_enabled is_storage is_vulkan_available "
            "is_warn_always_enabled set_default_device set_default_tensor_type set_deterministic_debug_mode "
            "set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_warn_always typename "
            "use_deterministic_algorithms"
        ),
        "signal": "signal",
        "sparse": "sparse",
        "special": "special",
        "storage": "storage",
        "testing": "testing",
        "torch_version": "torch_version",
        "types": "types",
        "utils": "utils",
        "utils.dlpack": "to_dlpack",
        "version": "version",
        "vision": "vision",
        "viz": "viz",
        "xpu": "xpu",
    },
    "wengert._C": {
        "_C._functorch": "_functorch",
    },
    "wengert.autograd": {
        "autograd.forward_ad": "forward_ad",
        "autograd.function": "Function function",
        "autograd.functional": "functional",
        "autograd.gradcheck.rule": "check_rule",
        "autograd.graph": "graph",
        "autograd.profiler": "profiler",
        "autograd.profiler_util": "profiler_util",
        "autograd.watching": "Finding Watch",
    },
    "wengert.autograd.gradcheck": {
        "autograd.gradcheck.errors": "GradcheckError",
        "autograd.gradcheck.former": (
            "get_analytical_jacobian get_numerical_jacobian get_numerical_jacobian_wrt_specific_input"
        ),
    },
    "wengert.backends": {
        "backends.cpu": "cpu",
        "backends.cuda": "cuda",
        "backends.cudnn": "cudnn",
        "backends.mkl": "mkl",
        "backends.mkldnn": "mkldnn",
        "backends.mps": "mps",
        "backends.openmp": "openmp",
        "backends.opt_einsum": "opt_einsum",
        "backends.quantized": "quantized",
    },
    "wengert.compat": {
        "compat.array_api": "array_api",
        "compat.hips": "hips",
    },
    "wengert.cpu": {
        "cpu.amp": "amp",
    },
    "wengert.cuda": {
        "cuda.amp": "amp",
        "cuda.nvtx": "nvtx",
        "cuda.random": "random",
    },
    "wengert.nn.modules.container": {
        "nn.modules.parameters": "ParameterDict ParameterList",
    },
    "wengert.optim.adadelta": {
        "optim._functional": "adadelta",
    },
    "wengert.optim.adagrad": {
        "optim._functional": "adagrad",
    },
    "wengert.optim.adam": {
        "optim._functional": "adam",
    },
    "wengert.optim.adamax": {
        "optim._functional": "adamax",
    },
    "wengert.optim.adamw": {
        "optim._functional": "adamw",
    },
    "wengert.optim.asgd": {
        "optim._functional": "asgd",
    },
    "wengert.optim.nadam": {
        "optim._functional": "nadam",
    },
    "wengert.optim.radam": {
        "optim._functional": "radam",
    },
    "wengert.optim.rmsprop": {
        "optim._functional": "rmsprop",
    },
    "wengert.optim.rprop": {
        "optim._functional": "rprop",
    },
    "wengert.optim.sgd": {
        "optim._functional": "sgd",
    },
    "wengert.utils": {
        "utils._contextlib": "_contextlib",
        "utils._foreach_utils": "_foreach_utils",
        "utils._python_dispatch": "_python_dispatch",
        "utils._pytree": "_pytree",
        "utils.benchmark": "benchmark",
        "utils.collect_env": "collect_env",
        "utils.cpp_extension": "cpp_extension",
        "utils.deterministic": "deterministic",
        "utils.flop_counter": "flop_counter",
        "utils.hooks": "hooks",
        "utils.model_zoo": "model_zoo",
        "utils.module_tracker": "module_tracker",
        "utils.swapping": "swap_tensors",
        "utils.tensorboard": "tensorboard",
        "utils.weak": "weak",
    },
    "wengert.utils.data": {
        "utils.data.datapipes": "datapipes",
        "utils.data.datapipes._decorator": "functional_datapipe",
        "utils.data.datapipes.datapipe": "DFIterDataPipe DataChunk IterDataPipe MapDataPipe",
    },
    "wengert.utils.data._utils": {
        "utils.data._utils.collate": "collate",
        "utils.data._utils.fetch": "fetch",
        "utils.data._utils.pin_memory": "pin_memory",
        "utils.data._utils.worker": "worker",
    },
    "wengert.utils.data.dataset": {
        "utils.data.stacked": "StackDataset",
    },
}
"""Names of the package (`wengert`) and of modules of it, by who has them; modules are their own homes."""
METHODS = (
    "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ "
    "ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach detach_ erf_ erfc_ exp2_ "
    "exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ get_device i0_ index_put_ is_distributed is_nonzero is_same_size "
    "is_signed lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ "
    "resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_ zero_"
)
"""Methods of Tensor that are functions, too, and no operators of their own."""
SHARED = (
    "adaptive_avg_pool1d avg_pool1d bilinear conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d "
    "conv_transpose3d cosine_similarity native_channel_shuffle pairwise_distance pdist prelu"
)
"""Operators that are the same objects in `nn.functional`; those without a method are so anyway."""
