"""Bags of rows of a table: values, gradients, options, errors."""

from __future__ import annotations

from tests.parity.programs.common import caught, values


def bag(torch, mode, offsets=(0, 2, 5), **options):
    """The bags, and gradients of their weighted sum."""
    weight, rows = values(torch, 4, 3), torch.tensor([0, 2, 3, 1, 2, 2])
    leaves = [weight]
    if mode == "sum":
        leaves.append(values(torch, 6, shift=2))
        options["per_sample_weights"] = leaves[1]
    made = torch.nn.functional.embedding_bag(rows, weight, torch.tensor(offsets), mode=mode, **options)
    loss = (made * values(torch, *made.shape, shift=3)).sum()
    return made, torch.autograd.grad(loss, leaves)


def bags(torch):
    found = []
    for mode in ("sum", "mean", "max"):
        found += [bag(torch, mode), bag(torch, mode, padding_idx=2), bag(torch, mode, (0, 0, 6))]
        found.append(bag(torch, mode, (0, 4, 6), include_last_offset=True))
    return [*found, bag(torch, "sum", scale_grad_by_freq=True)]


def bags_of_means_by_frequency(torch):
    return bag(torch, "mean", scale_grad_by_freq=True)


def bags_of_one_length(torch):
    weight, rows = values(torch, 4, 3), torch.tensor([[0, 2], [3, 3]])
    return [torch.nn.functional.embedding_bag(rows, weight, mode=mode) for mode in ("sum", "mean", "max")]


def bags_with_all_results(torch):
    weight, rows = values(torch, 4, 3), torch.tensor([0, 2, 3, 1])
    found = torch.embedding_bag(weight, rows, torch.tensor([0, 2, 2]), False, 2, False, None, False, 2)
    return found


def bags_refused(torch):
    make, ones = torch.nn.functional.embedding_bag, torch.ones
    rows, weight, offsets = torch.tensor([0, 2, 3, 1]), ones(4, 3), torch.tensor([0, 2])
    return [
        caught(action)
        for action in (
            lambda: make(rows, weight),
            lambda: make(rows.reshape(2, 2), weight, offsets),
            lambda: make(rows, weight, torch.tensor([1, 2])),
            lambda: make(rows, weight, torch.tensor([0, 5])),
            lambda: make(rows + 2, weight, offsets),
            lambda: make(rows.float(), weight, offsets),
            lambda: make(rows, weight, offsets, mode="x"),
            lambda: make(rows.reshape(1, 2, 2), weight),
            lambda: make(rows, weight, offsets.reshape(1, 2)),
            lambda: make(rows, weight, offsets, per_sample_weights=ones(4)),
            lambda: make(rows, weight, offsets, mode="sum", per_sample_weights=ones(3)),
            lambda: make(rows, weight, offsets, mode="sum", per_sample_weights=ones(4).double()),
            lambda: make(rows, weight, offsets, mode="max", scale_grad_by_freq=True),
            lambda: make(rows, weight, offsets, padding_idx=7),
            lambda: torch.nn.EmbeddingBag(3, 2, padding_idx=3),
            lambda: torch.nn.EmbeddingBag(3, 2, _weight=ones(2, 2)),
        )
    ]


def bag_layers(torch):
    nn = torch.nn
    made = [
        nn.EmbeddingBag(3, 2),
        nn.EmbeddingBag(3, 2, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, mode="sum", padding_idx=-1),
    ]
    frozen = nn.EmbeddingBag.from_pretrained(torch.arange(6.0).reshape(3, 2), mode="max")
    return (
        [(repr(each), list(each.state_dict())) for each in made],
        made[1].weight[2].detach(),
        frozen.weight.requires_grad,
        frozen(torch.tensor([[0, 2], [1, 1]])),
    )


def bags_of_short_rows(torch):
    weight = torch.arange(6.0).reshape(3, 2)
    layer = torch.nn.EmbeddingBag.from_pretrained(weight, mode="sum", max_norm=1.0)
    return layer(torch.tensor([0, 2, 2]), torch.tensor([0, 1])), layer.weight.detach()
