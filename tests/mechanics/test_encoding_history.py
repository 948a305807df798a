"""How autograd encodes the history (自动求导如何编码历史信息)."""

from __future__ import annotations

import gc
import warnings
import weakref

from tests.mechanics.common import equal, name_of, names_of


def creator(tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensor.creator


def test_a_graph_of_all_operations_that_created_the_data_is_recorded(torch):
    """ "Conceptually, autograd records a graph recording all of the operations that created the data as you execute
    operations ..." """
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    z = (x * y).exp() - x
    assert name_of(z.grad_fn) == "SubBackward0"
    assert names_of(z.grad_fn) == ["ExpBackward0", "AccumulateGrad"]
    assert names_of(z.grad_fn.next_functions[0][0]) == ["MulBackward0"]


def test_the_graph_is_acyclic_with_inputs_as_leaves_and_outputs_as_roots(torch):
    """ "... giving you a directed acyclic graph whose leaves are the input tensors and roots are the output
    tensors." """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y * y + x
    leaves, open_nodes, seen = set(), [z.grad_fn], 0
    while open_nodes:
        node = open_nodes.pop()
        seen += 1
        assert seen < 100, "a cycle"
        if not node.next_functions:
            leaves.add(node)
        open_nodes += [each for each, _ in node.next_functions if each is not None]
    assert len(leaves) == 1 and leaves.pop().variable is x


def test_tracing_the_graph_from_roots_to_leaves_gives_the_gradients_by_the_chain_rule(torch):
    """ "By tracing this graph from roots to leaves, you can automatically compute the gradients using the chain
    rule." """
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    y = (x * x).exp().log() * 3
    grad, node = torch.ones(1, dtype=torch.float64), y.grad_fn
    for _ in range(3):  # times 3, log, exp; by hand
        grad = node(grad)
        grad = grad[0] if isinstance(grad, tuple) else grad
        node = node.next_functions[0][0]
    one, other = node(grad)
    y.backward()
    assert abs((one + other - x.grad).item()) < 1e-12 and abs(x.grad.item() - 3.0) < 1e-12


def test_the_graph_is_one_of_function_objects_that_can_be_applied(torch):
    """ "Internally, autograd represents this graph as a graph of Function objects (really expressions), which can be
    apply() ed to compute the result of evaluating the graph." """
    x = torch.tensor([2.0], requires_grad=True)
    node = (x * 3).grad_fn
    assert isinstance(node, torch.autograd.graph.Node) and callable(node)
    outgoing = node(torch.ones(1))
    assert equal(outgoing[0], 3.0) and outgoing[1] is None

    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    y = Triple.apply(x)
    assert equal(y, 6.0) and name_of(y.grad_fn) == "TripleBackward"
    y.backward()
    assert equal(x.grad, 3.0)


def test_the_forward_pass_computes_and_builds_the_graph_simultaneously(torch):
    """ "When computing the forwards pass, autograd simultaneously performs the requested computations and builds up a
    graph representing the function that computes the gradient ..." """
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 3
    assert equal(y, 6.0) and y.grad_fn is not None
    z = y.exp()
    assert z.grad_fn.next_functions[0][0] is y.grad_fn


def test_grad_fn_is_the_entry_point_into_the_graph(torch):
    """ "(the .grad_fn attribute of each torch.Tensor is an entry point into this graph)" """
    x = torch.ones(2, requires_grad=True)
    y = x + 1
    assert y.grad_fn is y.grad_fn and name_of(y.grad_fn) == "AddBackward0"
    assert x.grad_fn is None


def test_the_graph_is_evaluated_in_the_backward_pass(torch):
    """ "When the forwards pass is completed, we evaluate this graph in the backwards pass to compute the
    gradients." """
    x = torch.tensor([3.0], requires_grad=True)
    y = x**2
    assert x.grad is None
    y.backward()
    assert equal(x.grad, 6.0)


def test_the_graph_is_recreated_from_scratch_at_every_iteration(torch):
    """ "An important thing to note is that the graph is recreated from scratch at every iteration ..." """
    x = torch.tensor([3.0], requires_grad=True)
    first = (x * 2).grad_fn
    second = (x * 2).grad_fn
    assert first is not second
    gone = weakref.ref(x * 2)
    gc.collect()
    assert gone() is None


def test_arbitrary_control_flow_changes_the_graph_at_every_iteration(torch):
    """ "... this is exactly what allows for using arbitrary Python control flow statements, that can change the overall
    shape and size of the graph at every iteration." """
    w = torch.tensor([2.0], requires_grad=True)
    for step in range(1, 6):
        y = w
        for _ in range(step):
            y = y * w if y.item() < 10 else y + w
        w.grad = None
        y.backward()
        y_of, slope = 2.0, 1.0
        for _ in range(step):  # the same by hand: derivative of y*w or y+w
            y_of, slope = (y_of * 2, slope * 2 + y_of) if y_of < 10 else (y_of + 2, slope + 1)
        assert w.grad.item() == slope


def test_what_you_run_is_what_you_differentiate(torch):
    """ "You don't have to encode all possible paths before you launch the training - what you run is what you
    differentiate." """

    def both(x):
        return x.exp() if x.item() > 0 else -x

    for value, slope in ((-1.0, -1.0), (0.0, -1.0)):
        x = torch.tensor(value, requires_grad=True)
        both(x).backward()
        assert x.grad.item() == slope
    x = torch.tensor(1.0, requires_grad=True)
    both(x).backward()
    assert x.grad.item() == both(x).item()


def test_every_variable_has_a_creator_that_points_to_the_function_that_made_it(torch):
    """ "每个变量都有一个 .creator 属性，它指向把它作为输出的函数。" (Each variable has a .creator attribute that
    points to the function of which it is an output.)"""
    x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    y = x * 2
    assert creator(y) is y.grad_fn and name_of(creator(y)) == "MulBackward0"


def test_each_operation_instantiates_a_new_function_object(torch):
    """ "每次执行一个操作时，一个表示它的新 Function 就被实例化，它的 forward() 方法被调用，并且它输出的 Variable 的创
    建者被设置为 这个 Function。" (Each operation instantiates a new Function; forward() is called; it becomes the
    creator.)"""
    calls = []

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            calls.append("forward")
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(2, requires_grad=True)
    one, other = Same.apply(x), Same.apply(x)
    assert calls == ["forward", "forward"]
    assert one.grad_fn is not other.grad_fn and type(one.grad_fn) is type(other.grad_fn)


def test_the_operations_that_made_the_data_can_be_reconstructed_from_any_variable(torch):
    """ "然后，通过跟踪从任何变量到叶节点的路径，可以重建创建数据的操作序列，并自动计算梯度。" (Following the path
    from any variable to the leaves reconstructs the operations that made the data.)"""
    x = torch.ones(2, requires_grad=True)
    z = ((x + 1) * 2).exp().sum()
    path, node = [], z.grad_fn
    while node is not None:
        path.append(name_of(node))
        node = node.next_functions[0][0] if node.next_functions else None
    assert path == ["SumBackward0", "ExpBackward0", "MulBackward0", "AddBackward0", "AccumulateGrad"]
