"""What gradients tell of themselves where the backward pass was recorded: the names of their nodes, again and again."""

from __future__ import annotations


def names_and_values(torch, function, x, times=3):
    """Values and names of nodes of a result and of its derivatives, until one has no history."""
    found, made = [], function(x)
    for _ in range(times):
        found.append((made.detach(), type(made.grad_fn).__name__))
        if made.grad_fn is None:
            break
        (made,) = torch.autograd.grad(made.sum(), x, create_graph=True)
    return found


def powers_of_a_number(torch):
    x = torch.tensor(3.0, requires_grad=True, dtype=torch.float64)
    functions = [torch.square, lambda x: x**2, lambda x: x.pow(2.0), lambda x: x**3, lambda x: x**-1, lambda x: x**1]
    return [names_and_values(torch, function, x, 5) for function in functions]


def powers_of_a_vector(torch):
    x = torch.tensor([1.0, -2.0], requires_grad=True, dtype=torch.float64)
    functions = [lambda x: (x**2).sum(), lambda x: x.square().mean(), lambda x: (x**3).sum(), lambda x: x[0] ** 2]
    return [names_and_values(torch, function, x) for function in functions]


def a_number_that_was_broadcast(torch):
    w = torch.tensor(2.0, requires_grad=True, dtype=torch.float64)
    x = torch.arange(4.0, dtype=torch.float64)
    functions = [
        lambda w: ((w * x - 1) ** 2).mean(),
        lambda w: (w * x.view(2, 2)).exp().sum(),
        lambda w: w.expand(2, 3).pow(2).sum(),
        lambda w: (w * torch.ones(3, dtype=torch.complex128)).abs().sum(),
        lambda w: (w + torch.ones(1, 1, dtype=torch.complex128)).abs().sum(),
        lambda w: (w * torch.ones(0, dtype=torch.float64)).sum(),
    ]
    return [names_and_values(torch, function, w, 2) for function in functions]


def elements_that_were_moved(torch):
    x = torch.tensor([3.0, 1.0], requires_grad=True, dtype=torch.float64)
    first = torch.tensor([0])
    functions = [
        lambda x: x.cumsum(0).pow(2).sum(),
        lambda x: x.index_select(0, first)[0] ** 2,
        lambda x: x.gather(0, first)[0] ** 2,
        lambda x: x.sort()[0][0] ** 2,
        lambda x: x.max(0)[0] ** 2,
        lambda x: x.median(0)[0] ** 2,
        lambda x: x.topk(1)[0].sum() ** 2,
        lambda x: x.as_strided((2,), (1,)).pow(2).sum(),
    ]
    return [names_and_values(torch, function, x, 2) for function in functions]


def a_gate(torch):
    x = torch.tensor([3.0, -1.0], requires_grad=True, dtype=torch.float64)
    return names_and_values(torch, lambda x: torch.nn.functional.silu(x).sum(), x)


def names_of(torch, function, *tensors):
    """The names of what made the recorded gradients of a function, and what its second derivatives add up to."""
    tensors = [each.detach().clone().requires_grad_() for each in tensors]
    result = function(*tensors)
    weight = torch.linspace(0.5, 1.5, result.numel(), dtype=torch.float64).reshape(result.shape).requires_grad_()
    grads = torch.autograd.grad(result, tensors, weight, create_graph=True)
    names = [None if each.grad_fn is None else each.grad_fn.name() for each in grads]
    total = sum(each.pow(2).sum() for each in grads)
    seconds = torch.autograd.grad(total, [*tensors, weight], allow_unused=True)
    return [names, [None if each is None else each.sum() for each in seconds]]


def losses_and_activations(torch):
    functional = torch.nn.functional
    x = torch.tensor([[0.3, -0.7], [1.2, 0.05]], dtype=torch.float64)
    y = torch.tensor([[0.5, 0.4], [-0.3, 1.9]], dtype=torch.float64)
    found = []
    for reduction in ("mean", "sum", "none"):
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"):
            loss = getattr(functional, name)
            found.append(names_of(torch, lambda a, b: loss(a, b, reduction=reduction), x, y))  # noqa: B023
        found.append(names_of(torch, lambda a: functional.nll_loss(a, torch.tensor([0, 1]), reduction=reduction), x))  # noqa: B023
    for name in ("elu", "selu", "celu", "softplus", "logsigmoid", "glu", "rrelu"):
        found.append(names_of(torch, getattr(functional, name), x))
    found.append(names_of(torch, functional.prelu, x, torch.tensor([0.25, 0.5], dtype=torch.float64)))
    return found


