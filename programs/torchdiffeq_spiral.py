"""A neural differential equation, its gradients by the solver and by the adjoint method."""

import torch
from reporting import report
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)
field = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = field

    def forward(self, t, y):
        return self.net(y**3)


t = torch.linspace(0, 1, 5)
results = {}
for name, solve in (("direct", odeint), ("adjoint", odeint_adjoint)):
    field.zero_grad()
    path = solve(Field(), torch.tensor([[2.0, 0.0]]), t, method="dopri5")
    path.square().mean().backward()
    results[name] = [path[-1].flatten().tolist(), field[0].weight.grad.norm().item()]
report(**results)
