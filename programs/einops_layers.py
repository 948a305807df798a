"""Rearranged tensors and layers of einops."""

import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from reporting import report

torch.manual_seed(0)
x = torch.randn(2, 4, 6, 3, requires_grad=True)
model = torch.nn.Sequential(
    Rearrange("b h w c -> b c h w"),
    torch.nn.Conv2d(3, 5, 3, padding=1),
    Reduce("b c (h h2) (w w2) -> b c h w", "max", h2=2, w2=2),
    Rearrange("b c h w -> b (c h w)"),
    torch.nn.Linear(30, 1),
)
y = model(x) + reduce(repeat(x, "b h w c -> b k h w c", k=2), "b k h w c -> b 1", "mean")
y.sum().backward()
report(y=y, grad=rearrange(x.grad, "b h w c -> b (h w c)")[:, :5])
