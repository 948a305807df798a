"""Calls that work, of what no card gives: tensors' own methods, modules, autograd, optimisers, files and the rest."""

from __future__ import annotations

from tools.beside_torch.generate import listed

TENSOR = listed(r"""
    x[0, 1] ; x[1:, ::2] ; x[wg.tensor([0, 1])] ; x[x > 1] ; x[..., None, 1] ; x[[0, 1], [1, 0]] ;
    x.__setitem__((0, 1), 2.0) ; x.__setitem__(slice(0, 1), wg.ones(3)) ; x.__setitem__(wg.tensor([0]), 1.0) ;
    wg.stft(x.flatten(), 4, window=wg.ones(4), return_complex=True).istft(4, window=wg.ones(4)) ;
    wg.fake_quantize_per_channel_affine(x, wg.ones(3), wg.zeros(3, dtype=wg.int32), 1, -8, 7) ;
    x.item() ; x[0, 0].item() ; x.tolist() ; x.numpy() ; x.__array__() ; x.__array__(np.float64) ; x.size(0) ;
    x.stride(1) ; x.type(wg.float64) ; x.to(wg.float64) ; x.to('cpu', wg.int32) ; x.new_zeros(2, 3) ;
    x.new_tensor([1.0]) ; x.new_empty((2,)) ; x.new_full((2,), 3.0) ; x.is_contiguous() ; x.data_ptr() ;
    x.requires_grad_(True) ; x.detach_() ; x.resize_(4) ; x.resize_((3, 4)) ; x.resize_as_(wg.ones(2, 2)) ;
    x.set_(wg.ones(4)) ; x.set_() ; x.as_strided((2, 2), (1, 1), 0) ; x.as_strided_((2, 2), (1, 1), 0) ;
    x[:, 1:].as_strided((2,), (1,), 1) ; x.t()[1:].as_strided((2, 2), (1, 2), 1) ;
    x.expand(2, 2, 3).as_strided((2,), (1,), 0) ; x.apply_(lambda v: v + 1) ;
    x.map_(wg.ones(2, 3), lambda a, b: a + b) ; x.map2_(x, x, lambda a, b, c: a + b) ; x.view(wg.int32) ; x.view(3, 2) ;
    x.view(wg.complex64) ; x.view(6).view(wg.uint8) ; x.unfold(1, 2, 1) ; x.fill_diagonal_(1.0, wrap=True) ;
    x.__contains__(1.0) ; x.__dlpack__() ; wg.from_dlpack(x) ; wg.from_numpy(np.ones(3)) ;
    wg.frombuffer(bytearray(8), dtype=wg.float32) ; wg.frombuffer(bytearray(16), dtype=wg.int32, count=2, offset=4) ;
    wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True) ; wg.as_tensor(np.ones(3), dtype=wg.float32) ;
    wg.asarray([1, 2], copy=True) ; wg.Tensor([1.0, 2.0]) ; wg.Tensor(2, 3) ; wg.Size([2, 3]) ;
    wg.Size([2, 3]).numel() ; wg.device('cpu') ; wg.finfo(wg.float32).eps ; wg.iinfo(wg.int32).max ;
    wg.can_cast(wg.float32, wg.int32) ; wg.promote_types(wg.float32, wg.int32) ; wg.result_type(x, 1.0) ;
    wg.is_tensor(x) ; wg.set_default_dtype(wg.float64) ; wg.set_num_threads(1) ; wg.set_printoptions(precision=3) ;
    wg.set_rng_state(wg.get_rng_state()) ; wg.Generator().manual_seed(1) ; wg.rand(2, generator=wg.Generator()) ;
    repr(x) ; format(x[0, 0], '.3f') ; x.__reduce__() ; x.__reduce_ex__(2) ; object.__reduce_ex__(x, 2) ;
    x.__setstate__((1,)) ; x.__deepcopy__({}) ; x.__getstate__() ; type(x).__new__(type(x)) ;
    type(x).__new__(type(x)).add(1) ; type(x)().shape ; x.__init__(2) ; copy.deepcopy(x) ; copy.copy(x) ;
    pickle.loads(pickle.dumps(x)) ; pickle.dumps(y.grad_fn) ; copy.copy(y.grad_fn) ; copy.deepcopy(y.grad_fn) ;
    setattr(x, 'data', wg.ones(2)) ; setattr(x, 'grad', wg.ones(2, 3)) ; setattr(x, 'requires_grad', True) ;
    delattr(x, 'grad') ; delattr(x, 'data') ; setattr(x, 'shape', (3, 2)) ; setattr(x, '_backward_hooks', {}) ; x + 1 ;
    2 ** x ; x // 2 ; x % 2 ; x @ x.t() ; x < 1 ; x.bool() & True ; x.long() << 1 ; np.add(x, 1) ; np.sum(x) ;
    np.concatenate([x, x]) ; divmod(x, 2) ; x.__getattribute__('shape') ; x._as_strided_from_((2,), (1,), 0) ;
    wg.float_power(x, 2) ;
    y._version ; wg.cat([x, x], dim=0) ; wg.stack((x, x), 1) ; wg.where(x > 1, x, 0.0) ; wg.einsum('ij->ji', x) ;
    wg.meshgrid(wg.ones(2), wg.ones(3), indexing='ij') ; wg.broadcast_tensors(x, wg.ones(3)) ; wg.split(x, [1, 1]) ;
    wg.tensor_split(x, 2) ; wg.chunk(x, 2) ; wg.max_pool2d(wg.ones(1, 1, 4, 4), 2, 2, 1, 1, True) ;
    F.avg_pool2d(wg.ones(1, 1, 4, 4), 2, 2, 1, True, False, 3) ; F.adaptive_max_pool2d(wg.ones(1, 4, 4), (2, 2), True) ;
    F.interpolate(wg.ones(1, 1, 4), scale_factor=2.0) ; F.pad(x, (1, 1), mode='constant', value=0.5) ;
    F.unfold(wg.ones(1, 1, 4, 4), 2, 1, 0, 1) ; F.fold(wg.ones(1, 4, 9), (4, 4), 2) ; F.one_hot(wg.tensor([0, 1]), 3) ;
    F.embedding(wg.tensor([0, 1]), x, 0, 2.0, 2.0, True, False) ;
    F.conv2d(wg.ones(1, 2, 4, 4), wg.ones(2, 1, 2, 2), None, 1, 1, 1, 2) ;
    F.conv_transpose2d(wg.ones(1, 2, 4, 4), wg.ones(2, 1, 2, 2), None, 1, 1, 0, 2, 1) ; wg.imag(wg.tensor([1j]))
""")

