"""torch.nn: modules, parameters, state, and one step of training."""

from __future__ import annotations

from tests.parity.programs.common import caught


def fill(torch, module):
    """Give every parameter fixed values."""
    with torch.no_grad():
        for at, parameter in enumerate(module.parameters()):
            values = torch.arange(float(parameter.numel())).reshape(parameter.shape)
            parameter.copy_((values * 3 + at) % 5 / 5 - 0.4)
    return module


def network(torch):
    nn = torch.nn
    return fill(torch, nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))


def parameter_names_and_shapes(torch):
    return [(name, tuple(p.shape)) for name, p in network(torch).named_parameters()]


def forward_and_backward(torch):
    net = network(torch)
    loss = net(torch.arange(6.0).reshape(2, 3)).square().sum()
    loss.backward()
    return loss, [p.grad for p in net.parameters()]


def state_dict_keys(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2))
    return {key: tuple(value.shape) for key, value in net.state_dict().items()}


def load_state_dict(torch):
    first, second = network(torch), torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    result = second.load_state_dict(first.state_dict())
    return str(result), torch.equal(first[0].weight, second[0].weight), first[0].weight is second[0].weight


def load_state_dict_missing_key(torch):
    net = network(torch)
    state = net.state_dict()
    state.pop("0.bias")
    return caught(lambda: net.load_state_dict(state)), str(net.load_state_dict(state, strict=False))


def load_state_dict_unexpected_key(torch):
    net = network(torch)
    return caught(lambda: net.load_state_dict({**net.state_dict(), "more": torch.ones(1)}))


def load_state_dict_wrong_shape(torch):
    net = network(torch)
    return caught(lambda: net.load_state_dict({**net.state_dict(), "0.bias": torch.ones(7)}))


class _Holder:
    """A module of the user's own, made for either library."""

    @staticmethod
    def make(torch):
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.tensor([2.0]))
                self.register_buffer("steps", torch.zeros(1))
                self.inner = torch.nn.Linear(2, 2)
                self.number = 5

            def forward(self, x):
                return self.inner(x) * self.scale

        return fill(torch, Model())


def own_module(torch):
    model = _Holder.make(torch)
    return (
        [name for name, _ in model.named_parameters()],
        [name for name, _ in model.named_buffers()],
        [name for name, _ in model.named_modules()],
        [name for name, _ in model.named_children()],
        list(model.state_dict()),
    )


def own_module_prints(torch):
    print(_Holder.make(torch))


def own_module_runs(torch):
    model = _Holder.make(torch)
    y = model(torch.ones(1, 2))
    y.sum().backward()
    return y, model.scale.grad


def parameter_before_init_is_refused(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            self.p = torch.nn.Parameter(torch.ones(1))

    return Model()


def unknown_attribute(torch):
    return torch.nn.Linear(1, 1).colour


def assigning_a_tensor_over_a_parameter(torch):
    layer = torch.nn.Linear(1, 1)
    layer.weight = torch.ones(1, 1)


def assigning_none_over_a_parameter(torch):
    layer = torch.nn.Linear(1, 1)
    layer.bias = None
    return list(layer.state_dict()), layer(torch.zeros(1, 1)).shape


def deleting_a_parameter(torch):
    layer = torch.nn.Linear(1, 1)
    del layer.bias
    return list(layer.state_dict())


def forward_not_written(torch):
    class Model(torch.nn.Module):
        pass

    return Model()(1)


def training_flag(torch):
    net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(1, 1))
    states = [net.training, net[0].training]
    net.eval()
    return states, net.training, net[0].training, net.train()[0].training, caught(lambda: net.train("yes"))


def dropout_in_evaluation(torch):
    return torch.nn.Dropout(0.5).eval()(torch.ones(3)), caught(lambda: torch.nn.Dropout(1.5))


def batch_norm_module(torch):
    layer = torch.nn.BatchNorm2d(2)
    y = layer(torch.arange(16.0).reshape(2, 2, 2, 2))
    return y, layer.running_mean, layer.running_var, layer.num_batches_tracked, layer.eval()(torch.ones(1, 2, 1, 1))


def batch_norm_wrong_rank(torch):
    return caught(lambda: torch.nn.BatchNorm2d(2)(torch.ones(2, 2))), caught(
        lambda: torch.nn.BatchNorm1d(2)(torch.ones(2, 2, 2, 2))
    )


