"""bfloat16 and float16: what is computed in float32 and rounded once; promotion, casts, gradients, training."""

from __future__ import annotations

import numpy as np

NAMES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def bits(torch, tensor):
    """The very numbers of a half tensor."""
    return tensor.detach().contiguous().view(torch.int16)


def values(torch, kind, *shape):
    """Numbers that follow from a seed, rounded to a half."""
    count = int(np.prod(shape))
    numbers = np.sin(np.arange(1, count + 1) * 1.7) * 3
    return torch.tensor(numbers.reshape(shape)).to(kind)


def limits(torch):
    found = torch.finfo(torch.bfloat16)
    return [found.bits, found.eps, found.max, found.min, found.tiny, found.resolution, found.dtype, repr(found)]


def types_that_all_pairs_promote_to(torch):
    kinds = [getattr(torch, name) for name in NAMES]
    return [[torch.promote_types(torch.bfloat16, each), torch.promote_types(each, torch.bfloat16)] for each in kinds]


def types_of_sums_with_tensors_of_every_kind(torch):
    half = torch.ones(2, dtype=torch.bfloat16)
    others = [torch.ones(shape, dtype=getattr(torch, name)) for name in NAMES for shape in ((2,), ())]
    return [[(half + each).dtype, (each * half).dtype, (half[0] * each).dtype] for each in others]


def numbers_of_python_and_numpy_beside_halves(torch):
    half = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    numbers = (2.5, 3, True, 1.003, np.float32(1.5), np.float64(1.5), np.float16(1.5), np.int64(3), np.bool_(True))
    return [[half + each, half * each, each - half, half / each] for each in numbers]


def numbers_that_a_half_cannot_hold(torch):
    half = torch.tensor([1.0, 2.0, 100.0], dtype=torch.bfloat16)
    return [half + 257, half * 1.003, half / 1.003, half < 1.003, half == 1.003, half + torch.tensor(257)]


def tensors_without_dimensions_beside_halves(torch):
    half, number = torch.tensor([100.0], dtype=torch.bfloat16), torch.tensor(1.003)
    return [half * number, half / number, number * half, half + number, half.maximum(number), half < number]


def casts_between_all_types(torch):
    given = torch.tensor([0.0, 1.0, 2.71828, -3.0, 100.4])
    kinds = [getattr(torch, name) for name in NAMES if name != "uint8" and "complex" not in name]
    return [[given.bfloat16().to(each), given.to(each).to(torch.bfloat16)] for each in kinds]


def casts_of_numbers_too_large(torch):
    wide = torch.tensor([1e39, 3.39e38, 3.4e38, -1e40, float("nan"), 1e-45], dtype=torch.float64)
    return [wide.to(torch.bfloat16), wide.to(torch.float16), torch.tensor(1e40, dtype=torch.bfloat16)]


def numbers_that_do_not_fit(torch):
    return torch.full((2,), 1e40, dtype=torch.bfloat16)


def bits_of_rounded_numbers(torch):
    given = torch.tensor([1.0, 1.00390625, 1.01171875, 3.14159, 1e-40, -0.0])
    return [bits(torch, given.bfloat16()), bits(torch, given.bfloat16()).view(torch.bfloat16)]


def factories(torch):
    kind = torch.bfloat16
    return [
        torch.zeros(2, dtype=kind),
        torch.full((2,), 3.3, dtype=kind),
        torch.arange(0, 3, 0.5, dtype=kind),
        torch.eye(2, dtype=kind),
        torch.ones_like(torch.ones(2), dtype=kind),
        torch.tensor([1, 2], dtype=kind),
        torch.ones(2, dtype=kind).new_tensor([1.5]),
        torch.as_tensor([1.25], dtype=kind),
    ]


def even_numbers(torch):
    torch.manual_seed(3)
    return [torch.rand(5, dtype=torch.bfloat16), torch.randn(3, dtype=torch.bfloat16)]


def arrays_of_numpy(torch):
    return torch.ones(2, dtype=torch.bfloat16).numpy()


def texts(torch):
    half = torch.tensor([1e-5, 1e5, 3.3], dtype=torch.bfloat16)
    return [repr(half), repr(half[2]), half.tolist(), half[2].item(), f"{half[2]:.3f}", half.type(), str(half.dtype)]


def bits_of_pointwise_functions(torch):
    found = []
    for kind in (torch.bfloat16, torch.float16):
        x, y = values(torch, kind, 40), values(torch, kind, 40).abs() + 0.5
        for each in (x + y, x - y, x * y, x / y, x.exp(), y.log(), y.sqrt(), x.sigmoid(), x.relu(), x.abs()):
            found.append(bits(torch, each))
    return found


def sums_are_those_of_float32(torch):
    found = []
    for kind in (torch.bfloat16, torch.float16):
        ones = torch.ones(1000, dtype=kind)
        long = torch.full((1000,), 0.1, dtype=kind)
        found += [ones.sum(), ones.mean(), ones.cumsum(0)[-1], long.sum(), long.norm(), long.var(), ones.dot(long)]
        found += [ones.sum(dtype=torch.float32), ones.float().sum(dtype=kind)]
    return found


