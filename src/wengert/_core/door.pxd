cdef extern from *:
    """
    #ifndef NPY_NO_DEPRECATED_API
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #endif
    #include <numpy/ndarraytypes.h>
    /* Fields of NumPy's arrays read directly; arrays of other modules take the way by name. */
    static PyTypeObject *wengert_ndarray;
    static CYTHON_INLINE PyArrayObject *wengert_as_ndarray(PyObject *array) {
        if (wengert_ndarray == NULL) {
            PyObject *numpy = PyImport_ImportModule("numpy");
            if (numpy) wengert_ndarray = (PyTypeObject *)PyObject_GetAttrString(numpy, "ndarray");
            Py_XDECREF(numpy);
            PyErr_Clear();
        }
        return Py_TYPE(array) == wengert_ndarray ? (PyArrayObject *)array : NULL;
    }
    /* An attribute of what is no array of NumPy's: anything, even a tensor that leads back to itself. */
    static CYTHON_UNUSED PyObject *wengert_attribute(PyObject *array, const char *name) {
        if (Py_EnterRecursiveCall(" while reading an attribute of an array")) return NULL;
        PyObject *found = PyObject_GetAttrString(array, name);
        Py_LeaveRecursiveCall();
        return found;
    }
    #define wengert_is_ndarray(value) (wengert_as_ndarray(value) != NULL)
    static CYTHON_UNUSED PyObject *wengert_shape_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return wengert_attribute(array, "shape");
        int ndim = PyArray_NDIM(own);
        PyObject *shape = PyTuple_New(ndim);
        for (int at = 0; shape && at < ndim; at++) {
            PyObject *length = PyLong_FromSsize_t(PyArray_DIM(own, at));
            if (length == NULL) { Py_DECREF(shape); return NULL; }
            PyTuple_SET_ITEM(shape, at, length);
        }
        return shape;
    }
    static CYTHON_UNUSED PyObject *wengert_address_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own) return PyLong_FromVoidPtr(PyArray_DATA(own));
        PyObject *pointer = PyObject_GetAttrString(array, "ctypes");
        PyObject *found = pointer ? PyObject_GetAttrString(pointer, "data") : NULL;
        Py_XDECREF(pointer);
        return found;
    }
    static CYTHON_UNUSED PyObject *wengert_dtype_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return wengert_attribute(array, "dtype");
        PyObject *dtype = (PyObject *)PyArray_DESCR(own);
        Py_INCREF(dtype);
        return dtype;
    }
    static CYTHON_UNUSED Py_ssize_t wengert_ndim_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own) return PyArray_NDIM(own);
        PyObject *found = wengert_attribute(array, "ndim");
        Py_ssize_t ndim = found ? PyLong_AsSsize_t(found) : -1;
        Py_XDECREF(found);
        return ndim;
    }
    /* The letter of an array's dtype, or -1 with an error set. */
    static CYTHON_UNUSED int wengert_kind_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own) return PyArray_DESCR(own)->kind;
        PyObject *dtype = wengert_attribute(array, "dtype");
        PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
        int found = kind && PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) ? (int)PyUnicode_READ_CHAR(kind, 0) : -1;
        if (found < 0 && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array's dtype has no kind");
        Py_XDECREF(kind);
        Py_XDECREF(dtype);
        return found;
    }
    static CYTHON_UNUSED int wengert_is_complex(PyObject *array) {
        int kind = wengert_kind_of(array);
        return kind < 0 ? -1 : kind == 'c';
    }
    static CYTHON_UNUSED int wengert_is_inexact(PyObject *array) {
        int kind = wengert_kind_of(array);
        return kind < 0 ? -1 : kind == 'f' || kind == 'c' || kind == 'V';
    }
    static CYTHON_UNUSED Py_ssize_t wengert_size_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own) {
            Py_ssize_t size = 1;
            for (int at = 0; at < PyArray_NDIM(own); at++) size *= PyArray_DIM(own, at);
            return size;
        }
        PyObject *found = wengert_attribute(array, "size");
        Py_ssize_t size = found ? PyLong_AsSsize_t(found) : -1;
        Py_XDECREF(found);
        return size;
    }
    /* Bytes of one element, or -1 with an error set. The field of the descriptor lies elsewhere in NumPy 1 and 2. */
    static Py_ssize_t wengert_itemsize(PyArrayObject *own) {
        switch (PyArray_DESCR(own)->type_num) {
            case NPY_BOOL: case NPY_BYTE: case NPY_UBYTE: return 1;
            case NPY_SHORT: case NPY_USHORT: case NPY_HALF: return 2;
            case NPY_INT: case NPY_UINT: case NPY_FLOAT: return 4;
            case NPY_LONG: case NPY_ULONG: return sizeof(long);
            case NPY_LONGLONG: case NPY_ULONGLONG: case NPY_DOUBLE: case NPY_CFLOAT: return 8;
            case NPY_CDOUBLE: return 16;
        }
        PyObject *found = PyObject_GetAttrString((PyObject *)own, "itemsize");
        Py_ssize_t size = found ? PyLong_AsSsize_t(found) : -1;
        Py_XDECREF(found);
        return size;
    }
    static CYTHON_UNUSED int wengert_is_row_major(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return 1;  /* arrays of other modules: their order is theirs */
        Py_ssize_t step = wengert_itemsize(own);
        if (step < 0) return -1;
        for (int at = PyArray_NDIM(own) - 1; at >= 0; at--) {
            if (PyArray_STRIDE(own, at) != step) return 0;
            if (PyArray_DIM(own, at) > 1) step *= PyArray_DIM(own, at);
        }
        return 1;
    }
    static CYTHON_UNUSED int wengert_keeps_rows(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return 1;
        for (int at = PyArray_NDIM(own) - 1; at >= 0; at--) {
            if (PyArray_DIM(own, at) == 0) return 0;
        }
        int rows = wengert_is_row_major(array);
        if (rows) return rows;
        Py_ssize_t inner = 0;
        int expanded = 0;
        for (int at = PyArray_NDIM(own) - 1; at >= 0; at--) {
            Py_ssize_t stride = PyArray_STRIDE(own, at);
            if (stride == 0) {
                expanded |= PyArray_DIM(own, at) > 1;
            } else {
                if (stride <= inner) return 0;
                inner = stride;
            }
        }
        return expanded;
    }
    static CYTHON_UNUSED int wengert_in_space(PyObject *array, PyObject *shape, PyObject *dtype) {
        if (shape == Py_None) return 0;
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) {
            PyObject *other_dtype = wengert_attribute(array, "dtype");
            PyObject *other_shape = wengert_attribute(array, "shape");
            int same = -1;
            if (other_dtype && other_shape)
                same = other_dtype == dtype && PyObject_RichCompareBool(other_shape, shape, Py_EQ) == 1;
            Py_XDECREF(other_dtype);
            Py_XDECREF(other_shape);
            return same;
        }
        if ((PyObject *)PyArray_DESCR(own) != dtype || PyArray_NDIM(own) != PyTuple_GET_SIZE(shape)) return 0;
        for (int at = 0; at < PyArray_NDIM(own); at++)
            if (PyArray_DIM(own, at) != PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, at))) return 0;
        return 1;
    }
    static CYTHON_INLINE PyObject *wengert_new(PyObject *cls) {
        PyObject *nothing = PyTuple_New(0);  /* a shared constant of the interpreter */
        if (nothing == NULL) return NULL;
        PyObject *made = ((PyTypeObject *)cls)->tp_new((PyTypeObject *)cls, nothing, NULL);
        Py_DECREF(nothing);
        return made;
    }
    static CYTHON_UNUSED int wengert_bind(PyObject *cls, PyObject *name, PyObject *value) {
        PyTypeObject *type = (PyTypeObject *)cls;
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return PyObject_SetAttr(cls, name, value);
        if (PyDict_SetItem(type->tp_dict, name, value) < 0) return -1;
        PyType_Modified(type);
        return 0;
    }
    static CYTHON_UNUSED PyObject *wengert_subclass(PyObject *module, PyObject *name, PyObject *base) {
        PyObject *full = PyUnicode_FromFormat("%U.%U", module, name);
        PyObject *bases = full ? PyTuple_Pack(1, base) : NULL;
        PyType_Slot slots[] = {{0, NULL}};
        PyType_Spec spec = {full ? PyUnicode_AsUTF8(full) : NULL, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        PyObject *made = bases && spec.name ? PyType_FromSpecWithBases(&spec, bases) : NULL;
        Py_XDECREF(bases);
        Py_XDECREF(full);
        return made;
    }
    static CYTHON_UNUSED PyObject *wengert_referent(PyObject *reference) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyObject *found = NULL;
        if (PyWeakref_GetRef(reference, &found) < 0) return NULL;
        if (found) return found;
        Py_RETURN_NONE;
    #else
        PyObject *found = PyWeakref_GetObject(reference);
        Py_XINCREF(found);
        return found;
    #endif
    }
    #define wengert_weak(value) PyWeakref_NewRef((PyObject *)(value), NULL)
    /* Tensor.attributes is the slot of the instance's dictionary: NULL until Python makes one. Cython fills new instances with
       None, so both ways of allocation (tp_new here, and Cython's direct call of it, by `begin`) put NULL there. The macros
       are used in base.py only, where the struct is known. */
    #define WENGERT_TENSOR struct __pyx_obj_7wengert_5_core_4base_Tensor
    #define wengert_begin(tensor) Py_CLEAR(((WENGERT_TENSOR *)(tensor))->attributes)
    #define wengert_lazy_dict(cls) \
        wengert_set_dict_slot((PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, attributes))
    static newfunc wengert_tensor_new;
    static PyObject *wengert_new_tensor(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        PyObject *made = wengert_tensor_new(type, args, kwargs);
        if (made) {
            PyObject **slot = _PyObject_GetDictPtr(made);
            if (slot) Py_CLEAR(*slot);
        }
        return made;
    }
    static PyGetSetDef wengert_dict_property[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
    static CYTHON_UNUSED int wengert_set_dict_slot(PyTypeObject *type, Py_ssize_t offset) {
        PyObject *property = PyDescr_NewGetSet(type, wengert_dict_property);
        if (property == NULL) return -1;
        int failed = PyDict_SetItemString(type->tp_dict, "__dict__", property);
        Py_DECREF(property);
        if (failed) return -1;
        wengert_tensor_new = type->tp_new;
        type->tp_new = wengert_new_tensor;
        type->tp_dictoffset = offset;
        type->tp_name = "wengert.Tensor";  /* where programs find it, and what error messages say */
        PyType_Modified(type);
        return 0;
    }
    /* Custom Functions: their nodes, and the edges that lead to these, are seen by the collector; Cython knows neither that
       the fields which such a node inherits have to be visited, nor how to make a visible subclass of an invisible class.
       What a node saved is invisible too, and visited with the node if nobody else holds it. The macros are used in
       function.py only. */
    #define WENGERT_NODE struct __pyx_obj_7wengert_5_core_4node_Node
    #define WENGERT_EDGE struct __pyx_obj_7wengert_5_core_4node_Edge
    #define WENGERT_FUNCTION_NODE struct __pyx_obj_7wengert_5_core_8function_FunctionNode
    #define WENGERT_INPUT struct __pyx_obj_7wengert_5_core_5saved_SavedInput
    #define WENGERT_PACKED struct __pyx_obj_7wengert_5_core_5saved_SavedPacked
    #define WENGERT_FIELD(object, offset) (*(PyObject **)((char *)(object) + (offset)))
    #define wengert_show_node(cls, input_cls, packed_cls) wengert_set_node_slots((PyTypeObject *)(cls), \
        (WengertFields){{offsetof(WENGERT_NODE, next_edges), offsetof(WENGERT_NODE, node_hooks), offsetof(WENGERT_NODE, node_notes)}, \
            offsetof(WENGERT_FUNCTION_NODE, kept_tensors), { \
                {(PyTypeObject *)(input_cls), offsetof(WENGERT_INPUT, leaf)}, \
                {(PyTypeObject *)(input_cls), offsetof(WENGERT_INPUT, edge)}, \
                {(PyTypeObject *)(packed_cls), offsetof(WENGERT_PACKED, packed)}, \
                {(PyTypeObject *)(packed_cls), offsetof(WENGERT_PACKED, unpack_hook)}, \
                {(PyTypeObject *)(packed_cls), offsetof(WENGERT_PACKED, edge)}}})
    #define wengert_shown_edge(cls) wengert_edge_class((cls), offsetof(WENGERT_EDGE, node))
    typedef struct {
        Py_ssize_t inherited[3];
        Py_ssize_t kept;
        struct { PyTypeObject *type; Py_ssize_t offset; } saved[5];
    } WengertFields;
    static WengertFields wengert_fields;
    static Py_ssize_t wengert_edge_node;
    static traverseproc wengert_node_traverse;
    static inquiry wengert_node_clear;
    static int wengert_traverse_node(PyObject *self, visitproc visit, void *arg) {
        PyObject *kept = WENGERT_FIELD(self, wengert_fields.kept);
        for (int at = 0; at < 3; at++) Py_VISIT(WENGERT_FIELD(self, wengert_fields.inherited[at]));
        if (kept && PyTuple_CheckExact(kept) && Py_REFCNT(kept) == 1)
            for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(kept); at++) {
                PyObject *saved = PyTuple_GET_ITEM(kept, at);
                for (int field = 0; field < 5; field++)
                    if (Py_REFCNT(saved) == 1 && Py_TYPE(saved) == wengert_fields.saved[field].type)
                        Py_VISIT(WENGERT_FIELD(saved, wengert_fields.saved[field].offset));
            }
        return wengert_node_traverse(self, visit, arg);
    }
    static int wengert_clear_node(PyObject *self) {
        for (int at = 1; at < 3; at++) {
            PyObject *before = WENGERT_FIELD(self, wengert_fields.inherited[at]);
            Py_INCREF(Py_None);
            WENGERT_FIELD(self, wengert_fields.inherited[at]) = Py_None;
            Py_XDECREF(before);
        }
        return wengert_node_clear(self);
    }
    static CYTHON_UNUSED int wengert_set_node_slots(PyTypeObject *type, WengertFields fields) {
        wengert_fields = fields;
        wengert_node_traverse = type->tp_traverse;
        wengert_node_clear = type->tp_clear;
        type->tp_traverse = wengert_traverse_node;
        type->tp_clear = wengert_clear_node;
        return 0;
    }
    static int wengert_traverse_edge(PyObject *self, visitproc visit, void *arg) {
        Py_VISIT(Py_TYPE(self));
        Py_VISIT(WENGERT_FIELD(self, wengert_edge_node));
        return 0;
    }
    static CYTHON_UNUSED PyObject *wengert_edge_class(PyObject *base, Py_ssize_t node) {
        PyType_Slot slots[] = {{Py_tp_traverse, wengert_traverse_edge}, {0, NULL}};
        PyType_Spec spec = {
            "wengert._core.function.FunctionEdge", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
        PyObject *bases = PyTuple_Pack(1, base);
        PyObject *made = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
        Py_XDECREF(bases);
        wengert_edge_node = node;
        return made;
    }
    /* A tensor that alone leads to its node shows the collector what hangs on the node, so that a hook may hold its own
       tensor: the edge and the node between them are invisible. The macro is used in hooked.py only. */
    #define wengert_show_hooks(cls) wengert_set_tensor_slots((PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, _edge_), \
        offsetof(WENGERT_EDGE, node), offsetof(WENGERT_NODE, node_hooks), offsetof(WENGERT_NODE, node_notes))
    static Py_ssize_t wengert_way[4];
    static traverseproc wengert_tensor_traverse;
    static PyObject *wengert_alone(PyObject *holder, Py_ssize_t offset) {
        PyObject *found = WENGERT_FIELD(holder, offset);
        return found && Py_REFCNT(found) == 1 && !PyObject_IS_GC(found) ? found : NULL;
    }
    static int wengert_traverse_tensor(PyObject *self, visitproc visit, void *arg) {
        PyObject *edge = wengert_alone(self, wengert_way[0]);
        PyObject *node = edge ? wengert_alone(edge, wengert_way[1]) : NULL;
        if (node) {
            Py_VISIT(WENGERT_FIELD(node, wengert_way[2]));
            Py_VISIT(WENGERT_FIELD(node, wengert_way[3]));
        }
        return wengert_tensor_traverse(self, visit, arg);
    }
    static CYTHON_UNUSED int wengert_set_tensor_slots(
            PyTypeObject *type, Py_ssize_t edge, Py_ssize_t node, Py_ssize_t hooks, Py_ssize_t notes) {
        wengert_way[0] = edge;
        wengert_way[1] = node;
        wengert_way[2] = hooks;
        wengert_way[3] = notes;
        wengert_tensor_traverse = type->tp_traverse;
        type->tp_traverse = wengert_traverse_tensor;
        return 0;
    }
    /* The slot owns its value until modes.py clears it at the thread's end. A thread state may die and its thread live on
       (callbacks from C), hence the check of the state's id, which is never given twice. */
    static __thread uint64_t wengert_owner;
    static __thread PyObject *wengert_value;
    static CYTHON_INLINE PyObject *wengert_recall(void) {
        PyObject *found = Py_None;
        if (wengert_value && wengert_owner == PyThreadState_GetID(PyThreadState_Get())) found = wengert_value;
        Py_INCREF(found);
        return found;
    }
    static CYTHON_INLINE void wengert_remember(PyObject *value) {
        PyObject *before = wengert_value;
        Py_INCREF(value);
        wengert_owner = PyThreadState_GetID(PyThreadState_Get());
        wengert_value = value;
        Py_XDECREF(before);
    }
    #define wengert_forget() Py_CLEAR(wengert_value)
    """
    object new "wengert_new"(object cls)
    int bind "wengert_bind"(object cls, object name, object value) except -1
    object weak "wengert_weak"(object value)
    object referent "wengert_referent"(object reference)
    bint is_ndarray "wengert_is_ndarray"(object value)
    tuple shape_of "wengert_shape_of"(object array)
    object address_of "wengert_address_of"(object array)
    object dtype_of "wengert_dtype_of"(object array)
    Py_ssize_t ndim_of "wengert_ndim_of"(object array) except? -1
    bint is_complex "wengert_is_complex"(object array) except -1
    bint is_inexact "wengert_is_inexact"(object array) except -1
    Py_ssize_t size_of "wengert_size_of"(object array) except -1
    bint is_row_major "wengert_is_row_major"(object array) except -1
    bint keeps_rows "wengert_keeps_rows"(object array) except -1
    bint in_space "wengert_in_space"(object array, tuple shape, object dtype) except -1
    int lazy_dict "wengert_lazy_dict"(object cls) except -1
    void begin "wengert_begin"(object tensor)
    object subclass "wengert_subclass"(str module, str name, object base)
    int show_node "wengert_show_node"(object cls, object saved_input, object saved_packed) except -1
    object shown_edge "wengert_shown_edge"(object cls)
    int show_hooks "wengert_show_hooks"(object cls) except -1
    object recall "wengert_recall"()
    void remember "wengert_remember"(object value)
    void forget "wengert_forget"()
