"""torch.nn.utils: orthogonal weights, fused layers, tools; what is older in torch.nn and torch.nn.init."""

from __future__ import annotations

import warnings

from tests.parity.programs.common import caught, filled, values


def orthogonal_of(torch, shape, orthogonal_map, use_trivialization=True, dtype="float64"):
    """The weight, its gradient, names of the state."""
    layer = torch.nn.Linear(shape[1], shape[0], dtype=getattr(torch, dtype))
    with torch.no_grad():
        layer.weight.copy_(values(torch, *shape) + torch.eye(*shape, dtype=torch.float64))
    make = torch.nn.utils.parametrizations.orthogonal
    make(layer, "weight", orthogonal_map, use_trivialization=use_trivialization)
    with torch.no_grad():
        layer.parametrizations.weight.original.add_(values(torch, *shape, shift=3) / 4)
    weight = layer.weight
    (weight * values(torch, *shape, shift=5)).sum().abs().backward()
    square = weight.shape[0] == weight.shape[1]
    grad = layer.parametrizations.weight.original.grad
    columns = min(shape)
    gram = weight.mH @ weight if shape[0] >= shape[1] else weight @ weight.mH
    known = (weight.detach(), grad) if square or not use_trivialization else ()
    right = bool(torch.allclose(gram, torch.eye(columns, dtype=gram.dtype), atol=1e-10))
    return known, right, list(layer.state_dict()), repr(layer)


def orthogonal_square(torch):
    return [orthogonal_of(torch, (4, 4), each) for each in (None, "matrix_exp", "cayley", "householder")]


def orthogonal_without_base(torch):
    maps = ("matrix_exp", "cayley", "householder")
    return [orthogonal_of(torch, shape, each, False) for each in maps for shape in ((4, 4), (5, 3), (2, 4))]


def orthogonal_of_other_shapes(torch):
    return [orthogonal_of(torch, shape, each) for each in (None, "matrix_exp", "cayley") for shape in ((5, 3), (2, 4))]


def orthogonal_complex(torch):
    return [orthogonal_of(torch, (3, 3), each, False, "complex128") for each in ("matrix_exp", "cayley")]


def orthogonal_is_assigned(torch):
    layer = torch.nn.Linear(3, 3, dtype=torch.float64)
    torch.nn.utils.parametrizations.orthogonal(layer)
    layer.weight = torch.tensor([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]], dtype=torch.float64)
    fixed = torch.nn.Linear(3, 3, dtype=torch.float64)
    torch.nn.utils.parametrizations.orthogonal(fixed, orthogonal_map="cayley", use_trivialization=False)

    def assign():
        fixed.weight = torch.eye(3, dtype=torch.float64)

    return layer.weight, caught(assign)


def orthogonal_refusals(torch):
    make = torch.nn.utils.parametrizations.orthogonal
    return (
        caught(lambda: make(torch.nn.Linear(2, 2), "bias")),
        caught(lambda: make(torch.nn.Linear(2, 2), "other")),
        caught(lambda: make(torch.nn.Linear(2, 2), "weight", "other")),
        caught(lambda: make(torch.nn.Linear(2, 2, dtype=torch.complex64), "weight", "householder")),
    )


def norm_of(torch, kind, *options):
    """A normalisation with statistics, in evaluation mode."""
    layer = filled(torch, kind(*options))
    layer.running_mean.copy_(values(torch, *layer.running_mean.shape).detach())
    layer.running_var.copy_(values(torch, *layer.running_var.shape, shift=2).detach() + 2)
    return layer.eval()


def fused_convolutions(torch):
    nn, found = torch.nn, []
    for conv, transpose in (
        (nn.Conv2d(2, 3, 2), False),
        (nn.Conv2d(2, 3, 2, bias=False), False),
        (nn.Conv2d(2, 4, 1, groups=2), False),
        (nn.ConvTranspose2d(2, 3, 2), True),
    ):
        conv = filled(torch, conv).eval()
        for affine in (True, False):
            norm = norm_of(torch, nn.BatchNorm2d, conv.out_channels, 1e-3, 0.1, affine)
            fused = nn.utils.fuse_conv_bn_eval(conv, norm, transpose)
            x = values(torch, 2, 2, 4, 4)
            found.append((fused.weight, fused.bias, repr(fused), torch.allclose(fused(x), norm(conv(x)))))
    return found


def fused_linear_layers(torch):
    nn, found = torch.nn, []
    for bias in (True, False):
        linear = filled(torch, nn.Linear(3, 4, bias)).eval()
        norm = norm_of(torch, nn.BatchNorm1d, 4)
        fused = nn.utils.fuse_linear_bn_eval(linear, norm)
        x = values(torch, 2, 3)
        found.append((fused.weight, fused.bias, torch.allclose(fused(x), norm(linear(x)))))
    wide = nn.utils.fuse_linear_bn_eval(filled(torch, nn.Linear(3, 4)).eval(), norm_of(torch, nn.BatchNorm1d, 1))
    return found, wide.weight, wide.bias


def fusion_refused(torch):
    nn = torch.nn
    fuse = nn.utils.fuse_linear_bn_eval
    return (
        caught(lambda: nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))),
        caught(lambda: fuse(nn.Linear(1, 1).eval(), nn.BatchNorm1d(1))),
        caught(lambda: fuse(nn.Linear(1, 4).eval(), nn.BatchNorm1d(3).eval())),
    )


def modules_without_a_start(torch):
    skip = torch.nn.utils.skip_init
    made = skip(torch.nn.Linear, 2, 3, dtype=torch.float64)
    return made.weight.shape, made.weight.dtype, str(made.weight.device), caught(lambda: skip(torch.nn.ReLU))


def weights_in_another_order(torch):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 2), torch.nn.Linear(2, 2))
    before = model[0].weight.clone()
    same = torch.nn.utils.convert_conv2d_weight_memory_format(model, torch.channels_last)
    deep = torch.nn.utils.convert_conv3d_weight_memory_format(torch.nn.Conv3d(3, 4, 2), torch.channels_last_3d)
    return same is model, model[0].weight.stride(), bool((before == model[0].weight).all()), deep.weight.stride()


def older_names(torch):
    found = []
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        found.append(torch.nn.init.constant(torch.empty(2, 2), 3.0))
        found.append(torch.nn.init.eye(torch.empty(2, 2)))
        found.append(torch.nn.init.dirac(torch.empty(2, 2, 3)))
        for name in (
            "uniform",
            "normal",
            "xavier_uniform",
            "xavier_normal",
            "kaiming_uniform",
            "kaiming_normal",
            "orthogonal",
        ):
            found.append(getattr(torch.nn.init, name)(torch.empty(2, 2)).shape)
        found.append(torch.nn.init.sparse(torch.empty(2, 2), 0.5).shape)
        found.append(torch.nn.utils.clip_grad_norm([torch.ones(1)], 1.0))
        found.append(repr(torch.nn.Container(a=torch.nn.Linear(1, 1), b=torch.nn.ReLU())))
    return found, [(each.category.__name__, str(each.message)) for each in noted]


def data_parallel_without_accelerators(torch):
    inner = filled(torch, torch.nn.Linear(2, 1))
    model = torch.nn.DataParallel(inner)
    return (
        model(values(torch, 3, 2)),
        list(model.state_dict()),
        repr(model),
        model.module is inner,
        model.device_ids,
        isinstance(model, torch.nn.parallel.DataParallel),
        caught(lambda: torch.nn.parallel.DistributedDataParallel(inner)),
    )
