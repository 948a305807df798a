"""The families of operators that are loaded when one of their operators is first asked for, and what they give.

An import of the package then costs what programs have in common; a family costs one to two milliseconds when it comes.
What Python's signs need (`OPERATORS`) is loaded at once, and so is what that imports. A name that is missing here, or
not given by its family, fails a test.
"""

from __future__ import annotations

from .._core.cards.late import promise_families

NAMES: dict[str, str] = {
    "create.further_ranges": "empty_permuted range",
    "create.interchange": "as_tensor asarray from_dlpack from_numpy frombuffer",
    "create.like": "empty_like full_like ones_like zeros_like",
    "create.ranges": "arange linspace logspace tril_indices triu_indices",
    "fourier.forms": (
        "fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_ihfft2 "
        "fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn"
    ),
    "fourier.frequencies": "fft_fftfreq fft_fftshift fft_ifftshift fft_rfftfreq",
    "fourier.signal_windows": (
        "signal_windows_bartlett signal_windows_blackman signal_windows_cosine signal_windows_exponential "
        "signal_windows_gaussian signal_windows_general_cosine signal_windows_general_hamming signal_windows_hamming "
        "signal_windows_hann signal_windows_kaiser signal_windows_nuttall"
    ),
    "fourier.transforms": "_fft_c2c _fft_c2r _fft_r2c",
    "fourier.windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "images.conv": "convolution convolution_input convolution_weight",
    "images.conv_forms": "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d",
    "images.grid": "_grid_sample affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d",
    "images.local_response": "local_response_norm",
    "images.pad": "constant_pad_nd edge_pad edge_pad_backward pad",
    "images.patches": "col2im fold_patches im2col pixel_shuffle pixel_unshuffle unfold_patches",
    "images.pool": "avg_pool2d avg_pool2d_backward gather_planes max_pool2d_with_indices scatter_planes",
    "images.pool_adaptive": (
        "adaptive_average adaptive_average3d adaptive_average3d_backward adaptive_average_backward "
        "adaptive_maximum adaptive_maximum3d"
    ),
    "images.pool_backward": "max_pool2d_with_indices_backward max_pool3d_with_indices_backward",
    "images.pool_forms": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
        "adaptive_max_pool3d avg_pool1d max_pool1d max_pool2d max_pool3d"
    ),
    "images.pool_fractional": "fractional_max_pool2d fractional_max_pool3d",
    "images.pool_volumes": ("avg_pool3d avg_pool3d_backward gather_volumes max_pool3d_with_indices scatter_volumes"),
    "images.unpool": "max_unpool2d max_unpool3d",
    "images.resize": "interpolate resample resample_backward resample_bytes",
    "indexing.embedding": (
        "_embedding_sparse _one_hot embedding embedding_dense_backward embedding_dense_gather embedding_lookup one_hot"
    ),
    "indexing.embedding_bag": "_embedding_bag embedding_bag",
    "indexing.embedding_bag_forms": "embedding_bag_lookup",
    "indexing.positions": "unravel_index",
    "indexing.put": "fill_diagonal masked_scatter_backward",
    "linalg.cholesky": "_linalg_cholesky_ex linalg_cholesky linalg_cholesky_ex",
    "linalg.cross": "linalg_cross",
    "linalg.coinciding": "_eigh_frame _eigh_function",
    "linalg.determinants": "_det_minors _linalg_det _linalg_slogdet linalg_det linalg_slogdet",
    "linalg.distances": "_cdist_forward _euclidean_dist _pdist_forward cdist pdist",
    "linalg.eigen": "_linalg_eig _linalg_eigh _linalg_eigvalsh linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh",
    "linalg.einsum": "einsum",
    "linalg.inverse": "_linalg_inv_ex linalg_inv linalg_inv_ex",
    "linalg.ldl": "_linalg_ldl_factor_ex _linalg_ldl_solve linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve",
    "linalg.least_squares": "_linalg_lstsq _linalg_pinv linalg_lstsq linalg_pinv linalg_tensorinv linalg_tensorsolve",
    "linalg.linear": "linear",
    "linalg.lu": "_linalg_lu _linalg_lu_factor_ex _linalg_lu_solve _lu_unpack",
    "linalg.lu_forms": "linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve lu_unpack",
    "linalg.norms": (
        "frobenius_norm linalg_cond linalg_matrix_norm linalg_matrix_rank linalg_norm norm_except_dim nuclear_norm"
    ),
    "linalg.pairs": "tensordot",
    "linalg.powers": "chain_matmul linalg_matrix_exp linalg_matrix_power linalg_multi_dot",
    "linalg.qr": "_linalg_qr linalg_qr",
    "linalg.reflections": "_geqrf _linalg_householder_product linalg_householder_product",
    "linalg.singular": "_linalg_svd linalg_svd linalg_svdvals",
    "linalg.solve": (
        "_linalg_solve_ex _linalg_solve_triangular _triangular_solve linalg_solve linalg_solve_ex "
        "linalg_solve_triangular"
    ),
    "linalg.vectors": "linalg_diagonal linalg_vander linalg_vecdot vander",
    "neural.attention": "scaled_dot_product_attention",
    "neural.attention_weights": "_causal_softmax _safe_softmax",
    "neural.attention_blocks": (
        "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward"
    ),
    "neural.bilinear": "bilinear",
    "neural.batch_norm": "batch_norm batch_norm_backward batch_norm_forward instance_norm native_batch_norm",
    "neural.dropout": (
        "_native_dropout alpha_dropout dropout dropout1d dropout2d dropout3d dropout_noise "
        "feature_alpha_dropout feature_dropout native_dropout"
    ),
    "neural.gates": (
        "_rrelu channel_shuffle glu glu_backward native_channel_shuffle rrelu rrelu_noise rrelu_with_noise_backward"
    ),
    "neural.group_norm": "group_norm group_norm_backward native_group_norm",
    "neural.loss": "cross_entropy nll_loss nll_loss_backward nll_loss_forward",
    "neural.loss_binary": (
        "_binary_cross_entropy _binary_cross_entropy_with_logits binary_cross_entropy binary_cross_entropy_with_logits"
    ),
    "neural.loss_ctc": "_ctc_loss ctc_loss",
    "neural.loss_margins": "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss",
    "neural.loss_slopes": "huber_loss_backward mse_loss_backward smooth_l1_loss_backward",
    "neural.loss_pairs": "_huber_loss _mse_loss _smooth_l1_loss huber_loss l1_loss mse_loss smooth_l1_loss",
    "neural.loss_rates": "kl_div poisson_nll_loss",
    "neural.loss_scores": (
        "_multi_margin_loss _multilabel_margin_loss _soft_margin_loss multi_margin_loss multilabel_margin_loss "
        "soft_margin_loss"
    ),
    "neural.multi_head": "multi_head_attention_forward",
    "neural.norm": "layer_norm layer_norm_backward native_layer_norm rms_norm",
    "neural.recurrent": "gru lstm rnn_relu rnn_tanh",
    "neural.recurrent_steps": "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell",
    "neural.similarity": "cosine_similarity distance_norm normalize pairwise_distance",
    "neural.slope_history": "slope_with_history",
    "neural.softmax": "_log_softmax _log_softmax_backward_data _softmax _softmax_backward_data softmin",
    "order.bounds": "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo",
    "order.histogram": "_histc _histogramdd histogramdd",
    "order.ranks": "kthvalue_along median_along median_full mode_along nanmedian_along nanmedian_full",
    "order.running": "cummax_along cummin_along",
    "order.search": "_isin _searchsorted bucketize isin searchsorted",
    "order.sort": "sort_along topk_along",
    "order.unique": "_unique",
    "pointwise.activation": (
        "gelu gelu_backward hardswish_backward kept_gradient relu_backward sigmoid_backward silu "
        "silu_backward tanh_backward"
    ),
    "pointwise.bessel": (
        "_airy_ai_derivative special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 "
        "special_i0e special_i1 special_i1e special_modified_bessel_i0 special_modified_bessel_i1 "
        "special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0 "
        "special_scaled_modified_bessel_k1 special_spherical_bessel_j0"
    ),
    "pointwise.choose": "_where",
    "pointwise.classify": "is_complex is_floating_point is_tensor",
    "pointwise.complex": "_conj _conj_physical _neg_view view_as_complex view_as_real",
    "pointwise.complex_copies": "view_as_complex_copy view_as_real_copy",
    "pointwise.complex_parts": "complex polar",
    "pointwise.gamma": "special_zeta",
    "pointwise.normal": "special_entr special_erfcx special_log_ndtr special_ndtr special_ndtri",
    "pointwise.pairs": "special_xlog1py",
    "pointwise.piecewise": (
        "_prelu_kernel celu elu hardsigmoid hardswish hardtanh leaky_relu relu6 selu softshrink threshold"
    ),
    "pointwise.piecewise_slopes": (
        "hardshrink_backward hardtanh_backward leaky_relu_backward prelu_kernel_backward prelu_weight_backward "
        "softshrink_backward threshold_backward"
    ),
    "pointwise.polynomials": (
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
        "special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he "
        "_polynomial_derivative special_laguerre_polynomial_l special_legendre_polynomial_p "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w"
    ),
    "pointwise.quantised": (
        "fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask fake_quantize_per_tensor_affine "
        "fake_quantize_per_tensor_affine_cachemask"
    ),
    "pointwise.scales": "_frexp",
    "pointwise.smooth_slopes": "elu_backward log_sigmoid_backward softplus_backward",
    "pointwise.smooth": "logsigmoid mish softplus softsign tanhshrink",
    "randomness.low_rank": "pca_lowrank svd_lowrank",
    "randomness.gamma_draws": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad binomial",
    "randomness.random": "rand randint randn randperm",
    "randomness.random_fill": "bernoulli_fill cauchy exponential geometric log_normal normal_fill random uniform",
    "randomness.random_like": "rand_like randint_like randn_like",
    "randomness.sampling": "normal normal_about poisson",
    "reductions.differences": "cumulative_trapezoid gradient trapezoid trapz",
    "reductions.maxima": "_aminmax max_dim max_full min_dim min_full",
    "reductions.moments": "std_mean var_mean",
    "reductions.scan": "cumsum_reversed recurrence",
    "sparse.compressed_create": (
        "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor"
    ),
    "sparse.compressed_entries": "_sparse_compressed_tensor _to_sparse_compressed",
    "sparse.compressed_products": "_sparse_mm_reduce_impl _sparse_sampled_addmm",
    "sparse.copied_parts": (
        "ccol_indices_copy col_indices_copy crow_indices_copy indices_copy row_indices_copy values_copy"
    ),
    "sparse.create": "sparse_coo_tensor",
    "sparse.entries": "_sparse_coo_tensor_with_dims_and_tensors _sparse_entries _to_sparse",
    "sparse.products": "_sparse_addmm _sparse_sparse_matmul dsmm hsmm spmm",
    "sparse.reading": "_coalesce _sparse_mask _sparse_values _to_dense",
    "sparse.resizing": "resize_as_sparse_",
    "sparse.sparse_results": "hspmm saddmm smm sspaddmm",
    "sparse.reductions": "_sparse_log_softmax _sparse_softmax _sparse_sum",
    "reductions.segments": "_segment_reduce segment_reduce",
    "reductions.vector_norm": "linalg_vector_norm",
    "shapes.as_strided_copies": "_as_strided_copy _as_strided_scatter as_strided_copy",
    "shapes.broadcast": "broadcast_shapes broadcast_tensors",
    "shapes.combine": "_block_diag block_diag cartesian_prod column_stack combinations meshgrid row_stack",
    "shapes.stacks": "atleast_1d atleast_2d atleast_3d concat concatenate dstack hstack vstack",
    "shapes.strided": "diagonal_backward diagonal_copy unfold_backward",
    "shapes.view_copies": (
        "_view_copy alias_copy detach_copy expand_copy permute_copy select_copy slice_copy split_copy "
        "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy "
        "view_copy"
    ),
}
"""Names of operators that are not on Tensor, by family: functions of the package, and what only other modules call."""

