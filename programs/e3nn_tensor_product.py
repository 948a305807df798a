"""An equivariant tensor product, whose code e3nn writes as graphs of `torch.fx`, trained for two steps."""

import torch
from e3nn import o3
from reporting import report

torch.manual_seed(0)
product = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "3x0e + 2x1o")
linear = o3.Linear(product.irreps_out, "1x0e")
x, vectors = product.irreps_in1.randn(6, -1), torch.randn(6, 3)
harmonics = o3.spherical_harmonics("0e + 1o", vectors, normalize=True)
optimizer = torch.optim.Adam([*product.parameters(), *linear.parameters()], lr=1e-2)
losses = []
for _ in range(3):
    loss = (linear(product(x, harmonics)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
rotation = o3.rand_matrix()
turned = product(
    x @ product.irreps_in1.D_from_matrix(rotation).T, harmonics @ o3.Irreps("0e + 1o").D_from_matrix(rotation).T
)
apart = (turned - product(x, harmonics) @ product.irreps_out.D_from_matrix(rotation).T).abs().max() < 1e-3
report(losses=losses, harmonics=harmonics, equivariant=bool(apart))
