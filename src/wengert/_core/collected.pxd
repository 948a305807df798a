from wengert._core cimport door

cdef extern from *:
    """
    /* Custom Functions: their nodes, and the edges that lead to these, are seen by the collector; Cython knows neither that
       the fields which such a node inherits have to be visited, nor how to make a visible subclass of an invisible class.
       What a node saved is invisible too, and visited with the node if nobody else holds it. The macros are used in
       function.py only. */
    #define WENGERT_NODE struct __pyx_obj_7wengert_5_core_5graph_4node_Node
    #define WENGERT_EDGE struct __pyx_obj_7wengert_5_core_5graph_4node_Edge
    #define WENGERT_FUNCTION_NODE struct __pyx_obj_7wengert_5_core_9functions_8function_FunctionNode
    #define WENGERT_INPUT struct __pyx_obj_7wengert_5_core_9recording_5saved_SavedInput
    #define WENGERT_PACKED struct __pyx_obj_7wengert_5_core_9recording_5saved_SavedPacked
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
            "wengert._core.functions.function.FunctionEdge", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
        PyObject *bases = PyTuple_Pack(1, base);
        PyObject *type_object = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
        Py_XDECREF(bases);
        wengert_edge_node = node;
        return type_object;
    }
    /* A tensor that is the only one to lead to its node shows the collector what hangs on the node, and on those that this node alone
       leads to, so that a hook may hold a tensor made of its own: the edges and nodes between them are invisible. Since
       each of them has one holder, no other tensor shows the same. How many nodes are shown is limited: a sweep is not to
       walk all of a long graph. The macro is used in hooked.py only. */
    #define wengert_show_hooks(cls) wengert_set_tensor_slots((PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, _edge_), \
        offsetof(WENGERT_EDGE, node), offsetof(WENGERT_NODE, node_hooks), offsetof(WENGERT_NODE, node_notes), \
        offsetof(WENGERT_NODE, next_edges))
    #define WENGERT_MOST_SHOWN 100
    static Py_ssize_t wengert_way[5];
    static traverseproc wengert_tensor_traverse;
    static PyObject *wengert_alone(PyObject *holder, Py_ssize_t offset) {
        PyObject *held = WENGERT_FIELD(holder, offset);
        return held && Py_REFCNT(held) == 1 && !PyObject_IS_GC(held) ? held : NULL;
    }
    static int wengert_visit_nodes(PyObject *first, visitproc visit, void *arg) {
        PyObject *waiting[WENGERT_MOST_SHOWN] = {first};
        int count = 1, shown = 1;
        while (count) {
            PyObject *node = waiting[--count];
            PyObject *edges = WENGERT_FIELD(node, wengert_way[4]);
            Py_VISIT(WENGERT_FIELD(node, wengert_way[2]));
            Py_VISIT(WENGERT_FIELD(node, wengert_way[3]));
            if (!edges || !PyTuple_CheckExact(edges) || Py_REFCNT(edges) != 1) continue;
            for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(edges) && shown < WENGERT_MOST_SHOWN; at++) {
                PyObject *edge = PyTuple_GET_ITEM(edges, at);
                if (edge == Py_None || Py_REFCNT(edge) != 1 || PyObject_IS_GC(edge)) continue;
                PyObject *next = wengert_alone(edge, wengert_way[1]);
                if (next) waiting[count++] = next, shown++;
            }
        }
        return 0;
    }
    static int wengert_traverse_tensor(PyObject *self, visitproc visit, void *arg) {
        PyObject *edge = wengert_alone(self, wengert_way[0]);
        PyObject *node = edge ? wengert_alone(edge, wengert_way[1]) : NULL;
        int stopped = node ? wengert_visit_nodes(node, visit, arg) : 0;
        return stopped ? stopped : wengert_tensor_traverse(self, visit, arg);
    }
    static CYTHON_UNUSED int wengert_set_tensor_slots(
            PyTypeObject *type, Py_ssize_t edge, Py_ssize_t node, Py_ssize_t hooks, Py_ssize_t notes, Py_ssize_t edges) {
        wengert_way[0] = edge;
        wengert_way[1] = node;
        wengert_way[2] = hooks;
        wengert_way[3] = notes;
        wengert_way[4] = edges;
        wengert_tensor_traverse = type->tp_traverse;
        type->tp_traverse = wengert_traverse_tensor;
        return 0;
    }
    """
    int show_node "wengert_show_node"(object cls, object saved_input, object saved_packed) except -1
    object shown_edge "wengert_shown_edge"(object cls)
    int show_hooks "wengert_show_hooks"(object cls) except -1
