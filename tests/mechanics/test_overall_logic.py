"""0x01 总体逻辑 (overall logic): nodes, edges, and the members of a tensor."""

from __future__ import annotations

from tests.mechanics.common import equal, name_of, names_of


def test_a_graph_consists_of_nodes_and_edges(torch):
    """ "计算图由节点（Node）和边（Edge）组成。" (A graph consists of nodes and edges.)"""
    x = torch.ones(2, requires_grad=True)
    node = (x * x).grad_fn
    assert isinstance(node, torch.autograd.graph.Node)
    assert [(name_of(each), nr) for each, nr in node.next_functions] == [("AccumulateGrad", 0)] * 2


def test_a_node_takes_and_gives_zero_or_more_tensors(torch):
    """ "一个节点通过边来获得 0 个或多个 Tensor，节点执行计算之后会产生 0 个或多个 Tensor。" """
    x = torch.ones(2, 2, requires_grad=True)
    several = x.unbind(0)
    assert several[0].grad_fn is several[1].grad_fn and len(several[0].grad_fn.next_functions) == 1
    assert len(torch.cat([x, x, x]).grad_fn.next_functions) == 3
    assert (x * 1).grad_fn.next_functions[0][0].next_functions == ()


def test_next_functions_is_a_tuple_of_pairs_of_function_and_input_number(torch):
    """ "next_functions 是一个 tuple 列表 ... 列表个数就是这个 grad_fn 的 Edge 数目 ... (Edge.function,
    Edge.input_nr)" """
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    first, second, third = x.unbind(0)
    edges = (third * first).grad_fn.next_functions
    assert type(edges) is tuple and all(type(each) is tuple and len(each) == 2 for each in edges)
    assert [nr for _, nr in edges] == [2, 0] and second.output_nr == 1
    assert all(function is first.grad_fn for function, _ in edges)


def test_edges_lead_to_the_functions_whose_outputs_were_used(torch):
    """ "Edge.function ：表示此 Edge 需要输出到哪一个其他 Function。" With the picture: Sub leads to Pow and Mul."""
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    power, product = x**2, x * y
    z = power - product
    assert name_of(z.grad_fn) == "SubBackward0"
    assert names_of(z.grad_fn) == ["PowBackward0", "MulBackward0"]
    assert [each for each, _ in z.grad_fn.next_functions] == [power.grad_fn, product.grad_fn]


def test_input_nr_says_which_input_of_the_function_an_edge_is(torch):
    """ "Edge.input_nr ：指定本 Edge 是 Function 的第几个输入。" """
    parts = torch.ones(4, requires_grad=True).split(1)
    assert [(part * 2).grad_fn.next_functions[0][1] for part in parts] == [0, 1, 2, 3]


def test_a_tensor_is_like_an_array_and_takes_part_in_mathematics(torch):
    """ "Tensor类似于numpy的ndarray，可以对Tensor进行各种数学运算；" (A tensor is like NumPy's ndarray, and all kinds of
    mathematics can be done with it.)"""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.shape == (2, 2) and x.ndim == 2 and x.numel() == 4 and x.numpy().shape == (2, 2)
    assert (x + x).tolist() == (2 * x).tolist() and (x @ x).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert x.sum().item() == 10.0 and x.max().item() == 4.0 and equal(x[1], 3.0, 4.0) and equal(x.mean(0), 2.0, 3.0)


def test_data_flows_between_the_nodes(torch):
    """ "使用张量（ Tensor） 表示数据，就是在节点间流动的数据，如果没有数据，计算图就没有任何意义。" (Tensors
    are the data that flow between the nodes.)"""
    x, flowing = torch.ones(2, requires_grad=True), []
    y = x * 3
    z = y + 1
    for node in (z.grad_fn, y.grad_fn):
        node.register_prehook(lambda grads: flowing.append([each.tolist() for each in grads]))
    (z * 2).sum().backward()
    assert flowing == [[[2.0, 2.0]], [[2.0, 2.0]]] and equal(x.grad, 6.0, 6.0)


def test_operations_on_a_tensor_that_requires_grad_are_recorded(torch):
    """ "当设置.requires_grad = True ，在Tensor之上进行的各种操作就会被记录下来，用于后续梯度计算。" """
    x = torch.ones(2)
    assert (x * 2).grad_fn is None
    x.requires_grad = True
    assert name_of((x * 2).grad_fn) == "MulBackward0"


def test_a_tensor_has_data_dtype_and_device(torch):
    """ "data：该张量的数据。dtype ：该张量的数据类型。device： 存放该张量的设备类型 ..." """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert equal(x.data, 1.0, 2.0) and not x.data.requires_grad
    assert x.dtype is torch.float32 and x.device.type == "cpu" and x.device == torch.device("cpu")


def test_grad_has_the_shape_of_the_data(torch):
    """ "grad：保存数据data对应的梯度，和数据data的形状一样。" """
    x = torch.ones(2, 3, requires_grad=True)
    (x.sum(0) * 2).sum().backward()
    assert x.grad.shape == x.data.shape and x.grad.dtype is x.dtype


