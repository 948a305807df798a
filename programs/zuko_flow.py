"""A neural spline flow fitted to a ring of points."""

import torch
import zuko
from reporting import report

torch.manual_seed(0)
angles = 6.28 * torch.rand(64)
points = torch.stack([angles.cos(), angles.sin()], 1) + 0.05 * torch.randn(64, 2)
flow = zuko.flows.NSF(features=2, transforms=2, hidden_features=(16, 16))
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
losses = []
for _ in range(5):
    loss = -flow().log_prob(points).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report(losses=losses, sample=flow().sample((2,)))
