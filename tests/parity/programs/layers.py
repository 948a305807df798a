"""Convolution, pooling, normalisation, dropout: values, gradients, options, errors."""

# ruff: noqa: C401, N806 - programs are written as torch's users write them

from __future__ import annotations

from tests.parity.programs.common import caught, chain


def filled(torch, *shape, dtype="float64"):
    count = 1
    for length in shape:
        count *= length
    values = torch.arange(float(count), dtype=getattr(torch, dtype))
    return ((values * 7) % 11 / 5 - 1).reshape(shape).requires_grad_()


def weighted(torch, function, *leaves):
    y = function(*leaves)
    weights = torch.arange(1.0, y.numel() + 1, dtype=y.dtype).reshape(y.shape) / 7
    return y, torch.autograd.grad(y, leaves, weights, allow_unused=True), y.grad_fn.name()


def conv(torch, shape, kernel, bias=True, **options):
    leaves = [filled(torch, *shape), filled(torch, *kernel)] + ([filled(torch, kernel[0])] if bias else [])
    return weighted(torch, lambda *each: torch.nn.functional.conv2d(*each, **options), *leaves)


def conv2d_plain(torch):
    return conv(torch, (2, 2, 4, 4), (3, 2, 3, 3))


def conv2d_without_bias(torch):
    return conv(torch, (1, 1, 4, 4), (2, 1, 2, 2), bias=False)


def conv2d_stride_and_padding(torch):
    return conv(torch, (1, 2, 5, 5), (2, 2, 3, 3), stride=2, padding=1), conv(
        torch, (1, 1, 5, 4), (1, 1, 3, 2), stride=(2, 1)
    )


def conv2d_dilation(torch):
    return conv(torch, (1, 1, 5, 5), (1, 1, 2, 2), dilation=2)


def conv2d_groups(torch):
    return conv(torch, (1, 4, 3, 3), (4, 2, 2, 2), groups=2), conv(torch, (1, 2, 3, 3), (2, 1, 2, 2), groups=2)


def conv2d_padding_names(torch):
    return conv(torch, (1, 1, 4, 4), (1, 1, 3, 3), padding="same"), conv(
        torch, (1, 1, 4, 4), (1, 1, 3, 3), padding="valid"
    )


def conv2d_same_with_stride_is_refused(torch):
    return conv(torch, (1, 1, 4, 4), (1, 1, 3, 3), padding="same", stride=2)


def conv2d_of_one_image(torch):
    return conv(torch, (2, 4, 4), (1, 2, 3, 3))


def conv2d_of_empty_batch(torch):
    return conv(torch, (0, 1, 4, 4), (1, 1, 3, 3))


def conv2d_wrong(torch):
    F = torch.nn.functional
    x = torch.ones(1, 2, 4, 4)
    return (
        caught(lambda: F.conv2d(x, torch.ones(1, 3, 3, 3))),
        caught(lambda: F.conv2d(x, torch.ones(1, 2, 5, 5))),
        caught(lambda: F.conv2d(torch.ones(4), torch.ones(1, 2, 3, 3))),
        caught(lambda: F.conv2d(x, torch.ones(1, 2, 3, 3), torch.ones(2))),
        caught(lambda: F.conv2d(x, torch.ones(1, 2, 3, 3), stride=0)),
        caught(lambda: F.conv2d(x, torch.ones(1, 2, 3, 3), padding=-1)),
    )


def conv2d_mixed_dtypes(torch):
    return torch.nn.functional.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1, dtype=torch.float64))


def conv2d_second_derivative(torch):
    x, w = filled(torch, 1, 1, 3, 3), filled(torch, 1, 1, 2, 2)
    (first,) = torch.autograd.grad(torch.nn.functional.conv2d(x, w).square().sum(), x, create_graph=True)
    return torch.autograd.grad(first.sum(), (x, w))


def pool(torch, name, shape, *args, **options):
    return weighted(torch, lambda x: getattr(torch.nn.functional, name)(x, *args, **options), filled(torch, *shape))


def max_pool2d_plain(torch):
    return pool(torch, "max_pool2d", (2, 2, 4, 4), 2)


def max_pool2d_options(torch):
    return pool(torch, "max_pool2d", (1, 1, 5, 5), 3, stride=2, padding=1), pool(
        torch, "max_pool2d", (1, 1, 5, 5), 2, ceil_mode=True
    )


def max_pool2d_dilation(torch):
    return pool(torch, "max_pool2d", (1, 1, 5, 5), 2, stride=1, dilation=2)


def max_pool2d_indices(torch):
    return torch.nn.functional.max_pool2d(filled(torch, 1, 1, 4, 4), 2, return_indices=True)


def max_pool2d_ties(torch):
    x = torch.ones(1, 1, 2, 2, requires_grad=True)
    torch.nn.functional.max_pool2d(x, 2).sum().backward()
    return x.grad