def test_backward_saves_its_result_in_grad(torch):
    """ "当前向计算完成后调用.backward()方法会自动计算梯度并且将计算结果保存到grad属性中。" """
    x = torch.tensor([3.0], requires_grad=True)
    (x * x).backward()
    assert equal(x.grad, 6.0)


def test_grad_is_none_without_requires_grad(torch):
    """ "requires_grad = False时，grad为None。" """
    x, y = torch.ones(2), torch.ones(2, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad is None and y.grad is not None


def test_gradients_are_not_cleared_but_accumulate(torch):
    """ "梯度值不会自动清空，每次在backward计算时都需要将前一时刻的梯度归零，否则梯度值会一直累加。" """
    x = torch.ones(2, requires_grad=True)
    for step in range(1, 4):
        (x * 2).sum().backward()
        assert equal(x.grad, 2.0 * step, 2.0 * step)
    x.grad.zero_()
    (x * 2).sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_grad_fn_computes_the_gradients_of_the_inputs(torch):
    """ "grad_fn：指向一个Function对象。这个Function对象用来在反向传播时候计算输入的梯度。" """
    x, y = torch.tensor([3.0], requires_grad=True), torch.tensor([5.0], requires_grad=True)
    node = (x * y).grad_fn
    of_x, of_y = node(torch.ones(1))
    assert equal(of_x, 5.0) and equal(of_y, 3.0)


def test_grad_fn_of_a_product_is_mul_backward(torch):
    """ "若本张量是非叶节点，则 Function 是向叶节点方向操作的反向传播函数，比如例子里 O 节点对应的函数就是
    MulBackward" """
    x = torch.ones(2, requires_grad=True)
    assert type((x * 2).grad_fn).__name__ == "MulBackward0" == (x * 2).grad_fn.name()


def test_grad_fn_of_a_leaf_that_requires_grad_is_none(torch):
    """ "若本张量是叶节点且requires_grad为True，则 grad_fn 是None。" """
    assert torch.ones(2, requires_grad=True).grad_fn is None


def test_tensors_made_explicitly_are_leaves(torch):
    """ "用户显式初始化的张量是叶子节点。" """
    assert torch.ones(2, requires_grad=True).is_leaf and torch.tensor([1.0]).is_leaf
    assert torch.nn.Parameter(torch.ones(2)).is_leaf


def test_all_tensors_that_do_not_require_grad_are_leaves(torch):
    """ "所有requires_grad=False的张量按照惯例也是叶子节点。" """
    assert (torch.ones(2) * 2).is_leaf and (torch.ones(2, requires_grad=True) * 2).detach().is_leaf


def test_is_leaf_is_false_for_results_of_recorded_operations(torch):
    """ "对于任意一个张量来说，我们可以用 tensor.is_leaf 来判断它是否是叶子张量（leaf tensor）。" """
    x = torch.ones(2, requires_grad=True)
    assert x.is_leaf and not (x * 2).is_leaf and not x[0].is_leaf


def test_only_leaves_keep_their_gradient_in_the_backward_pass(torch):
    """ "在反向传播过程中，只有 is_leaf=True 的时候，需要求导张量的导数结果才会被保留下来。" """
    import warnings

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.sum().backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert y.grad is None
    assert "is not a leaf Tensor" in str(caught[0].message)
    assert equal(x.grad, 2.0, 2.0)


def test_grad_fn_of_a_non_leaf_is_not_none(torch):
    """ "对于叶子节点来说，其 grad_fn 属性都为空；而对于非叶子结点来说，因为它们是通过一些操作生成的，所以其 grad_fn
    不为空。" """
    x = torch.ones(2, requires_grad=True)
    for each in (x, torch.ones(2), torch.ones(2) * 2, x * 2, x.detach(), x[0], x.t() if x.ndim == 2 else x.exp()):
        assert (each.grad_fn is None) == each.is_leaf


def test_requires_grad_says_whether_a_tensor_is_tracked_and_is_false_by_default(torch):
    """ "requires_grad属性默认为False，也就是Tensor变量默认是不需要求导的。" """
    assert torch.zeros(3).requires_grad is False
    assert torch.zeros(3, requires_grad=True).requires_grad is True


def test_all_that_depends_on_a_tensor_that_requires_grad_requires_it(torch):
    """ "如果一个节点的requires_grad是True，那么所有依赖它的节点的requires_grad也会是True。" """
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(5):
        y = (y + 1).exp().log()
        assert y.requires_grad


def test_a_subgraph_that_depends_on_nothing_that_requires_grad_is_excluded(torch):
    """ "如果一个节点依赖的所有节点都不需要求导，那么它的requires_grad也会是False。因此在反向传播过程中，该节点所在的
    子图会被排除在 计算过程之外。" """
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    frozen = (x * 3).exp()
    assert frozen.requires_grad is False
    assert names_of((frozen * w).grad_fn) == [None, "AccumulateGrad"]