def pairs_and_parts(torch):
    functional = torch.nn.functional
    x = torch.tensor([[0.3, -0.7, 2.0], [1.2, 0.05, -1.0], [0.1, 0.2, 0.4]], dtype=torch.float64)
    y = x.flip(0)
    mask = x > 0
    return [
        *[names_of(torch, getattr(torch, name), x, y) for name in ("hypot", "logaddexp", "maximum", "minimum")],
        *[names_of(torch, getattr(torch, name), x) for name in ("mean", "deg2rad", "rad2deg")],
        names_of(torch, lambda x: x.mean(1), x),
        names_of(torch, lambda x: x.split(2)[0], x),
        names_of(torch, lambda x: x.chunk(2, 1)[1], x),
        names_of(torch, lambda x: x.unbind(1)[1], x),
        names_of(torch, lambda x: x[[0, 2]], x),
        names_of(torch, lambda x: x[mask], x),
        names_of(torch, lambda x: x.masked_select(mask), x),
        names_of(torch, functional.linear, x, y, x[0]),
        names_of(torch, lambda x: functional.pad(x, (1, 1), mode="reflect"), x)[0],
        names_of(torch, lambda x: functional.pad(x, (1, 1), mode="replicate"), x)[0],
        names_of(torch, lambda x: functional.interpolate(x[None], scale_factor=2, mode="nearest"), x),
        names_of(torch, lambda x: functional.interpolate(x[None, None], size=5, mode="bicubic"), x),
    ]


def of_constants(torch, function, *tensors):
    """As `names_of`, where the gradients depend on the operands alone: on what they are multiplied by they do not."""
    tensors = [each.detach().clone().requires_grad_() for each in tensors]
    result = function(*tensors)
    weight = torch.linspace(0.5, 1.5, result.numel(), dtype=torch.float64).reshape(result.shape)
    grads = torch.autograd.grad(result, tensors, weight, create_graph=True)
    names = [None if each.grad_fn is None else each.grad_fn.name() for each in grads]
    total = sum(each.pow(2).sum() for each in grads)
    seconds = torch.autograd.grad(total, tensors, allow_unused=True)
    return [names, [None if each is None else each.sum() for each in seconds]]


def numbers(torch, *shape):
    """Numbers that go up and down, no two alike."""
    count = torch.tensor(shape).prod().item()
    return (torch.arange(count, dtype=torch.float64) * 0.7).sin().reshape(shape)


def pools_that_are_flat(torch):
    functional = torch.nn.functional
    found = []
    for dims in (1, 2, 3):
        x = numbers(torch, 1, 2, *[6] * dims)
        for name in (f"max_pool{dims}d", f"avg_pool{dims}d", f"adaptive_max_pool{dims}d", f"adaptive_avg_pool{dims}d"):
            found.append(of_constants(torch, lambda x: getattr(functional, name)(x, 2), x))  # noqa: B023
    for dims in (2, 3):
        x, draws = numbers(torch, 1, 2, *[6] * dims), torch.full((1, 2, dims), 0.3, dtype=torch.float64)
        pool = getattr(functional, f"fractional_max_pool{dims}d")
        found.append(of_constants(torch, lambda x: pool(x, 2, output_size=3, _random_samples=draws), x))  # noqa: B023
    return found


def layers_with_a_bias(torch):
    functional = torch.nn.functional
    x, weight, bias = numbers(torch, 2, 3, 5), numbers(torch, 3, 3, 2), numbers(torch, 3)
    return [
        of_constants(torch, functional.conv1d, x, weight, bias),
        of_constants(torch, functional.conv_transpose1d, x, weight, bias),
        of_constants(torch, lambda x, w, b: functional.batch_norm(x, None, None, w, b, True), x, bias + 1, bias),
        of_constants(torch, lambda x, w, b: functional.layer_norm(x, (5,), w, b), x, x[0, 0] + 1, x[0, 0]),
        of_constants(torch, lambda x, w, b: functional.instance_norm(x, None, None, w, b), x, bias + 1, bias),
    ]


def places_of_a_grid(torch):
    x, grid = numbers(torch, 1, 2, 4, 4), numbers(torch, 1, 3, 3, 2) * 0.8
    sample = torch.nn.functional.grid_sample
    return [
        of_constants(torch, lambda x, grid: sample(x, grid, mode=mode, align_corners=False), x, grid)  # noqa: B023
        for mode in ("bilinear", "nearest", "bicubic")
    ]


def inputs_that_were_written_to(torch):
    functional = torch.nn.functional
    found = []
    for pool in (functional.max_pool2d, functional.avg_pool2d, functional.adaptive_avg_pool2d):
        x = numbers(torch, 1, 2, 4, 4).requires_grad_()
        copy = x.clone()
        result = pool(copy, 2)
        copy.add_(1)
        try:
            found.append(result.sum().backward())
        except RuntimeError as error:
            found.append("modified by an inplace operation" in str(error))
    return found


def outputs_of_recurrent_layers(torch):
    found = []
    for kind in (torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM):
        output, _ = kind(3, 4, batch_first=True)(torch.ones(2, 5, 3))
        found.append([output.grad_fn.name(), output._is_view(), output._version, output.stride()])
    return found


def writes_to_outputs_of_recurrent_layers(torch):
    found = []
    for kind in (torch.nn.RNN, torch.nn.GRU):
        for options in ({}, {"batch_first": True}, {"num_layers": 2, "bidirectional": True}):
            layer = kind(3, 2, dtype=torch.float64, **options)
            for parameter in layer.parameters():
                parameter.data.copy_(numbers(torch, *parameter.shape))
            output, _ = layer(numbers(torch, 2, 4, 3))
            output[:, 0] = 0
            output.mul_(2).square().sum().backward()
            found.append([parameter.grad for parameter in layer.parameters()])
    return found