AUTOGRAD = listed(r"""
    wg.autograd.grad(y.sum(), x, retain_graph=True) ; wg.autograd.grad([y], [x], [wg.ones(2, 3)], allow_unused=True) ;
    wg.autograd.grad(y, x, wg.ones(2, 3), is_grads_batched=False, materialize_grads=True) ;
    wg.autograd.backward([y], [wg.ones(2, 3)], inputs=[x]) ; y.backward(wg.ones(2, 3), retain_graph=True) ;
    y.sum().backward(inputs=x) ; y.register_hook(lambda g: g) ; x.register_post_accumulate_grad_hook(lambda p: None) ;
    y.grad_fn.register_hook(lambda i, o: None) ; y.grad_fn.register_prehook(lambda o: None) ;
    y.grad_fn.next_functions[0] ; y.grad_fn(wg.ones(2, 3)) ; y.grad_fn.apply(wg.ones(2, 3)) ; y.grad_fn._saved_self ;
    y.grad_fn._raw_saved_self.register_hooks(id, id) ; type(y.grad_fn)() ; type(y.grad_fn).__new__(type(y.grad_fn)) ;
    type(y.grad_fn).__new__(type(y.grad_fn)).next_functions ; y.grad_fn.__reduce__() ; y.grad_fn.__setstate__(()) ;
    wg.autograd.graph.get_gradient_edge(y) ; wg.autograd.graph.GradientEdge(y.grad_fn, 0) ;
    wg.autograd.grad(wg.autograd.graph.GradientEdge(y.grad_fn, 0), x, wg.ones(2, 3)) ;
    wg.autograd.graph.increment_version(x) ; wg.autograd.graph.register_multi_grad_hook((x, y), lambda g: None) ;
    wg.autograd.graph.register_multi_grad_hook([x], lambda g: None, mode='any') ;
    wg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__() ;
    wg.autograd.graph.save_on_cpu(pin_memory=False) ; wg.autograd.graph.disable_saved_tensors_hooks('no').__enter__() ;
    wg.autograd.Variable(x, requires_grad=True) ; wg.autograd.set_detect_anomaly(True, check_nan=False) ;
    wg.autograd.detect_anomaly(check_nan=True) ; wg.set_grad_enabled(True) ; wg.inference_mode(True) ;
    wg.no_grad()(lambda: 1)() ; wg.autograd.set_multithreading_enabled(True) ; Square.apply(x) ; Square.apply(x, 2) ;
    Square() ; Square.forward(Square, x) ; Square.apply(x).grad_fn.saved_tensors ;
    Square.apply(x).grad_fn.save_for_backward(x) ; Square.apply(x).grad_fn.mark_dirty(x) ;
    Square.apply(x).backward(wg.ones(2, 3)) ; Square.apply(x).grad_fn.set_materialize_grads(False) ;
    wg.utils.checkpoint.checkpoint(lambda v: v * 2, x, use_reentrant=False) ;
    wg.utils.checkpoint.checkpoint_sequential([nn.ReLU(), nn.Tanh()], 2, x, use_reentrant=False) ;
    Returning(wg.ones(2, 3)).apply(x).sum().backward() ; Returning((wg.ones(2, 3),)).apply(x).sum().backward() ;
    y.register_hook(lambda g: wg.ones(2, 3)), y.sum().backward() ;
    y.grad_fn.register_hook(lambda i, o: (wg.ones(2, 3),)), y.sum().backward() ;
    y.grad_fn.register_prehook(lambda o: (wg.ones(2, 3),)), y.sum().backward() ;
    wg.autograd.functional.jacobian(lambda a: a * 2, x, False, True, False, 'reverse-mode') ;
    wg.autograd.functional.hessian(lambda a, b: (a * b).sum(), (x, x), True, False) ;
    wg.autograd.functional.vjp(lambda a: a * a, x, wg.ones(2, 3), True, True) ;
    wg.autograd.functional.jvp(lambda a: (a * a, a.sum()), x, wg.ones(2, 3), True, False) ;
    wg.autograd.functional.vhp(lambda a: (a**3).sum(), x, wg.ones(2, 3), False, True) ;
    wg.autograd.functional.hvp(lambda a: (a**3).sum(), (x,), (wg.ones(2, 3),), True, True) ;
    wg.autograd.forward_ad.dual_level()(lambda: wg.autograd.forward_ad.make_dual(x, wg.ones(2, 3), level=0) * 2)() ;
    wg.autograd.forward_ad.dual_level()(lambda: wg.autograd.forward_ad.unpack_dual(x, level=0))() ;
    wg.autograd.forward_ad.dual_level()(lambda: wg.autograd.forward_ad.make_dual(wg.ones(3), wg.ones(3)).exp_()[1:])() ;
    wg.func.grad(lambda a, b: (a * b).sum(), (0, 1), False)(x, x) ; wg.func.vjp(lambda a: a * 2, x)[1](wg.ones(2, 3)) ;
    wg.func.jvp(lambda a: (a * 2, a.sum()), (x,), (wg.ones(2, 3),), strict=True) ;
    wg.func.jacrev(lambda a: a * 2, 0, chunk_size=1)(x) ; wg.func.jacfwd(lambda a: a * 2, (0,))(x) ;
    wg.func.linearize(lambda a: a.sin(), x)[1](wg.ones(2, 3)) ; wg.func.hessian(lambda a: (a**3).sum())(x) ;
    wg.func.functional_call(nn.Linear(3, 2), {'weight': wg.ones(2, 3)}, (x,), strict=False) ;
    wg.func.stack_module_state([nn.Linear(3, 2), nn.Linear(3, 2)]) ;
    wg.func.jacobian_sparsity(lambda a, b: a[1:] * b, x, x, argnums=(0, 1)) ;
    wg.func.hessian_sparsity(lambda a: (a**3).sum(), x, argnums=0) ;
    wg.func.sparse_jacobian(lambda a: a * a, 0, sparsity=np.eye(6), mode='reverse')(x) ;
    wg.func.sparse_hessian(lambda a: (a**3).sum(), (0,), sparsity=np.eye(6))(x)
""")