def products_of_matrices(torch):
    found = []
    for kind in (torch.bfloat16, torch.float16):
        a, b = values(torch, kind, 5, 7), values(torch, kind, 7, 3)
        found += [a @ b, a.mv(b[:, 0]), torch.bmm(a[None], b[None]), torch.addmm(b[:5, :3], a, b, beta=0.5)]
    return found


def matrices_of_different_types(torch):
    return torch.ones(2, 2, dtype=torch.bfloat16) @ torch.ones(2, 2)


def layers(torch):
    functional = torch.nn.functional
    x = values(torch, torch.bfloat16, 2, 4, 6, 6)
    weight = values(torch, torch.bfloat16, 3, 4, 3, 3)
    return [
        functional.conv2d(x, weight),
        functional.max_pool2d(x, 2),
        functional.avg_pool2d(x, 2),
        functional.softmax(x, 1),
        functional.log_softmax(x, -1),
        functional.layer_norm(x, (6, 6)),
        functional.group_norm(x, 2),
        functional.batch_norm(x, None, None, training=True),
        functional.gelu(x),
        functional.batch_norm(x, torch.zeros(4), torch.ones(4)),
        functional.interpolate(x, scale_factor=2),
    ]


def losses(torch):
    functional = torch.nn.functional
    x, y = values(torch, torch.bfloat16, 4, 5), values(torch, torch.bfloat16, 4, 5).sigmoid()
    target = torch.tensor([1, 0, 4, 2])
    return [
        functional.cross_entropy(x, target),
        functional.mse_loss(x, y),
        functional.l1_loss(x, y),
        functional.binary_cross_entropy_with_logits(x, y),
        functional.smooth_l1_loss(x, y),
    ]


def gradients(torch):
    x = values(torch, torch.bfloat16, 3, 4).requires_grad_()
    weight = values(torch, torch.bfloat16, 4, 2).requires_grad_()
    ((x @ weight).tanh() * x[:, :2]).sum().backward()
    return [x.grad, weight.grad]


def gradients_of_casts(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    made = x.bfloat16()
    (made * made).sum().backward()
    return [x.grad, made.grad_fn.name()]


def writes(torch):
    x = torch.ones(3, dtype=torch.bfloat16)
    x.add_(1.003).mul_(torch.tensor([1.0, 2.0, 3.0], dtype=torch.bfloat16))
    x[1] = 7.3
    x[2:].copy_(torch.tensor([0.1]))
    x.index_add_(0, torch.tensor([0, 0]), torch.ones(2, dtype=torch.bfloat16))
    return [x, torch.zeros(3).add_(x), torch.zeros(3, dtype=torch.bfloat16).add_(torch.tensor([1.003, 2.0, 3.0]))]


def views_share_memory(torch):
    x = torch.zeros(2, 3, dtype=torch.bfloat16)
    x.t()[0] = 5
    x.view(-1)[1:].unfold(0, 2, 2)[0] += 1
    return [x, x.expand(2, 2, 3).stride(), x.diagonal()._base is x]


def limits_of_their_own(torch):
    infinite = torch.tensor([float("inf"), -float("inf"), float("nan")])
    x = torch.tensor([1.0, 2.0])
    kinds = (torch.bfloat16, torch.float16)
    return [[infinite.to(each).nan_to_num(), x.to(each).nextafter(x.to(each) * 2)] for each in kinds]


def training(torch):
    torch.manual_seed(0)
    found = []
    for make in (
        lambda each: torch.optim.SGD(each, lr=0.01, momentum=0.9),
        lambda each: torch.optim.Adam(each, lr=0.01),
        lambda each: torch.optim.RMSprop(each, lr=0.01),
    ):
        model = torch.nn.Linear(3, 2).bfloat16()
        with torch.no_grad():
            model.weight.copy_(values(torch, torch.bfloat16, 2, 3))
            model.bias.zero_()
        optimizer = make(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(values(torch, torch.bfloat16, 4, 3)).tanh().mean().backward()
            optimizer.step()
        found += [model.weight, model.bias, model.weight.grad]
    return found


def a_module_in_another_type(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    model.to(torch.bfloat16)
    return [each.dtype for each in model.state_dict().values()]


def a_default_type(torch):
    torch.set_default_dtype(torch.bfloat16)
    try:
        whole = torch.tensor([1, 2])
        return [torch.tensor([1.5]), torch.zeros(2), whole.sqrt(), whole / 3, whole + 0.5, torch.get_default_dtype()]
    finally:
        torch.set_default_dtype(torch.float32)


def operators_that_do_not_exist(torch):
    return torch.ones(2, dtype=torch.bfloat16) & 1


def operators_that_refuse_halves(torch):
    return torch.linalg.inv(torch.eye(2, dtype=torch.bfloat16))


def draws_in_place(torch):
    found = []
    for kind in (torch.bfloat16, torch.float16):
        for name, given in (("random_", ()), ("random_", (30,)), ("uniform_", (-3, 5)), ("normal_", (2, 3))):
            torch.manual_seed(0)
            found.append(getattr(torch.empty(4, dtype=kind), name)(*given))
    torch.manual_seed(0)
    return [*found, torch.dropout(torch.ones(6, dtype=torch.bfloat16), 0.5, True)]
