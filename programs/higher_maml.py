"""A gradient through two steps of an optimiser."""

import higher
import torch
from reporting import report

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
inner = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (fast, steps):
    for _ in range(2):
        steps.step(((fast(x) - y) ** 2).mean())
    ((fast(x) - y) ** 2).mean().backward()
report(weight=net.weight.grad, bias=net.bias.grad)
