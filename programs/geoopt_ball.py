"""Points of the Poincare ball moved by Riemannian Adam."""

import geoopt
import torch
from reporting import report

torch.manual_seed(0)
ball = geoopt.PoincareBall()
points = geoopt.ManifoldParameter(ball.expmap0(0.3 * torch.randn(5, 2)), manifold=ball)
target = torch.tensor([0.2, -0.1])
optimizer = geoopt.optim.RiemannianAdam([points], lr=1e-1)
losses = []
for _ in range(5):
    loss = ball.dist(points, target).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report(losses=losses, points=points)