SCIPY = listed(r"""
    wg.scipy.minimize(lambda a: (a**2).sum(), x, (), 'trust-constr', sparsity='find', tol=1e-3) ;
    wg.scipy.minimize(lambda a, k: ((a - k) ** 2).sum(), [1.0, 2.0], (3.0,), jac=lambda a, k: 2 * (a - k)) ;
    wg.scipy.minimize(lambda a: (a**2).sum(), x, method='SLSQP', constraints={'type': 'eq', 'fun': lambda a: a.sum()}) ;
    wg.scipy.root(lambda a: a * a - 2, x, (), 'hybr', None, 1e-3, sparsity=np.eye(6)) ;
    wg.scipy.least_squares(lambda a: a - 3, x, bounds=(0, 9), jac_sparsity='find', loss='soft_l1') ;
    wg.scipy.solve_ivp(lambda t, a, k: -k * a, (0, 1), x, 'BDF', [0.5], args=(2.0,), events=lambda t, a, k: a.sum())
""")

SPARSE = listed(r"""
    wg.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], (2, 3), is_coalesced=True, check_invariants=True) ;
    wg.sparse_coo_tensor(wg.tensor([[0, 0]]), wg.ones(2, 3)).coalesce() ; x.to_sparse(1) ;
    s.to_dense(masked_grad=False) ; s.to_dense(wg.float64) ; s.coalesce() ; s.is_coalesced() ; s._coalesced_(True) ;
    s.indices() ; s.values() ; s._indices() ; s._values() ; s._nnz() ; s.sparse_dim() ; s.dense_dim() ;
    x.sparse_mask(s) ; s.clone() ; s.select(0, 1) ; s[1] ; s.permute(1, 0) ; s.transpose(0, 1) ; s.t() ;
    s.unsqueeze(0) ; s.index_select(1, wg.tensor([0, 2])) ; s.sum(0) ; wg.cat([s, s], 1) ; wg.stack([s, s]) ;
    s.unbind(0) ; s.norm(2) ; s + s ; s - s ; s * 2 ; s * x ; s / 2 ; s.detach().add_(s.detach(), alpha=2) ;
    s.detach().mul_(s.detach()) ; s.detach().zero_() ; s.detach().copy_(s.detach()) ; wg.ones(2, 3).add_(s.detach()) ;
    s**2 ; s.sin() ; s @ x.t() ; wg.mv(s, wg.ones(3)) ; s.sum().backward() ; wg.sparse.mm(s, x.t()) ;
    wg.sparse.mm(s, s.t()) ; wg.sparse.addmm(wg.ones(2, 2), s, x.t(), beta=2, alpha=3) ; wg.spmm(s, x.t()) ;
    wg.smm(s, x.t()) ; wg.hspmm(s, x.t()) ; wg.sspaddmm(s @ s.t(), s, x.t(), beta=2, alpha=3) ;
    wg.saddmm(s @ s.t(), s, x.t(), beta=2, alpha=3) ; wg.indices_copy(s) ; wg.values_copy(s) ;
    wg.sparse.sum(s, (0,), dtype=wg.float64) ; wg.sparse.softmax(s, 1) ; wg.sparse.log_softmax(s, 1) ;
    nn.Embedding(4, 3, sparse=True)(wg.tensor([0, 1])).sum().backward() ;
    F.embedding(wg.tensor([0, 1]), x, sparse=True) ; repr(s) ; copy.deepcopy(s.detach()) ;
    pickle.loads(pickle.dumps(s.detach())) ;
    cards['_sparse_coo_tensor_with_dims_and_tensors'](wg.tensor([[0, 1]]), wg.ones(2), (3,), True) ;
    cards['_to_sparse'](x, 1) ; cards['_to_dense'](s) ; cards['_coalesce'](s) ; cards['_sparse_values'](s) ;
    cards['_sparse_entries'](x, wg.tensor([[0, 1], [2, 0]]), True) ; cards['_sparse_mask'](x, s.detach(), True) ;
    cards['_sparse_entries'](s, wg.tensor([[0, 1], [2, 0]]), False) ; cards['_sparse_sum'](s, (0,)) ;
    cards['_sparse_addmm'](wg.ones(2, 2), s, x.t(), 2, 3) ; cards['_sparse_sparse_matmul'](s, s.t()) ;
    cards['_sparse_softmax'](s, 1) ; cards['_sparse_log_softmax'](s, 1) ;
    wg.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], (2, 3), check_invariants=True, requires_grad=True) ;
    wg.sparse_csc_tensor([0, 1, 2], [2, 0], wg.ones(2), (3, 2)).to_dense() ; r.to_sparse_csc() ; r.to_sparse() ;
    wg.sparse_bsr_tensor([0, 1, 2], [1, 0], wg.ones(2, 1, 2)) ; wg.sparse_bsc_tensor([0, 1], [1], wg.ones(1, 2, 1)) ;
    wg.sparse_compressed_tensor([0, 1, 2], [2, 0], wg.ones(2), (2, 3), layout=wg.sparse_csr) ;
    x.to_sparse_csr() ; x.to_sparse_bsr((1, 3)) ; x.to_sparse_bsc((2, 1)) ; x.to_sparse(layout=wg.sparse_csc) ;
    r.crow_indices() ; r.col_indices() ; r.to_sparse_csc().ccol_indices() ; r.to_sparse_csc().row_indices() ;
    wg.crow_indices_copy(r) ; wg.col_indices_copy(r) ; wg.ccol_indices_copy(r.to_sparse_csc()) ;
    wg.row_indices_copy(r.to_sparse_csc()) ; r.detach().resize_(4, 4) ;
    r @ x.t() ; r @ wg.ones(3) ; r @ r.t() ; wg.addmm(wg.ones(2, 2), r, x.t(), beta=2, alpha=3) ; r * r ; r * x ;
    r * 2 ; wg.addmv(wg.ones(2), r, wg.ones(3)) ; r + r ; x + r ; -r ; r.sin() ; r.sum(1, keepdim=True) ; r[0] ;
    r.unbind(1) ; wg.sparse.mm(r, x.t(), 'amax') ; wg.sparse.sampled_addmm(r, wg.ones(2, 2), x, beta=2) ; repr(r) ;
    r.detach().mul_(2) ; r.detach().zero_() ; r.detach().copy_(r.detach()) ; x.sparse_mask(r.detach()) ; r.clone() ;
    wg.zeros(2, 3, layout=wg.sparse_csr) ; wg.ones_like(r) ; copy.deepcopy(r.detach()) ;
    pickle.loads(pickle.dumps(r.detach())) ;
    cards['_sparse_compressed_tensor'](wg.tensor([0, 1]), wg.tensor([2]), wg.ones(1), (1, 3), wg.sparse_csr) ;
    cards['_to_sparse_compressed'](x, wg.sparse_csr, (), 0, (wg.strided, ())) ;
    cards['_sparse_mm_reduce_impl'](r, x.t(), 'mean') ; cards['_sparse_sampled_addmm'](r, wg.ones(2, 2), x, 2, 3) ;
    s.detach().sparse_resize_((4, 4), 2, 0) ; s.detach().sparse_resize_and_clear_((4, 4), 1, 1) ;
    s.narrow_copy(1, 0, 2) ; wg.resize_as_sparse_(s.detach(), s.detach()) ;
    wg.sparse.spdiags(x, wg.tensor([0, -1]), (3, 3), wg.sparse_csc) ;
    cards['_embedding_sparse'](x, wg.tensor([0, 1]))
""")

