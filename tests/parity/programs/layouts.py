"""How results lie in memory: strides of every kind of operator for inputs in several orders."""

from __future__ import annotations


def ordered(torch, shape, order):
    """Numbers of the given shape whose dimensions lie in memory in the given order, the outermost first."""
    back = sorted(range(len(order)), key=order.__getitem__)
    whole = torch.arange(1.0, 1.0 + torch.ones(shape).numel()).reshape(shape) / 7
    return whole.permute(order).contiguous().permute(back)


def inputs(torch):
    """A block in every order, with gaps, expanded, and with channels innermost."""
    shape = (2, 3, 4)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    blocks = [ordered(torch, shape, order) for order in orders]
    whole = ordered(torch, (3, 5, 9), (2, 1, 0))
    blocks += [whole[1:, 1:4, 1::2], ordered(torch, (3, 5, 9), (0, 1, 2))[:2, ::2, 1:5]]
    blocks += [ordered(torch, (1, 3, 4), (2, 1, 0)).expand(shape), ordered(torch, (2, 3, 1), (1, 0, 2)).expand(shape)]
    return blocks


def over(torch, function):
    """The strides of what `function` makes of each block."""
    return [told(function(block)) for block in inputs(torch)]


def told(result):
    if isinstance(result, (tuple, list)):
        return [told(each) for each in result]
    return list(result.shape), list(result.stride()), result.is_contiguous()


def softmax_of_transposed_can_be_viewed(torch):
    x = torch.arange(6.0).reshape(2, 3)
    return x.t().softmax(-1).view(-1), x.t().log_softmax(0).view(-1)


def cumsum_of_transposed_can_be_viewed(torch):
    x = torch.arange(6.0).reshape(2, 3)
    return x.t().cumsum(0).view(-1), x.t().cumprod(1).view(-1), x.t().sum(0, True).view(-1)


def pointwise(torch):
    return (
        over(torch, lambda x: x.exp()),
        over(torch, lambda x: x * 2),
        over(torch, lambda x: x.relu()),
        over(torch, lambda x: x > 1),
        over(torch, lambda x: x.isnan()),
        over(torch, lambda x: x.clamp(0.5, 1.0)),
        over(torch, lambda x: x.double()),
        over(torch, lambda x: x.logical_not()),
    )


def pointwise_of_two(torch):
    blocks = inputs(torch)
    return (
        [told(x + y) for x in blocks for y in blocks],
        [told(torch.sub(x, y.double(), alpha=2)) for x in blocks for y in blocks[::2]],
        [told(x.lt(y)) for x in blocks for y in blocks[1::2]],
        [told(torch.rsub(x, y)) for x in blocks for y in blocks[::3]],
    )


def pointwise_of_three(torch):
    blocks = inputs(torch)[:6]
    return (
        [told(torch.where(x > 1, y, blocks[at])) for at, x in enumerate(blocks) for y in blocks],
        [told(torch.addcmul(x, y, blocks[at])) for at, x in enumerate(blocks) for y in blocks],
        [told(torch.lerp(x, y, blocks[at])) for at, x in enumerate(blocks) for y in blocks],
    )


def broadcast(torch):
    blocks = inputs(torch)
    row, column, plane = torch.ones(4), torch.ones(2, 1, 1), ordered(torch, (3, 4), (1, 0))
    return (
        [told(x * row) for x in blocks],
        [told(column + x) for x in blocks],
        [told(x - plane) for x in blocks],
        [told(plane.div(x)) for x in blocks],
        [told(x[0] + x[1, :, :1]) for x in blocks],
    )


def reductions_and_scans(torch):
    return (
        over(torch, lambda x: x.sum(1)),
        over(torch, lambda x: x.mean((0, 2), True)),
        over(torch, lambda x: x.amax(0)),
        over(torch, lambda x: x.max(2)),
        over(torch, lambda x: x.var(1)),
        over(torch, lambda x: x.logsumexp(0)),
        over(torch, lambda x: x.prod(1, True)),
        over(torch, lambda x: x.any(2)),
        over(torch, lambda x: x.cumsum(0)),
        over(torch, lambda x: x.cumprod(2)),
        over(torch, lambda x: x.softmax(1)),
        over(torch, lambda x: torch.linalg.vector_norm(x, dim=0) if hasattr(torch, "linalg") else x.norm(dim=0)),
    )


def copies(torch):
    return (
        over(torch, lambda x: x.clone()),
        over(torch, lambda x: x.clone(memory_format=torch.contiguous_format)),
        over(torch, lambda x: x.contiguous()),
        over(torch, lambda x: x.to(torch.float64)),
        over(torch, torch.zeros_like),
        over(torch, lambda x: torch.full_like(x, 2.0, memory_format=torch.contiguous_format)),
        over(torch, lambda x: x.flip(0)),
        over(torch, lambda x: x.roll(1, 0)),
        over(torch, lambda x: x.repeat(1, 2, 1)),
        over(torch, lambda x: x.reshape(-1)),
        over(torch, lambda x: x.flatten(1)),
    )