METHODS: dict[str, str] = {
    "create.like": "new_empty new_empty_strided new_full new_ones new_tensor new_zeros",
    "fourier.short_time": "istft stft",
    "create.legacy_storages": "storage_type",
    "indexing.index_write": "index_add index_add_ index_copy index_copy_ index_fill index_fill_",
    "indexing.positions": "nonzero_static",
    "indexing.put": "fill_diagonal_ masked_scatter masked_scatter_ put put_",
    "indexing.scatter": "scatter scatter_ scatter_add scatter_add_",
    "indexing.scatter_reduce": "index_reduce index_reduce_ scatter_reduce scatter_reduce_",
    "linalg.addmm": "addbmm addbmm_ addmm addmm_ addmv addmv_ baddbmm baddbmm_",
    "linalg.addr": "addr addr_",
    "linalg.cholesky": "cholesky cholesky_inverse cholesky_solve",
    "linalg.cross": "cross",
    "linalg.determinants": "det logdet slogdet",
    "linalg.inverse": "inverse",
    "linalg.least_squares": "pinverse",
    "linalg.lu_forms": "lu lu_solve",
    "linalg.norms": "norm",
    "linalg.pairs": "kron",
    "linalg.powers": "matrix_exp matrix_power",
    "linalg.qr": "qr",
    "linalg.reflections": "geqrf orgqr ormqr",
    "linalg.singular": "svd",
    "linalg.solve": "triangular_solve",
    "linalg.statistics": "corrcoef cov",
    "linalg.trace": "trace",
    "neural.gates": "_rrelu_",
    "memory.storages": "_typed_storage is_shared share_memory_ storage untyped_storage",
    "neural.softmax": "log_softmax softmax",
    "order.bincount": "bincount",
    "order.histogram": "histc histogram",
    "order.quantile": "nanquantile quantile",
    "order.ranks": "kthvalue median mode nanmedian",
    "order.running": "cummax cummin logcumsumexp",
    "order.sort": "argsort msort sort topk",
    "order.unique": "unique unique_consecutive",
    "pointwise.activation": "gelu_ relu relu_ sigmoid sigmoid_ silu_ tanh tanh_",
    "pointwise.apply": "apply_ map2_ map_",
    "pointwise.bessel": "i0 i0_",
    "pointwise.choose": (
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ nan_to_num nan_to_num_ where"
    ),
    "pointwise.classify": "isfinite isinf isnan isneginf isposinf isreal signbit",
    "pointwise.closeness": "allclose equal isclose",
    "pointwise.compared_in_place": ("eq_ ge_ greater_ greater_equal_ gt_ le_ less_ less_equal_ lt_ ne_ not_equal_"),
    "pointwise.complex": (
        "_conj _neg_view angle conj conj_physical conj_physical_ imag is_conj is_neg real resolve_conj resolve_neg"
    ),
    "pointwise.extremes": "fmax fmin maximum minimum",
    "pointwise.gamma": (
        "digamma digamma_ igamma igamma_ igammac igammac_ lgamma lgamma_ mvlgamma mvlgamma_ polygamma polygamma_"
    ),
    "pointwise.integers": "gcd gcd_ lcm lcm_",
    "pointwise.mixtures": "lerp lerp_",
    "pointwise.normal": "erfinv erfinv_",
    "pointwise.pairs": (
        "copysign copysign_ heaviside heaviside_ hypot hypot_ logaddexp logaddexp2 nextafter nextafter_ xlogy xlogy_"
    ),
    "pointwise.piecewise": (
        "celu_ elu_ hardshrink hardshrink_ hardsigmoid_ hardswish_ hardtanh_ leaky_relu_ prelu softshrink_ threshold_"
    ),
    "pointwise.scaled_sums": "addcdiv addcdiv_ addcmul addcmul_",
    "pointwise.scales": (
        "deg2rad deg2rad_ float_power float_power_ frexp ldexp ldexp_ logit logit_ rad2deg rad2deg_ sinc sinc_"
    ),
    "pointwise.smooth": "erf erf_ erfc erfc_ logsigmoid_ mish_ softplus_",
    "pointwise.trigonometry": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan_ "
        "arctan2 arctan2_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atan2 atan2_ atanh atanh_ cos cos_ cosh "
        "cosh_ sin sin_ sinh sinh_ tan tan_"
    ),
    "randomness.random_fill": "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_",
    "randomness.sampling": "bernoulli multinomial",
    "reductions.differences": "diff",
    "reductions.distance": "dist renorm renorm_",
    "reductions.hashes": "hash_tensor",
    "reductions.maxima": "amax amin aminmax max min",
    "reductions.moments": "std var",
    "reductions.places": "argmax argmin",
    "reductions.scan": "cumprod cumprod_ cumsum cumsum_ prod",
    "shapes.as_strided_copies": "as_strided_scatter",
    "shapes.broadcast": "broadcast_to expand_as sum_to_size",
    "shapes.duals": "_fw_primal _made_dual",
    "shapes.geometry": "_as_strided_from_ as_strided_ resize_ resize_as_ set_ swapaxes_ swapdims_",
    "shapes.flips": "flip fliplr flipud",
    "shapes.moved": "adjoint movedim moveaxis swapaxes swapdims",
    "shapes.rearrange": "repeat repeat_interleave roll tile tril tril_ triu triu_",
    "shapes.rotate": "rot90",
    "shapes.scattered": "diagonal_scatter select_scatter slice_scatter",
    "shapes.sections": "dsplit hsplit tensor_split vsplit",
    "shapes.strided": "diag diag_embed diagflat diagonal unfold",
    "sparse.resizing": "resize_as_sparse_",
    "sparse.sparse_results": "smm sspaddmm",
    "sparse.methods": (
        "_coalesced_ _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices "
        "is_coalesced row_indices sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ to_dense to_sparse "
        "to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values"
    ),
    "shapes.unsafe_parts": "split_with_sizes unsafe_chunk unsafe_split unsafe_split_with_sizes",
    "shapes.view_copies": "narrow_copy",
}
"""Names on Tensor, most of them functions as well, by family."""


def promise_all() -> None:
    """Have all these families loaded when they are needed."""
    promise_families(__name__.rpartition(".")[0], NAMES, METHODS)
