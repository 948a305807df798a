"""Functions behind the layers, as in `torch.nn.functional`. Most are operators; others choose among operators."""

from __future__ import annotations

from functools import partial
from types import FunctionType

from ..ops import checked, functions_of, plain_case
from ..ops.images.conv_functions import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from ..ops.images.local_response import local_response_norm
from ..ops.images.pad import pad
from ..ops.images.patches import fold, pixel_shuffle, pixel_unshuffle, unfold
from ..ops.images.pool import avg_pool2d, avg_pool3d
from ..ops.images.pool_functions import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from ..ops.images.resize import interpolate
from ..ops.indexing.embedding import embedding, one_hot
from ..ops.indexing.embedding_bag_lookup import embedding_bag
from ..ops.linalg.distances import pdist
from ..ops.linalg.linear import linear
from ..ops.neural import batch_norm as batches, dropout as dropouts, similarity
from ..ops.neural.attention import scaled_dot_product_attention
from ..ops.neural.batch_norm import batch_norm, instance_norm
from ..ops.neural.bilinear import bilinear
from ..ops.neural.dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from ..ops.neural.gates import channel_shuffle, native_channel_shuffle, rrelu_
from ..ops.neural.group_norm import group_norm
from ..ops.neural.loss import cross_entropy, nll_loss
from ..ops.neural.loss_binary import binary_cross_entropy, binary_cross_entropy_with_logits
from ..ops.neural.loss_pairs import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from ..ops.neural.masks import _canonical_mask as _canonical_mask, _none_or_dtype as _none_or_dtype
from ..ops.neural.multi_head import multi_head_attention_forward
from ..ops.neural.norm import layer_norm, rms_norm
from ..ops.neural.similarity import cosine_similarity, normalize, pairwise_distance
from ..ops.pointwise.activation import gelu
from ..ops.pointwise.piecewise import hardshrink, prelu, selu_, softshrink
from ..ops.pointwise.smooth import log_sigmoid as logsigmoid, softplus, softsign, tanhshrink
from .activations import (
    celu,
    celu_,
    elu,
    elu_,
    glu,
    gumbel_softmax,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    mish,
    relu,
    relu6,
    relu_,
    rrelu,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    tanh,
    threshold,
    threshold_,
)
from .linear_loss import linear_cross_entropy
from .losses import (
    cosine_embedding_loss,
    ctc_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .pooling import (
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d_with_indices,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d_with_indices,
    max_pool2d_with_indices,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from .resizing import affine_grid, grid_sample, upsample, upsample_bilinear, upsample_nearest

_IN_PACKAGE = ("rrelu_", "selu_")

_SHARED = (
    *("adaptive_avg_pool1d", "avg_pool1d", "bilinear", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d"),
    *("conv_transpose2d", "conv_transpose3d", "cosine_similarity", "native_channel_shuffle", "pairwise_distance"),
    *("pdist", "prelu"),
)
"""Operators that are the same objects in the package, as in torch; operators without a method are so anyway."""

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "native_channel_shuffle",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

plain = partial(plain_case, module=__name__)
cosine_similarity = plain(cosine_similarity, arrays=similarity.cosines_of_arrays, needs=similarity.NATIVE)
dropout = plain(dropout, arrays=dropouts.dropped_array, needs=dropouts.NATIVE)
instance_norm = plain(
    instance_norm, arrays=batches.normalised_array, needs=(batches.without_statistics,), then=(batches.of_items,)
)

functions = {
    name: function for name, function in globals().items() if name in __all__ and isinstance(function, FunctionType)
}

globals().update({name: checked(name, function, module=__name__) for name, function in functions.items()})
globals().update(functions_of({name: globals()[name] for name in __all__}, __name__, shared=True))