def gathered(torch):
    two, place = torch.tensor([1, 0]), torch.tensor([[1, 2], [0, 1]])
    return (
        over(torch, lambda x: x[two]),
        over(torch, lambda x: x[:, two]),
        over(torch, lambda x: x[:, :, place.t()]),
        over(torch, lambda x: x[two, :, two]),
        over(torch, lambda x: x[two, two]),
        over(torch, lambda x: x[x > 1]),
        over(torch, lambda x: x.index_select(1, two)),
        over(torch, lambda x: x.gather(0, torch.zeros(4, 3, 2, dtype=torch.int64).permute(2, 1, 0))),
        over(torch, lambda x: x.nonzero()),
        over(torch, lambda x: torch.stack([x, x], 1)),
        over(torch, lambda x: torch.cat([x, x], 2)),
        over(torch, lambda x: x.masked_fill(x > 1, 0.0)),
        over(torch, lambda x: x.index_fill(1, two, 0.0)),
        over(torch, lambda x: x.index_add(0, two, x)),
        over(torch, lambda x: x.tril()),
    )


def products(torch):
    return (
        over(torch, lambda x: x @ x.transpose(1, 2)),
        over(torch, lambda x: torch.nn.functional.linear(x, torch.ones(5, 4))),
        over(torch, lambda x: torch.nn.functional.layer_norm(x, (4,))),
        over(torch, lambda x: torch.nn.functional.rms_norm(x, (4,))),
        over(torch, lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)),
        over(torch, lambda x: torch.nn.functional.one_hot(x.long())),
    )


def transposed_convolution(torch, x, kernel):
    return torch.convolution(x, kernel, None, (1, 1), (0, 0), (1, 1), True, (0, 0), 1)


def images(torch):
    """Channels stay innermost where they are."""
    functional = torch.nn.functional
    rows = ordered(torch, (2, 3, 6, 4), (0, 1, 2, 3))
    channels = ordered(torch, (2, 3, 6, 4), (0, 2, 3, 1))
    kernels = ordered(torch, (6, 3, 2, 2), (0, 1, 2, 3)), ordered(torch, (6, 3, 2, 2), (0, 2, 3, 1))
    found = [channels.is_contiguous(memory_format=torch.channels_last), channels.is_contiguous()]
    for x in (rows, channels, ordered(torch, (2, 3, 6, 4), (3, 2, 1, 0))):
        found += [told(functional.conv2d(x, kernel)) for kernel in kernels]
        found += [told(transposed_convolution(torch, x, kernel.transpose(0, 1))) for kernel in kernels]
        found += [told(functional.max_pool2d(x, 2)), told(functional.avg_pool2d(x, 2))]
        found += [told(functional.adaptive_avg_pool2d(x, 2)), told(functional.adaptive_max_pool2d(x, 2))]
        found += [told(functional.pad(x, (1, 1, 1, 1), "reflect")), told(functional.pad(x, (1, 1)))]
        found += [told(functional.pad(x, (1, 1, 1, 1), "circular"))]
        found += [told(functional.batch_norm(x, None, None, training=True)), told(functional.group_norm(x, 3))]
        found += [told(torch.cat([x, x])), told(torch.stack([x, x], 1)), told(torch.cat([x, rows], 1))]
        found += [told(x + x), told(x + torch.ones(3, 1, 1)), told(x * rows), told(rows * x), told(x.relu())]
        found += [told(x.to(memory_format=torch.channels_last)), told(x.contiguous())]
        found += [told(torch.empty_like(x)), told(functional.dropout(x, 0.5))]
    return found


def views_of_one_element(torch):
    """Strides of dimensions of one element are seen, too."""
    x = torch.ones(2, 3, 4)[:, 1:2, :]
    return [
        told(each)
        for each in (
            x,
            x.unsqueeze(0),
            x.unsqueeze(3),
            x.unsqueeze(1),
            x.expand(1, 2, 5, 4),
            x.expand(1, 2, 1, 4),
            x.squeeze(1),
            x.exp(),
            x + 1,
            x + x,
            x.clone(),
            x.contiguous(),
            x.sum(0, True),
            x.mT,
            x[:, :, :0],
            x[:, :, :0].exp(),
            x.transpose(0, 1),
            x.reshape(2, 4),
            x.view(2, 4),
            x.flatten(),
            x.movedim(0, 2),
            x.diagonal(),
        )
    ]


def gradients(torch):
    """A leaf's gradient has the strides of the leaf."""
    found = []
    for block in inputs(torch)[:8]:
        x = block.detach().requires_grad_()
        (x.softmax(1) * x.cumsum(0)).relu().sum().backward()
        found.append(told(x.grad))
        y = block.detach().requires_grad_()
        found.append(told(torch.autograd.grad(y.exp().sum(), y)[0]))
    return found
