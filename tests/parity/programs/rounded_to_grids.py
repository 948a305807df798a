"""Numbers rounded to grids as quantised networks hold them: values, derivatives, refusals."""

from __future__ import annotations

from tests.parity.programs.common import caught, node_name

INF, NAN = float("inf"), float("nan")
HOSTILE = [-30.0, -1.0, -0.25, 0.0, 0.05, 0.15, 0.25, 0.949, 12.75, 12.8, 25.0, 100.0, INF, -INF, NAN, 1e30]


def integers(torch, *values):
    return torch.tensor(values, dtype=torch.int32)


def one_grid_for_all(torch):
    x, found = torch.tensor(HOSTILE), []
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        found.append(torch.fake_quantize_per_tensor_affine(x.to(dtype), 0.1, 3, -128, 127))
        found.append(torch.fake_quantize_per_tensor_affine(x.to(dtype), 0.0123, 0, 0, 255))
    found.append(torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.1), torch.tensor(3), -128, 127))
    found.append(torch.fake_quantize_per_tensor_affine(x, torch.tensor([0.1]), integers(torch, 300), -128, 127))
    found.append(torch.fake_quantize_per_tensor_affine(x, 0.0, 0, -128, 127))
    found.append(torch.fake_quantize_per_tensor_affine(x, -0.1, 1, -128, 127))
    return found


def a_grid_for_each_channel(torch):
    x = torch.linspace(-2, 3, 24).reshape(2, 3, 4)
    scale, found = torch.tensor([0.1, 0.25, 0.3]), []
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        found.append(torch.fake_quantize_per_channel_affine(x.to(dtype), scale, integers(torch, 3, -3, 0), 1, -8, 7))
    found.append(torch.fake_quantize_per_channel_affine(x, scale, torch.tensor([0.5, 1.25, -2.0]), 1, -8, 7))
    hostile = torch.tensor(HOSTILE).reshape(2, 8)
    return found, torch.fake_quantize_per_channel_affine(hostile, scale[:2], integers(torch, 3, -3), 0, -128, 127)


def rounding_counts_as_the_identity(torch):
    x = torch.tensor(HOSTILE, requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127)
    (first,) = torch.autograd.grad(y.nan_to_num(0, 0, 0).pow(2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    z = torch.fake_quantize_per_channel_affine(
        x.reshape(2, 8), torch.tensor([0.1, 0.2]), integers(torch, 3, -3), 0, -128, 127
    )
    (channels,) = torch.autograd.grad(z.sum(), x, retain_graph=True)
    saved = [each for each in dir(y.grad_fn) if each.startswith("_saved")]
    return node_name(y), first, second, node_name(z), channels, saved, y.grad_fn._saved_mask


def what_does_not_fit_is_refused(torch):
    x, tensor, channel = torch.ones(2, 3), torch.fake_quantize_per_tensor_affine, torch.fake_quantize_per_channel_affine
    scale, zero = torch.tensor([0.1, 0.2]), integers(torch, 0, 1)
    found = [caught(lambda: tensor(x, 0.1, 300, 0, 255)), caught(lambda: tensor(x.int(), 0.1, 0, 0, 255))]
    found += [caught(lambda: tensor(x, scale, zero, 0, 255)), caught(lambda: tensor(x, torch.tensor(0.1), 300, 0, 255))]
    found += [
        caught(lambda: channel(x, scale.double(), zero, 0, 0, 9)),
        caught(lambda: channel(x, scale, zero.long(), 0, 0, 9)),
    ]
    found += [caught(lambda: channel(x, scale, zero, 1, 0, 9)), caught(lambda: channel(x, scale, zero[:1], 0, 0, 9))]
    found += [caught(lambda: channel(x, scale[None], zero, 0, 0, 9)), caught(lambda: channel(x, scale, zero, -2, 0, 9))]
    found += [caught(lambda: channel(x, scale, zero, 2, 0, 9)), caught(lambda: channel(x, scale, zero + 9, 0, 0, 9))]
    found += [caught(lambda: channel(x, scale.requires_grad_(), zero, 0, 0, 9))]
    return [(type(each).__name__, str(each).partition(" (operator")[0]) for each in found]