def layer_shapes(torch):
    nn, x = torch.nn, torch.ones(2, 1, 8, 8)
    layers = [
        nn.Conv2d(1, 3, 3, padding=1),
        nn.MaxPool2d(2),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Identity(),
        nn.BatchNorm2d(1),
    ]
    return [layer(x).shape for layer in layers]


def layer_texts(torch):
    nn = torch.nn
    layers = [
        nn.Linear(2, 3, bias=False),
        nn.Conv2d(1, 3, (3, 2), stride=2, bias=False, groups=1),
        nn.MaxPool2d(2, 1),
        nn.AvgPool2d(2),
        nn.Dropout(0.2),
        nn.Flatten(),
        nn.ReLU(inplace=True),
        nn.GELU(),
        nn.Softmax(dim=1),
        nn.BatchNorm2d(4, affine=False),
        nn.LayerNorm((2, 3)),
        nn.Embedding(5, 2, padding_idx=0),
        nn.Identity(),
        nn.CrossEntropyLoss(),
        nn.MSELoss(),
        nn.Tanh(),
    ]
    return [repr(layer) for layer in layers]


def sequential_container(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
    net.append(nn.Linear(2, 1))
    return (
        len(net),
        repr(net[1]),
        repr(net[1:]),
        repr(net[-1]),
        [type(each).__name__ for each in net],
        caught(lambda: net[5]),
    )


def module_list_and_dict(torch):
    nn = torch.nn
    layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(2)])
    named = nn.ModuleDict({"a": nn.ReLU()})
    return len(layers), list(layers.state_dict()), repr(layers), repr(named), "a" in named


def apply_and_children(torch):
    seen = []
    network(torch).apply(lambda module: seen.append(type(module).__name__))
    return seen


def zero_grad(torch):
    net = network(torch)
    net(torch.ones(1, 3)).sum().backward()
    net.zero_grad()
    return [p.grad for p in net.parameters()]


def requires_grad_of_a_module(torch):
    net = network(torch).requires_grad_(False)
    return [p.requires_grad for p in net.parameters()], net(torch.ones(1, 3)).requires_grad


def module_to_double(torch):
    net = network(torch).double()
    return [p.dtype for p in net.parameters()], net(torch.ones(1, 3, dtype=torch.float64)).dtype


def forward_hooks(torch):
    layer, seen = torch.nn.ReLU(), []
    layer.register_forward_pre_hook(lambda module, args: seen.append(("pre", args[0].tolist())))
    handle = layer.register_forward_hook(lambda module, args, result: result * 10)
    first = layer(torch.tensor([-1.0, 2.0]))
    handle.remove()
    return seen, first, layer(torch.tensor([-1.0, 2.0]))


def losses_as_modules(torch):
    nn = torch.nn
    x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, 0.5]])
    return (
        nn.MSELoss()(x, y),
        nn.CrossEntropyLoss()(x, torch.tensor([1])),
        nn.BCEWithLogitsLoss()(x, y),
        nn.NLLLoss()(x, torch.tensor([0])),
    )


def init_constants(torch):
    init, w = torch.nn.init, torch.empty(2, 3)
    return init.zeros_(w).clone(), init.ones_(w).clone(), init.constant_(w, 0.5).clone(), init.eye_(w).clone()


def init_ranges(torch):
    init, w = torch.nn.init, torch.empty(200, 100)
    found = []
    for function in (init.xavier_uniform_, init.kaiming_uniform_, init.uniform_):
        function(w)
        found.append(round(float(w.abs().max()), 2))
    return found, torch.nn.init.calculate_gain("relu"), torch.nn.init.calculate_gain("tanh")


def init_in_no_grad(torch):
    w = torch.nn.Parameter(torch.empty(2, 2))
    torch.nn.init.ones_(w)
    return w.requires_grad, w.is_leaf, w.grad_fn


def linear_wrong_input(torch):
    return torch.nn.Linear(3, 2)(torch.ones(1, 4))


def register_same_name(torch):
    module = torch.nn.Module()
    module.weight = 1
    return caught(lambda: module.register_buffer("weight", torch.ones(1))), caught(
        lambda: module.register_parameter("a.b", None)
    )


def shared_parameters_are_told_once(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    return len(list(net.parameters())), len(net.state_dict())


def embedding_module(torch):
    layer = fill(torch, torch.nn.Embedding(3, 2))
    return layer(torch.tensor([[0, 2]])), layer.weight.requires_grad


def get_submodule(torch):
    net = network(torch)
    return (
        repr(net.get_submodule("0")),
        tuple(net.get_parameter("0.weight").shape),
        caught(lambda: net.get_submodule("9")),
    )
