"""torch.masked: reductions and normalisations over what a mask leaves."""

from __future__ import annotations

from tests.parity.programs.common import caught, values

REDUCTIONS = ("sum", "prod", "amax", "amin", "mean", "logsumexp", "var", "std", "norm")
ALONG = ("softmax", "log_softmax", "softmin", "cumsum", "cumprod")


def called(torch, name, x, dim, **options):
    function = getattr(torch.masked, name)
    return function(x, 2.0, dim, **options) if name in ("norm", "normalize") else function(x, dim, **options)


def mask_of(torch):
    return torch.tensor([[True, False, True], [False, False, False], [True, True, True]])


def reduced(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    return {
        name: [
            called(torch, name, x, dim, mask=each, keepdim=keepdim)
            for dim in (0, 1, None, (0, 1), -1, (), (1,))
            for each in (mask, None)
            for keepdim in (False, True)
        ]
        for name in REDUCTIONS
    }


def along(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    return {
        name: [
            called(torch, name, x, dim, mask=each) for dim in (0, 1, -1) for each in (mask, None, mask[2], mask[:, :1])
        ]
        for name in (*ALONG, "normalize", "argmax", "argmin", "median")
    }


def integers(torch):
    x, mask = (values(torch, 3, 3).detach() * 5).long(), mask_of(torch)
    names = ("sum", "prod", "amax", "amin", "var", "std", "argmax", "argmin", "cumsum", "cumprod")
    return {name: [called(torch, name, x, dim, mask=mask) for dim in (0, 1)] for name in names}


def booleans(torch):
    x = values(torch, 3, 3).detach() > 0
    names = ("sum", "prod", "amax", "amin")
    return [caught(lambda name=name: called(torch, name, x, 1, mask=mask_of(torch))) for name in names]


def dtypes(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    names = (*REDUCTIONS[:-1], *ALONG, "median")
    return [called(torch, name, x, 0, mask=mask, dtype=torch.float32).dtype for name in names]


def variances(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    return [
        *(getattr(torch.masked, name)(x, 1, flag, mask=mask) for name in ("var", "std") for flag in (True, False)),
        *(torch.masked.var(x, 1, correction=each, mask=mask) for each in (0, 1, 2, 5)),
    ]


def norms(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    return [torch.masked.norm(x, each, 1, mask=mask) for each in (0, 1, 2, 3.5, -1, float("inf"), -float("inf"))]


def sums_of_exponentials(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    return (
        torch.masked.logaddexp(x, x.T, input_mask=mask, other_mask=~mask),
        torch.masked.logaddexp(x, x.T),
        torch.masked.logaddexp(x, x.T, other_mask=mask),
    )


def gradients(torch):
    found = {}
    for name in (*REDUCTIONS, *ALONG, "normalize"):
        x = values(torch, 3, 3)
        made = called(torch, name, x, 1, mask=mask_of(torch))[0::2]
        (made * (1 + torch.arange(made.numel()).reshape(made.shape))).sum().backward()
        found[name] = x.grad[0::2]
    return found


def refusals(torch):
    x, mask = values(torch, 3, 3).detach(), mask_of(torch)
    whole = x.long()
    return (
        caught(lambda: torch.masked.mean(whole, 1)),
        caught(lambda: torch.masked.median(whole, 1, mask=mask)),
        caught(lambda: torch.masked.sum(x, 1, mask=mask[None])),
        caught(lambda: torch.masked.sum(x, 5, mask=mask)),
    )
