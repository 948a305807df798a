from libc.stdint cimport int64_t
cdef extern from *:
    """
    /* Calls of operators by the vectorcall protocol: `x.mul(y)` creates neither a bound method nor a tuple and a dictionary of
       what was given. Arguments are bound to the tuple that `op.run_bound` takes; whatever is not plain (`out`, another
       name of a parameter, a missing argument, indices that are no integers) goes the way of `Op.__call__`, which also words
       the errors. The macro is used in op.py only, where struct and function are known. */
    #define WENGERT_DECLARATION struct __pyx_obj_7wengert_5_core_9operators_11declaration_Declaration
    #define wengert_begin_calls(op, required, tensor_type) wengert_set_calls((PyObject *)(op), (WengertCalls){ \
        offsetof(WENGERT_DECLARATION, vectorcall), offsetof(WENGERT_DECLARATION, names), \
        offsetof(WENGERT_DECLARATION, defaults), offsetof(WENGERT_DECLARATION, positional), \
        offsetof(WENGERT_DECLARATION, spread), (required), \
        (WengertRun)__pyx_f_7wengert_5_core_5calls_2op_run_bound, (PyTypeObject *)(tensor_type)})
    typedef PyObject *(*WengertRun)(PyObject *op, PyObject *args);
    typedef struct {
        Py_ssize_t slot, names, defaults, positional, spread;
        PyObject *required;
        WengertRun run;
        PyTypeObject *tensor;
    } WengertCalls;
    static WengertCalls wengert_calls;
    #define WENGERT_OBJECT(op, offset) (*(PyObject **)((char *)(op) + (offset)))
    #define WENGERT_NUMBER(op, offset) (*(int64_t *)((char *)(op) + (offset)))
    static PyObject *wengert_general_call(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
        PyObject *positional = PyTuple_New(nargs), *named = keywords ? PyDict_New() : NULL, *result = NULL;
        int complete = positional != NULL && (keywords == NULL || named != NULL);
        for (Py_ssize_t at = 0; complete && at < nargs; at++) PyTuple_SET_ITEM(positional, at, Py_NewRef(args[at]));
        for (Py_ssize_t at = 0; complete && keywords && at < PyTuple_GET_SIZE(keywords); at++)
            complete = PyDict_SetItem(named, PyTuple_GET_ITEM(keywords, at), args[nargs + at]) == 0;
        if (complete) result = Py_TYPE(op)->tp_call(op, positional, named);
        Py_XDECREF(positional);
        Py_XDECREF(named);
        return result;
    }
    /* Put the arguments one after the other into the places of `bound`; return the number of places, -1 if they are not
       plain, or -2 with an error set. */
    static Py_ssize_t wengert_bind_given(PyObject *op, PyObject *bound, PyObject *const *args, Py_ssize_t nargs) {
        Py_ssize_t spread = WENGERT_NUMBER(op, wengert_calls.spread), filled = nargs;
        if (spread >= 0 && nargs > spread && !PyTuple_Check(args[spread]) && !PyList_Check(args[spread])) {
            if (!PyLong_CheckExact(args[spread])) return -1;
            PyObject *rest = PyTuple_New(nargs - spread);
            if (rest == NULL) return -2;
            for (Py_ssize_t at = spread; at < nargs; at++) PyTuple_SET_ITEM(rest, at - spread, Py_NewRef(args[at]));
            PyTuple_SET_ITEM(bound, spread, rest);
            filled = spread;
        } else if (nargs > WENGERT_NUMBER(op, wengert_calls.positional)) {
            return -1;
        }
        for (Py_ssize_t at = 0; at < filled; at++) PyTuple_SET_ITEM(bound, at, Py_NewRef(args[at]));
        return filled < nargs ? spread + 1 : nargs;
    }
    /* 0, or -1 if a keyword is not plain: another name, a second value. */
    static int wengert_bind_keywords(PyObject *op, PyObject *bound, PyObject *const *values, PyObject *keywords) {
        PyObject *names = WENGERT_OBJECT(op, wengert_calls.names);
        for (Py_ssize_t key = 0; key < PyTuple_GET_SIZE(keywords); key++) {
            Py_ssize_t at = 0;
            while (at < PyTuple_GET_SIZE(names) && PyTuple_GET_ITEM(names, at) != PyTuple_GET_ITEM(keywords, key)) at++;
            if (at == PyTuple_GET_SIZE(names) || PyTuple_GET_ITEM(bound, at)) return -1;
            PyTuple_SET_ITEM(bound, at, Py_NewRef(values[key]));
        }
        return 0;
    }
    /* 0, or -1 if an argument without default is missing. */
    static int wengert_bind_defaults(PyObject *op, PyObject *bound, Py_ssize_t from) {
        PyObject *defaults = WENGERT_OBJECT(op, wengert_calls.defaults);
        for (Py_ssize_t at = from; at < PyTuple_GET_SIZE(bound); at++) {
            if (PyTuple_GET_ITEM(bound, at)) continue;
            PyObject *value = PyTuple_GET_ITEM(defaults, at);
            if (value == wengert_calls.required) return -1;
            PyTuple_SET_ITEM(bound, at, Py_NewRef(value));
        }
        return 0;
    }
    static int wengert_is_stranger(PyObject *value) {
        PyObject *handler;
        if (PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyObject_TypeCheck(value, wengert_calls.tensor)) return 0;
        handler = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__torch_function__");
        if (handler == NULL) PyErr_Clear();
        Py_XDECREF(handler);
        return handler != NULL;
    }
    /* Return whether a call that was refused by a TypeError has an argument with `__torch_function__`: `Op.__call__` asks it. */
    static int wengert_has_stranger(PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
        PyObject *kind, *value, *trace;
        int is_found = 0;
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return 0;
        PyErr_Fetch(&kind, &value, &trace);
        if (keywords) nargs += PyTuple_GET_SIZE(keywords);
        for (Py_ssize_t at = 0; !is_found && at < nargs; at++) {
            if (PyTuple_Check(args[at]) || PyList_Check(args[at])) {
                PyObject *items = PySequence_Fast(args[at], "");
                for (Py_ssize_t nr = 0; items && !is_found && nr < PySequence_Fast_GET_SIZE(items); nr++)
                    is_found = wengert_is_stranger(PySequence_Fast_GET_ITEM(items, nr));
                if (items == NULL) PyErr_Clear();
                Py_XDECREF(items);
            } else {
                is_found = wengert_is_stranger(args[at]);
            }
        }
        PyErr_Restore(kind, value, trace);
        return is_found;
    }
    static PyObject *wengert_vectorcall(PyObject *op, PyObject *const *args, size_t flagged, PyObject *keywords) {
        Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
        PyObject *names = WENGERT_OBJECT(op, wengert_calls.names), *defaults = WENGERT_OBJECT(op, wengert_calls.defaults);
        PyObject *result;
        Py_ssize_t count = names == Py_None ? -1 : PyTuple_GET_SIZE(names);
        /* Programs may delete the fields. */
        if (count < 0 || defaults == Py_None || PyTuple_GET_SIZE(defaults) != count
            || (nargs > count && WENGERT_NUMBER(op, wengert_calls.spread) < 0))
            return wengert_general_call(op, args, nargs, keywords);
        PyObject *bound = PyTuple_New(count);
        if (bound == NULL) return NULL;
        Py_ssize_t filled = wengert_bind_given(op, bound, args, nargs);
        if (filled == -2) { Py_DECREF(bound); return NULL; }
        if (filled < 0 || (keywords && wengert_bind_keywords(op, bound, args + nargs, keywords) < 0)
            || wengert_bind_defaults(op, bound, filled) < 0)
            result = wengert_general_call(op, args, nargs, keywords);
        else
            result = wengert_calls.run(op, bound);
        Py_DECREF(bound);
        if (result == NULL && filled >= 0 && wengert_has_stranger(args, nargs, keywords)) {
            PyErr_Clear();
            return wengert_general_call(op, args, nargs, keywords);
        }
        if (result == Py_NotImplemented) {  /* the plain case of a function, and this is not one */
            Py_DECREF(result);
            result = wengert_general_call(op, args, nargs, keywords);
        }
        if (result == NULL) wengert_shorten(op);
        return result;
    }
    static CYTHON_UNUSED int wengert_set_calls(PyObject *op, WengertCalls calls) {
        PyTypeObject *type = Py_TYPE(op);
        wengert_calls = calls;
        if (!(type->tp_flags & Py_TPFLAGS_METHOD_DESCRIPTOR)) {
            type->tp_vectorcall_offset = calls.slot;
            type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
            PyType_Modified(type);
        }
        *(vectorcallfunc *)((char *)op + calls.slot) = wengert_vectorcall;
        return 0;
    }
    """
    int begin "wengert_begin_calls"(object op, object required, object tensor_type) except -1
