"""`torch.fx`: graphs of programs, their text and code, and what errors say."""

from __future__ import annotations

import copy
import functools
import importlib
import operator
import typing

from tests.parity.programs.common import caught


def fx_of(package):
    return importlib.import_module(f"{package.__name__}.fx")


def texts(module):
    return str(module.graph), module.code, str(module), module.print_readable(print_output=False)


def _network(torch):
    nn = torch.nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 3)
            self.weight = nn.Parameter(torch.ones(3))
            self.register_buffer("shift", torch.ones(3))
            self.rest = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)))
            self.constant = torch.ones(3)

        def forward(self, x, y=None, *, k=2.5):
            z = self.first(x) + self.weight * self.shift
            z = self.rest(z.relu().view(-1, 3) + torch.ones(3))
            z = torch.relu(nn.functional.relu(z))
            z = nn.functional.linear(z, self.weight)
            rows, columns = z.shape[0], z.size(1)
            z = z.reshape(rows, columns).transpose(0, 1)[..., None, 1:2, ::2]
            z = torch.cat([z, z * 2, 3 * z, 2 - z, z / 2, 2**z, z @ z, -z, abs(z), ~z], dim=1)
            z += 1
            z = z + self.constant
            return {"a": z, "b": (x, [y, None], k)}

    return Network()


def a_network_is_traced(torch):
    return texts(fx_of(torch).symbolic_trace(_network(torch)))


