cdef extern from *:
    """
    /* A graph is freed step by step since Python defers the freeing of tuples that are nested too deep. Python 3.13 does so
       only when nearly all of its 10,000 nested calls are taken, which a small stack has no room for: there the calls that
       are left are made few while an edge is freed. (Calls of Python functions are counted apart: what a program frees with the
       graph may nest them as before.) */
    #if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000
    enum { wengert_nested = 110 };  /* more than 100, so that deferred objects are freed within; Python defers from 50 on */
    static destructor wengert_free_edge;
    static void wengert_free_edge_shallowly(PyObject *edge) {
        PyThreadState *thread = PyThreadState_Get();
        const int left = thread->c_recursion_remaining;
        if (left > wengert_nested) thread->c_recursion_remaining = wengert_nested;
        wengert_free_edge(edge);
        if (left > wengert_nested) thread->c_recursion_remaining = left;
    }
    static void wengert_free_shallowly(PyObject *kind) {
        PyTypeObject *type = (PyTypeObject *)kind;
        wengert_free_edge = type->tp_dealloc;
        type->tp_dealloc = wengert_free_edge_shallowly;
    }
    #else
    #define wengert_free_shallowly(kind) ((void)(kind))
    #endif
    """
    void shallowly "wengert_free_shallowly"(object kind)