def max_pool2d_with_nan(torch):
    x = torch.tensor([[[[1.0, float("nan")], [3.0, 4.0]]]])
    return torch.nn.functional.max_pool2d(x, 2)


def max_pool2d_wrong(torch):
    F = torch.nn.functional
    return caught(lambda: F.max_pool2d(torch.ones(1, 1, 2, 2), 3)), caught(
        lambda: F.max_pool2d(torch.ones(1, 1, 4, 4), 2, padding=2)
    )


def avg_pool2d_plain(torch):
    return pool(torch, "avg_pool2d", (1, 2, 4, 4), 2)


def avg_pool2d_options(torch):
    return (
        pool(torch, "avg_pool2d", (1, 1, 5, 5), 3, stride=2, padding=1),
        pool(torch, "avg_pool2d", (1, 1, 5, 5), 3, stride=2, padding=1, count_include_pad=False),
        pool(torch, "avg_pool2d", (1, 1, 5, 5), 2, ceil_mode=True),
        pool(torch, "avg_pool2d", (1, 1, 4, 4), 2, divisor_override=3),
    )


def adaptive_avg_pool2d(torch):
    return pool(torch, "adaptive_avg_pool2d", (1, 2, 4, 6), (2, 3)), pool(torch, "adaptive_avg_pool2d", (1, 2, 5, 5), 1)


def batch_norm_training(torch):
    x, w, b = filled(torch, 4, 3), filled(torch, 3), filled(torch, 3)
    return weighted(torch, lambda x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, training=True), x, w, b)


def batch_norm_of_images(torch):
    x, w, b = filled(torch, 2, 2, 3, 3), filled(torch, 2), filled(torch, 2)
    return weighted(torch, lambda x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, training=True), x, w, b)


def batch_norm_running_statistics(torch):
    mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    y = torch.nn.functional.batch_norm(filled(torch, 4, 3), mean, var, training=True, momentum=0.1)
    return y, mean, var


def batch_norm_evaluation(torch):
    mean, var = torch.ones(3, dtype=torch.float64), torch.full((3,), 4.0, dtype=torch.float64)
    x, w, b = filled(torch, 4, 3), filled(torch, 3), filled(torch, 3)
    return weighted(torch, lambda x, w, b: torch.nn.functional.batch_norm(x, mean, var, w, b), x, w, b)


def batch_norm_of_one_value_is_refused(torch):
    return torch.nn.functional.batch_norm(torch.ones(1, 3), None, None, training=True)


def batch_norm_without_statistics_is_refused(torch):
    return torch.nn.functional.batch_norm(torch.ones(2, 3), None, None, training=False)


def batch_norm_second_derivative(torch):
    x = filled(torch, 3, 2)
    y = torch.nn.functional.batch_norm(x, None, None, training=True)
    (first,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
    return torch.autograd.grad(first.square().sum(), x)


def layer_norm(torch):
    x, w, b = filled(torch, 2, 3, 4), filled(torch, 4), filled(torch, 4)
    return weighted(torch, lambda x, w, b: torch.nn.functional.layer_norm(x, (4,), w, b), x, w, b)


def layer_norm_of_two_dims(torch):
    return weighted(torch, lambda x: torch.nn.functional.layer_norm(x, (3, 4)), filled(torch, 2, 3, 4))


def layer_norm_wrong_shape(torch):
    return torch.nn.functional.layer_norm(torch.ones(2, 3), (4,))


def layer_norm_second_derivative(torch):
    x = filled(torch, 2, 3)
    (first,) = torch.autograd.grad((torch.nn.functional.layer_norm(x, (3,)) ** 3).sum(), x, create_graph=True)
    return torch.autograd.grad(first.square().sum(), x)


def dropout_extremes(torch):
    F, x = torch.nn.functional, torch.ones(5, requires_grad=True)
    return (
        F.dropout(x, 0.0),
        F.dropout(x, 1.0),
        F.dropout(x, 0.5, training=False),
        F.dropout(x, 0.5, training=False) is x,
    )


def dropout_scales(torch):
    x = torch.ones(1000, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    values = sorted(set(round(each, 4) for each in y.tolist()))
    return values, torch.equal(x.grad, y.detach())


def dropout_wrong_probability(torch):
    return torch.nn.functional.dropout(torch.ones(1), 1.5)


def padding_constant(torch):
    x = torch.ones(1, 2, requires_grad=True)
    y = torch.nn.functional.pad(x, (1, 0, 0, 1), value=5)
    return y, torch.autograd.grad(y.sum(), x)


def normalize_rows(torch):
    return weighted(torch, lambda x: torch.nn.functional.normalize(x, dim=1), filled(torch, 2, 3))


def graph_of_a_small_network(torch):
    F = torch.nn.functional
    x = F.relu(F.conv2d(torch.ones(1, 1, 4, 4), filled(torch, 2, 1, 3, 3, dtype="float32")))
    return chain(F.max_pool2d(x, 2).flatten(1))