def every_operator_of_python_is_a_node(torch):
    def binary(x, y):
        return [
            *(x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y, x << y, x >> y, x & y, x | y, x ^ y),
            *(x == y, x != y, x < y, x <= y, x > y, x >= y, +x, -x, ~x, abs(x), x[y], x[0, ..., 1:2]),
        ]

    def reflected(x):
        return [1 + x, 1 - x, 2 * x, 1 / x, 1 // x, 1 % x, 2**x, 1 << x, 1 >> x, 1 & x, 1 | x, 1 ^ x]

    def in_place(x):
        x += 1
        x -= 1
        x *= 2
        x /= 2
        x //= 2
        x **= 2
        x @= x
        return x

    trace = fx_of(torch).symbolic_trace
    return [texts(trace(function)) for function in (binary, reflected, in_place)]


def a_constant_tensor_beside_a_proxy(torch):
    def program(x):
        t = torch.ones(2, 2)
        return t + x, t / x, t // x, t @ x, t & x, t == x, t[x], t.view(x), t.reshape(x, 2), t.expand_as(x), x + t

    return texts(fx_of(torch).symbolic_trace(program))


def factories_of_sizes(torch):
    def program(x):
        n = x.shape[0]
        return (
            torch.zeros(n),
            torch.ones((n, 2)),
            torch.arange(n),
            torch.full((n,), 1.0),
            torch.rand(x.size(1)),
            torch.eye(n),
        )

    return texts(fx_of(torch).symbolic_trace(program))


FUNCTIONS = """
    relu(x) relu(x,True) softmax(x,1) dropout(x) max_pool2d(x,2) avg_pool2d(x,2) adaptive_avg_pool2d(x,1) gelu(x)
    conv2d(x,x,padding=1) linear(x,x) layer_norm(x,[2]) batch_norm(x,x,x) group_norm(x,2) interpolate(x,scale_factor=2)
    cross_entropy(x,x) mse_loss(x,x) pad(x,[1,2]) embedding(x,x) normalize(x) silu(x) sigmoid(x) tanh(x) softplus(x)
    logsigmoid(x) one_hot(x,3) scaled_dot_product_attention(x,x,x) glu(x) unfold(x,2) leaky_relu(x) hardtanh(x)
    pixel_shuffle(x,2) prelu(x,x) cosine_similarity(x,x) grid_sample(x,x) max_pool2d(x,2,return_indices=True)
    adaptive_max_pool1d(x,2) rms_norm(x,[2]) instance_norm(x) elu(x) selu(x) hardswish(x) relu6(x) mish(x) celu(x)
    kl_div(x,x) l1_loss(x,x) smooth_l1_loss(x,x) nll_loss(x,x) binary_cross_entropy(x,x) hinge_embedding_loss(x,x)
"""


def functions_of_layers_stand_with_all_their_arguments(torch):
    functional, trace = torch.nn.functional, fx_of(torch).symbolic_trace
    return [str(trace(eval(f"lambda x: F.{call}", {"F": functional})).graph) for call in FUNCTIONS.split()]


CALLS = """
    cat([x,x],dim=1) stack((x,x)) split(x,2,dim=1) chunk(x,2) einsum('ij->i',x) einsum('i,i',[x,x]) meshgrid(x,x)
    tensordot(x,x) norm(x,dim=1) cdist(x,x) where(x,x,1) flatten(x,1) clamp(x,min=0)
    sum(x,dim=-1,keepdim=True) max(x,dim=1)
    linalg.norm(x) linalg.inv(x) fft.rfft(x) matmul(x,x) bmm(x,x) unbind(x) permute(x,(1,0)) is_floating_point(x)
    numel(x) zeros_like(x) rand_like(x) topk(x,3) unique(x,dim=0) broadcast_tensors(x,x) block_diag(x,x) atleast_1d(x)
    roll(x,shifts=(1,),dims=(1,)) flip(x,[0]) result_type(x,x) view_as_complex(x) bucketize(x,x)
    div(x,x,rounding_mode='floor')
"""


def functions_of_torch_stand_as_they_were_called(torch):
    trace = fx_of(torch).symbolic_trace
    return [str(trace(eval(f"lambda x: torch.{call}", {"torch": torch})).graph) for call in CALLS.split()]


def attributes_and_methods(torch):
    def program(x):
        a, b = x.shape
        return (
            x.T.data + x.foo,
            x.to(torch.float32).to(torch.device("cpu")).to(x.device, dtype=torch.long),
            a * b,
            x(1, k=2),
        )

    return texts(fx_of(torch).symbolic_trace(program))


def parameters_of_functions(torch):
    def annotated(x: torch.Tensor, y: int = 3, z: list[int] = (1, 2), w: typing.Optional[int] = None) -> torch.Tensor:  # noqa: UP045
        return x + y

    def defaults(x, a=1.5, b=(1, 2), c="hi", d=None, e=torch.float32, f=[1]):  # noqa: B006
        return x

    def spread(*x):
        return x[0] + x[1]

    def named(**x):
        return x["a"]

    def builtin_names(input, lambda_, add):
        return input + lambda_ + add

    trace = fx_of(torch).symbolic_trace
    made = [texts(trace(function)) for function in (defaults, spread, named, builtin_names)]
    return made, texts(trace(annotated))[1:], texts(trace(annotated, concrete_args={"y": 4}))[1:]


def what_cannot_be_traced(torch):
    def branch(x):
        return x if x.sum() > 0 else -x

    def written(x):
        x[0] = 1

    programs = [
        branch,
        written,
        lambda x: list(x),
        lambda x: len(x),
        lambda x: bool(x),
        lambda x: dict(**x),
        lambda x: int(x),
        lambda x: x + print,
        lambda x: x + {1, 2},
        lambda x: torch.nn.Linear(2, 2)(x),
        lambda x: x.view(torch.nn.Linear),
    ]
    trace = fx_of(torch).symbolic_trace
    return [
        (type(error).__name__, str(error)) for error in (caught(functools.partial(trace, each)) for each in programs)
    ]


def names_of_nodes(torch):
    graph = fx_of(torch).Graph()
    names = (
        "x x x_1 X fooBar HTTPServer 1a a.b if None self torch input add_3 add _x __x x__1 x_01 _0 _0 _0 Conv2d a__0 0"
    )
    made = [graph.placeholder(name).name for name in names.split()]
    functions = [
        torch.relu,
        torch.nn.functional.relu,
        operator.and_,
        len,
        getattr,
        max,
        torch.linalg.norm,
        torch.fft.fft,
    ]
    made += [graph.call_function(function).name for function in functions]
    made += [graph.call_method(name).name for name in ("relu", "relu_", "__add__", "add", "sizeT")]
    made += [graph.call_module(name).name for name in ("a.b", "layer1.0.conv", "0", "module.LayerNorm")]
    return [
        *made,
        graph.get_attr("x-y").name,
        graph.create_node("call_function", len, name="zz").name,
        graph.output(1).name,
    ]


def a_graph_is_changed(torch):
    fx = fx_of(torch)
    graph = fx.Graph()
    x = graph.placeholder("x")
    relu = graph.call_function(torch.relu, (x,))
    neg = graph.call_function(torch.neg, (relu,))
    graph.output(neg)
    steps = [str(caught(lambda: graph.erase_node(relu)))]
    with graph.inserting_before(neg):
        sigmoid = graph.call_function(torch.sigmoid, (relu,))
    with graph.inserting_after(sigmoid):
        graph.call_function(torch.tanh, (sigmoid,))
        exp = graph.call_function(torch.exp, (sigmoid,))
    steps += [str(graph), neg.replace_all_uses_with(exp), graph.eliminate_dead_code(), str(graph)]
    exp.args = ([relu],)
    exp.update_kwarg("k", sigmoid)
    exp.insert_arg(0, sigmoid)
    exp.replace_input_with(sigmoid, x)
    steps += [str(graph), [node.name for node in reversed(graph.nodes)], len(graph.nodes), relu.users, x < exp]
    sigmoid.append(exp)
    steps += [str(copy.deepcopy(graph)), graph.find_nodes(op="call_function", target=torch.exp), graph.output_node()]
    other, values = fx.Graph(), {}
    other.output(other.graph_copy(graph, values))
    errors = [
        lambda: exp.args[1].append(1),
        lambda: exp.kwargs.update(a=1),
        lambda: graph.create_node("foo", "x"),
        lambda: graph.call_function("relu"),
        lambda: graph.call_function(torch.relu, [x]),
        lambda: graph.inserting_before(fx.Graph().placeholder("y")),
        lambda: x.prepend(fx.Graph().placeholder("y")),
    ]
    told = [(type(error).__name__, str(error)) for error in map(caught, errors)]
    return [repr(step) for step in steps], str(other), told


def what_lint_refuses(torch):
    fx = fx_of(torch)

    def order(graph):
        x = graph.placeholder("x")
        relu = graph.call_function(torch.relu, (x,))
        relu.prepend(graph.output(relu))

    def other(graph):
        graph.output(graph.call_function(torch.relu, (fx.Graph().placeholder("x"),)))

    def twice(graph):
        graph.call_function(torch.relu, (graph.placeholder("x"),)).name = "x"

    def missing(graph):
        graph.output(graph.call_module("linear"))
        graph.owning_module = fx.GraphModule({"linear": torch.nn.ReLU()}, graph)
        del graph.owning_module.linear

    errors = []
    for build in (order, other, twice, missing):
        graph = fx.Graph()
        build(graph)
        error = caught(graph.lint)
        errors.append((type(error).__name__, str(error)))
    return errors


def every_kind_of_argument_in_code(torch):
    graph = fx_of(torch).Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y", torch.Tensor, None)
    graph.call_function(operator.iadd, (x, y))
    graph.call_function(operator.setitem, (x, 0, 1))
    graph.call_function(getattr, (x, "foo bar"))
    graph.call_function(getattr, (x, "shape", 3))
    for function in (operator.not_, operator.truth, operator.abs, len, torch.Tensor, torch.nn.Linear):
        graph.call_function(function, (x,))
    graph.call_module("a.0.b", (x,), {"k": [x, {"l": y}]})
    graph.call_method("__add__", (x, (1, slice(None), ...)))
    graph.get_attr("w.1")
    values = (torch.float32, torch.device("cpu"), torch.channels_last, torch.strided, {"a": x}, [x])
    graph.call_function(len, (*values, (x,), (), ..., None, "a\"'b", b"x", 1e-5, 10**20, float("inf"), -0.0, 1 + 2j))
    graph.output((x, [y]))
    code = graph.python_code("self")
    return code.src, graph.python_code("root").src, sorted(code.globals)


def modules_of_graphs(torch):
    fx = fx_of(torch)
    module = fx.symbolic_trace(_network(torch).eval())
    module.unused = torch.nn.Linear(1, 1)
    notes = [module.add_submodule("a.b.c", torch.nn.ReLU()), module.add_submodule("first.weight.k", torch.nn.ReLU())]
    notes += [module.delete_submodule("a.b"), module.delete_submodule("zzz"), module.training]
    module.delete_all_unused_submodules()
    notes += [[name for name, _ in module.named_modules()], list(module.state_dict()), type(module).__name__]
    copied = copy.deepcopy(module)
    for node in copied.graph.nodes:
        if node.op == "call_method" and node.target == "relu":
            node.target, node.name = "sigmoid", "another"
    before = copied.code
    copied.recompile()
    graph = fx.Graph()
    graph.get_attr("foo")
    errors = [
        lambda: fx.GraphModule({}, graph),
        lambda: fx.GraphModule(3, graph),
        lambda: fx.GraphModule(torch.nn.Module(), graph),
    ]
    told = [(type(error).__name__, str(error)) for error in map(caught, errors)]
    return notes, before == module.code, copied.code, repr(module), fx.GraphModule({}, fx.Graph()).code, told


def graphs_are_run_and_transformed(torch):
    fx = fx_of(torch)
    module = fx.symbolic_trace(lambda x, y=2: torch.relu(x).neg() + y)

    class Other(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return torch.sigmoid(*args) if target is torch.relu else super().call_function(target, args, kwargs)

        def call_method(self, target, args, kwargs):
            return args[0].sin() if target == "neg" else super().call_method(target, args, kwargs)

    class Failing(fx.Interpreter):
        def call_method(self, target, args, kwargs):
            raise ValueError("ouch")

    x = torch.tensor([1.0, -2.0])
    changed = Other(module).transform()
    errors = [lambda: Failing(module).run(x), lambda: fx.Interpreter(module).run()]
    told = [(type(error).__name__, str(error)) for error in map(caught, errors)]
    return fx.Interpreter(module).run(x), module(x), changed(x), texts(changed), told


def patterns_are_replaced(torch):
    fx = fx_of(torch)

    def program(x, w1, w2):
        first, second = torch.cat([w1, w2]).sum(), torch.cat([w1, w2]).sum()
        return x + torch.max(first) + torch.max(second)

    module = fx.symbolic_trace(program)
    found = fx.replace_pattern(module, lambda a, b: torch.cat([a, b]).sum(), lambda a, b: torch.stack([a, b]))
    return repr(found), texts(module)


def functions_apply_to_nodes_in_arguments(torch):
    fx = fx_of(torch)
    node = fx.Graph().placeholder("x")
    doubled = fx.node.map_aggregate((1, [2, {"a": slice(1, 3)}]), lambda value: value if value is None else value * 2)
    return repr(fx.node.map_arg([node, {"a": 1}, (node,)], lambda each: 7)), repr(doubled)


def shapes_of_values_are_noted(torch):
    passes = importlib.import_module(f"{torch.__name__}.fx.passes.shape_prop")
    program = fx_of(torch).symbolic_trace(
        lambda x: (torch.relu(x), x.shape[0], [x[0, 0].t(), x.long()], x.permute(0, 2, 3, 1))
    )
    passes.ShapeProp(program).propagate(torch.ones(2, 3, 4, 4).to(memory_format=torch.channels_last))
    return [(node.name, repr(node.meta.get("tensor_meta")), node.meta["type"].__name__) for node in program.graph.nodes]