MODULES = listed(r"""
    nn.Linear(3, 2, bias=True)(x) ; nn.Bilinear(3, 3, 2)(x, x) ; nn.Conv1d(2, 2, 1, stride=1, padding=0)(x) ;
    nn.Conv2d(1, 2, 2, stride=1, padding=1, dilation=1, groups=1, bias=True, padding_mode='zeros')(i) ;
    nn.Conv2d(1, 2, 2, padding='same')(i) ; nn.MaxPool2d(2, 2, 1, 1, return_indices=True)(i) ;
    nn.AvgPool2d(2, 2, 1)(i) ; nn.AdaptiveAvgPool2d((2, 2))(i) ; nn.AdaptiveMaxPool2d(2, return_indices=True)(i) ;
    nn.MaxPool1d(2)(x) ; nn.AvgPool1d(2)(x) ; nn.BatchNorm1d(3, eps=1e-5, momentum=0.1)(x) ;
    nn.BatchNorm2d(1, affine=True)(i) ; nn.InstanceNorm2d(1, affine=True)(i) ; nn.GroupNorm(1, 1)(i) ;
    nn.LayerNorm(3)(x) ; nn.LayerNorm((2, 3), eps=1e-5)(x) ; nn.RMSNorm(3)(x) ; nn.Dropout(0.5)(x) ;
    nn.Embedding(4, 3, padding_idx=0, max_norm=1.0)(wg.tensor([0, 1])) ; nn.Flatten(0, 1)(x) ;
    nn.Unflatten(1, (3, 1))(x) ; nn.PReLU(3, 0.25)(x) ; nn.ELU(1.0)(x) ; nn.Hardtanh(-1.0, 1.0)(x) ;
    nn.Threshold(0.1, 2.0)(x) ; nn.Softplus(1.0, 20.0)(x) ; nn.Softmax(dim=1)(x) ; nn.GELU('tanh')(x) ;
    nn.LeakyReLU(0.1, True)(x) ; nn.CrossEntropyLoss(label_smoothing=0.1)(x, k) ;
    nn.NLLLoss(weight=wg.ones(3), ignore_index=1)(x, k) ; nn.MSELoss(reduction='mean')(x, x) ;
    nn.HuberLoss(delta=1.0)(x, x) ; nn.BCELoss()(x.sigmoid(), x.sigmoid()) ;
    nn.BCEWithLogitsLoss(pos_weight=wg.ones(3))(x, x) ; nn.KLDivLoss(log_target=True)(x, x) ;
    nn.SmoothL1Loss(beta=1.0)(x, x) ; nn.Sequential(nn.Linear(3, 2), nn.ReLU())(x) ; nn.Sequential(nn.ReLU())[0] ;
    nn.ModuleList([nn.ReLU()]).insert(0, nn.Tanh()) ; nn.ModuleList([nn.ReLU()])[0] ;
    nn.ModuleDict({'a': nn.ReLU()})['a'] ; nn.ParameterList([nn.Parameter(x)])[0] ;
    nn.ParameterDict({'a': nn.Parameter(x)}).pop('a') ; nn.Parameter(x, requires_grad=True) ;
    nn.Buffer(x, persistent=True) ; m.load_state_dict(m.state_dict(), strict=True, assign=False) ;
    m.register_buffer('b', x) ; m.register_parameter('p', nn.Parameter(x)) ; m.add_module('c', nn.ReLU()) ;
    m.register_forward_hook(lambda m, i, o: None) ; m.register_full_backward_hook(lambda m, i, o: None) ;
    m.apply(lambda m: None) ; m.to(wg.float64) ; m.to('cpu') ; m.get_submodule('') ; m.get_parameter('weight') ;
    m.requires_grad_(False) ; m.train(True) ; m.zero_grad(set_to_none=True) ; setattr(m, 'weight', nn.Parameter(x)) ;
    delattr(m, 'weight') ; list(m.named_parameters(prefix='a', recurse=True)) ; m(x) ; m.type(wg.float64) ; m.half() ;
    m.extra_repr() ; m.__setstate__({}) ; m.register_state_dict_pre_hook(lambda *a: None) ;
    nn.init.uniform_(x, 0.0, 1.0) ; nn.init.normal_(x, 0.0, 1.0) ; nn.init.constant_(x, 1.0) ;
    nn.init.kaiming_uniform_(x, a=0.1) ; nn.init.xavier_normal_(x, gain=1.0) ;
    nn.init.trunc_normal_(x, 0.0, 1.0, -2.0, 2.0) ; nn.init.orthogonal_(x, 1.0) ; nn.init.eye_(x) ;
    nn.init.dirac_(wg.ones(2, 2, 3), 1) ; nn.init.sparse_(x, 0.5) ; nn.init.calculate_gain('leaky_relu', 0.1) ;
    nn.utils.clip_grad_norm_(m.parameters(), 1.0, norm_type=2.0) ; nn.utils.clip_grad_value_(m.parameters(), 1.0) ;
    nn.utils.parameters_to_vector(m.parameters()) ; nn.utils.vector_to_parameters(wg.ones(8), m.parameters())
""")

REST = listed(r"""
    wg.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, dampening=0.0, weight_decay=0.1, nesterov=False) ;
    wg.optim.Adam(m.parameters(), lr=0.1, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1, amsgrad=True) ;
    wg.optim.AdamW(m.parameters(), lr=0.1, weight_decay=0.1) ;
    wg.optim.RMSprop(m.parameters(), lr=0.1, alpha=0.9, momentum=0.1, centered=True) ;
    wg.optim.Adagrad(m.parameters(), lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1) ; o.step() ;
    o.step(lambda: m(x).sum()) ; o.zero_grad(True) ; o.load_state_dict(o.state_dict()) ;
    o.add_param_group({'params': [x]}) ; wg.optim.SGD([{'params': [x], 'lr': 0.1}], lr=0.2).step() ;
    setattr(x, 'grad', wg.ones(2, 3)), wg.optim.Adam([x], lr=0.1).step() ;
    wg.optim.lr_scheduler.StepLR(o, 2, 0.1).step() ; wg.optim.lr_scheduler.LambdaLR(o, lambda e: 0.9).step() ;
    wg.optim.lr_scheduler.MultiStepLR(o, [1, 2], 0.1).step() ; wg.optim.lr_scheduler.ExponentialLR(o, 0.9).step() ;
    wg.optim.lr_scheduler.CosineAnnealingLR(o, 10, 0.0).step() ;
    wg.optim.lr_scheduler.ReduceLROnPlateau(o, 'min', 0.1, 2).step(1.0) ;
    wg.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=10).step() ;
    next(iter(wg.utils.data.DataLoader(wg.utils.data.TensorDataset(x), batch_size=2, shuffle=True, drop_last=False))) ;
    wg.utils.data.random_split(wg.utils.data.TensorDataset(x), [1, 1]) ; wg.utils.data.Subset([1, 2, 3], [0, 1])[0] ;
    wg.utils.data.default_collate([x, x]) ; wg.io.save_file({'a': x}, '/dev/null/none', {'b': 'c'}) ;
    wg.io.load_file('/dev/null') ; wg.io.load_metadata('/dev/null') ; wg.viz.graph(y) ; wg.viz.graph(y, params={'x': x})
""")

START = """\
x = wg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]){leaf}"""
GRAPH = START.format(leaf=".requires_grad_()") + "\ny = x * x"
COORDINATES = GRAPH.replace("2.0", "0.0") + "\ns, r = x.to_sparse(), x.to_sparse_csr()"
NETWORK = (
    GRAPH
    + "\ni, k = wg.ones(1, 1, 4, 4), wg.tensor([0, 2])\nm = nn.Linear(3, 2)\no = wg.optim.SGD(m.parameters(), lr=0.1)"
)

CALLS = (
    *(f"{START.format(leaf='')}\n{call}" for call in TENSOR if "y" not in call.replace("copy", "").replace("type", "")),
    *(f"{GRAPH}\n{call}" for call in (*TENSOR, *AUTOGRAD, *SCIPY)),
    *(f"{COORDINATES}\n{call}" for call in SPARSE),
    *(f"{NETWORK}\n{call}" for call in (*MODULES, *REST)),
)
"""All of them, each with what it needs before it."""
