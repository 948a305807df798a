from libc.stdint cimport int64_t
cdef extern from *:
    """
    #ifndef NPY_NO_DEPRECATED_API
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #endif
    #include <numpy/ndarraytypes.h>
    #include <stdint.h>
    #include <string.h>
    /* The layout is one of NumPy's own arrays. */
    static CYTHON_UNUSED int wengert_has_layout(PyObject *array, PyObject *layout) {
        if (Py_TYPE(array) != Py_TYPE(layout)) return 0;
        PyArrayObject *a = (PyArrayObject *)array, *b = (PyArrayObject *)layout;
        if (PyArray_DESCR(a) != PyArray_DESCR(b) || PyArray_NDIM(a) != PyArray_NDIM(b)) return 0;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_DIM(a, at) != PyArray_DIM(b, at) || PyArray_STRIDE(a, at) != PyArray_STRIDE(b, at)) return 0;
        return 1;
    }
    /* Whether a dictionary has these items in this order; `cell` in the place of a value stands for any. */
    static CYTHON_UNUSED int wengert_has_items(PyObject *mapping, PyObject *keys, PyObject *values, PyObject *cell) {
        if (!PyDict_Check(mapping) || PyDict_GET_SIZE(mapping) != PyTuple_GET_SIZE(keys)) return 0;
        Py_ssize_t place = 0, at = 0;
        for (PyObject *key, *value; PyDict_Next(mapping, &place, &key, &value); at++) {
            if (at >= PyTuple_GET_SIZE(keys) || key != PyTuple_GET_ITEM(keys, at)) return 0;
            PyObject *known = PyTuple_GET_ITEM(values, at);
            if (value != known && known != cell) return 0;
        }
        return 1;
    }
    /* Whether an object has no weak references and no attributes of its own. */
    static CYTHON_UNUSED int wengert_is_bare(PyObject *object) {
    #ifdef Py_GIL_DISABLED
        return 0;  /* other threads may take references at any time */
    #else
        const Py_ssize_t watchers = Py_TYPE(object)->tp_weaklistoffset, offset = Py_TYPE(object)->tp_dictoffset;
        if (watchers > 0 && *(PyObject **)((char *)object + watchers)) return 0;
        if (offset > 0) return *(PyObject **)((char *)object + offset) == NULL;
        PyObject **attributes = offset == 0 ? NULL : _PyObject_GetDictPtr(object);
        return attributes == NULL || *attributes == NULL;
    #endif
    }
    /* Registers are kept from call to call where no other thread can run between two statements. */
    #ifdef Py_GIL_DISABLED
    #define wengert_keeps_registers() 0
    #else
    #define wengert_keeps_registers() 1
    #endif
    static CYTHON_UNUSED void wengert_empty(PyObject *values, PyObject *numbers) {
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(numbers);
        const Py_ssize_t count = PyBytes_GET_SIZE(numbers) / 4, size = PyList_GET_SIZE(values);
        for (Py_ssize_t at = 0; at < count; at++) {
            if (number[at] >= size) continue;
            PyObject *before = PyList_GET_ITEM(values, number[at]);
            PyList_SET_ITEM(values, number[at], Py_NewRef(Py_None));
            Py_DECREF(before);
        }
    }
    /* Inlined where it is used: only there are the offsets of fields constants. */
    #if defined(__GNUC__) || defined(__clang__)
    #define WENGERT_INLINE CYTHON_UNUSED inline __attribute__((always_inline))
    #elif defined(_MSC_VER)
    #define WENGERT_INLINE __forceinline
    #else
    #define WENGERT_INLINE CYTHON_INLINE
    #endif
    #define WENGERT_AT(type, object, offset) (*(type *)((char *)(object) + (offset)))
    /* Whether all storages have the addresses that were compared last, in `recent`; puts them there. */
    static CYTHON_INLINE int wengert_are_recent(PyObject *tensors, PyObject *recent, Py_ssize_t storage) {
        uintptr_t *known = (uintptr_t *)PyByteArray_AS_STRING(recent);
        int same = 1;
    #ifdef Py_GIL_DISABLED
        return 0;  /* other threads compare at the same time */
    #endif
        if (PyByteArray_GET_SIZE(recent) != (Py_ssize_t)sizeof(uintptr_t) * PyList_GET_SIZE(tensors)) return 0;
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(tensors); at++) {
            const uintptr_t address = (uintptr_t)WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, at), storage);
            same &= known[at] == address;
            known[at] = address;
        }
        return same;
    }
    static CYTHON_UNUSED int wengert_share_as_at(
            PyObject *tensors, PyObject *groups, PyObject *numbers, PyObject *recent, Py_ssize_t storage) {
        const int32_t *group = (const int32_t *)PyBytes_AS_STRING(groups);
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(numbers);
        const Py_ssize_t size = PyList_GET_SIZE(tensors), count = PyBytes_GET_SIZE(numbers) / 4;
        if (PyBytes_GET_SIZE(groups) != 4 * size) return 0;
        if (wengert_are_recent(tensors, recent, storage)) return 1;
        for (Py_ssize_t place = 0; place < count; place++) {
            PyObject *own = WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, number[place]), storage);
            const int32_t own_group = group[number[place]];
            for (Py_ssize_t at = 0; at < size; at++)
                if ((WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, at), storage) == own) != (group[at] == own_group)) {
                    memset(PyByteArray_AS_STRING(recent), 0, (size_t)PyByteArray_GET_SIZE(recent));
                    return 0;
                }
        }
        return 1;
    }
    #define wengert_share_as(tensors, groups, numbers, recent) \
        wengert_share_as_at((tensors), (groups), (numbers), (recent), offsetof(WENGERT_OF_TENSOR, _storage_))
    /* Where the fields lie of tensors, of what is known of external ones, and of their guards. */
    typedef struct {
        Py_ssize_t array, storage, flags, meta, grad, guard, tensor, known, source, bare, layout, word, cls;
    } wengert_external_fields;
    /* An external tensor of a call, borrowed; NULL if there is none. */
    static CYTHON_INLINE PyObject *wengert_external(
            PyObject *external, Py_ssize_t at, PyObject *leaves, PyObject *tensors,
            const wengert_external_fields *field) {
        const int64_t source = WENGERT_AT(int64_t, external, field->source);
        if (source == -1) return WENGERT_AT(PyObject *, external, field->tensor);
        if (source < 0) {
            if (-2 - source >= at) return NULL;
            PyObject *meta = WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, -2 - source), field->meta);
            return meta == Py_None ? NULL : WENGERT_AT(PyObject *, meta, field->grad);
        }
        return source < PySequence_Fast_GET_SIZE(leaves) ? PySequence_Fast_GET_ITEM(leaves, source) : NULL;
    }
    static CYTHON_INLINE int wengert_holds(PyObject *guard, PyObject *tensor, const wengert_external_fields *field) {
        return (PyObject *)Py_TYPE(tensor) == WENGERT_AT(PyObject *, guard, field->cls)
            && WENGERT_AT(int64_t, tensor, field->flags) == WENGERT_AT(int64_t, guard, field->word)
            && wengert_has_layout(
                WENGERT_AT(PyObject *, tensor, field->array), WENGERT_AT(PyObject *, guard, field->layout));
    }
    static CYTHON_UNUSED int wengert_find_externals(
            PyObject *externals, PyObject *leaves, PyObject *tensors, int64_t unknown,
            const wengert_external_fields *field) {
        int state = 1;
        if (!PyList_CheckExact(leaves) && !PyTuple_CheckExact(leaves)) return -1;
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(externals); at++) {
            PyObject *external = PyList_GET_ITEM(externals, at);
            PyObject *guard = WENGERT_AT(PyObject *, external, field->guard);
            if (WENGERT_AT(int64_t, guard, field->word) & unknown) return -1;
            PyObject *tensor = wengert_external(external, at, leaves, tensors, field);
            if (tensor == NULL || !wengert_holds(guard, tensor, field)) return 0;
            PyObject *meta = WENGERT_AT(PyObject *, tensor, field->meta);
            if (WENGERT_AT(int, external, field->bare) && meta != Py_None
                && WENGERT_AT(PyObject *, meta, field->grad) != Py_None) return 0;
            if (WENGERT_AT(int64_t, external, field->source) == -1
                && WENGERT_AT(PyObject *, external, field->known) != WENGERT_AT(PyObject *, tensor, field->storage))
                state = 2;
            PyObject *before = PyList_GET_ITEM(tensors, at);
            PyList_SET_ITEM(tensors, at, Py_NewRef(tensor));
            Py_DECREF(before);
        }
        return state;
    }
    typedef struct {
        Py_ssize_t array, storage, flags, edge, meta, grad, memory, serial, version, detached, writes, counting;
    } wengert_renewed_fields;
    /* Whether a `.grad` is a tensor of a class without history, flags or attributes to which nothing else refers but a
       list, nor to its storage. */
    static CYTHON_INLINE int wengert_is_sole(PyObject *tensor, PyObject *cls, const wengert_renewed_fields *field) {
        if ((PyObject *)Py_TYPE(tensor) != cls || Py_REFCNT(tensor) != 2 || WENGERT_AT(int64_t, tensor, field->flags)
            || WENGERT_AT(PyObject *, tensor, field->edge) != Py_None
            || WENGERT_AT(PyObject *, tensor, field->meta) != Py_None) return 0;
        PyObject *storage = WENGERT_AT(PyObject *, tensor, field->storage);
        return Py_REFCNT(storage) == 1 && WENGERT_AT(PyObject *, storage, field->counting) == Py_None
            && wengert_is_bare(tensor) && wengert_is_bare(storage);
    }
    static CYTHON_INLINE void wengert_put(PyObject *object, Py_ssize_t offset, PyObject *value) {
        PyObject *before = WENGERT_AT(PyObject *, object, offset);
        WENGERT_AT(PyObject *, object, offset) = Py_NewRef(value);
        Py_DECREF(before);
    }
    /* Let the `.grad` of leaves become the arrays of registers: (leaf, number of its `.grad` among the external tensors,
       register, version) of 32 bits each. 0, and nothing has been done, if one is not alone. */
    static CYTHON_UNUSED int wengert_renew_at(
            PyObject *numbers, PyObject *values, PyObject *tensors, PyObject *cls, int64_t serial,
            const wengert_renewed_fields *field) {
    #ifdef Py_GIL_DISABLED
        return 0;  /* other threads may take references at any time */
    #else
        const int32_t *first = (const int32_t *)PyBytes_AS_STRING(numbers), *number = first;
        const int32_t *end = first + PyBytes_GET_SIZE(numbers) / 4;
        for (; number < end; number += 4) {
            if (number[1] < 0) return 0;
            PyObject *meta = WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, number[0]), field->meta);
            PyObject *grad = PyList_GET_ITEM(tensors, number[1]);
            if (meta == Py_None || WENGERT_AT(PyObject *, meta, field->grad) != grad
                || !wengert_is_sole(grad, cls, field)) return 0;
        }
        for (number = first; number < end; number += 4) {
            PyObject *grad = PyList_GET_ITEM(tensors, number[1]), *array = PyList_GET_ITEM(values, number[2]);
            PyObject *storage = WENGERT_AT(PyObject *, grad, field->storage);
            WENGERT_AT(int64_t, storage, field->serial) = serial++;
            WENGERT_AT(int64_t, storage, field->version) = number[3];
            WENGERT_AT(int64_t, storage, field->detached) = 0;
            wengert_put(storage, field->writes, Py_None);
            wengert_put(storage, field->memory, array);
            wengert_put(grad, field->array, array);
        }
        return 1;
    #endif
    }
    #define wengert_renew(numbers, values, tensors, cls, first_serial) wengert_renew_at( \
        (numbers), (values), (tensors), (PyObject *)(cls), (first_serial), &(const wengert_renewed_fields){ \
            offsetof(WENGERT_OF_TENSOR, _array_), offsetof(WENGERT_OF_TENSOR, _storage_), \
            offsetof(WENGERT_OF_TENSOR, _flags_), offsetof(WENGERT_OF_TENSOR, _edge_), \
            offsetof(WENGERT_OF_TENSOR, _meta_), offsetof(WENGERT_OF_META, grad), offsetof(WENGERT_OF_STORAGE, array), \
            offsetof(WENGERT_OF_STORAGE, serial), offsetof(WENGERT_OF_STORAGE, version), \
            offsetof(WENGERT_OF_STORAGE, detached), offsetof(WENGERT_OF_STORAGE, writes), \
            offsetof(WENGERT_OF_STORAGE, counting)})
    /* Put the arrays of tensors into the registers with these numbers; none for a negative one. */
    static CYTHON_UNUSED void wengert_fill_registers_at(
            PyObject *values, PyObject *tensors, PyObject *numbers, Py_ssize_t array) {
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(numbers);
        const Py_ssize_t count = PyBytes_GET_SIZE(numbers) / 4;
        for (Py_ssize_t at = 0; at < count && at < PyList_GET_SIZE(tensors); at++) {
            if (number[at] < 0 || number[at] >= PyList_GET_SIZE(values)) continue;
            PyObject *before = PyList_GET_ITEM(values, number[at]);
            PyList_SET_ITEM(values, number[at], Py_NewRef(WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, at), array)));
            Py_DECREF(before);
        }
    }
    #define wengert_fill_registers(values, tensors, numbers) \
        wengert_fill_registers_at((values), (tensors), (numbers), offsetof(WENGERT_OF_TENSOR, _array_))
    /* Count the writes of the entries from `first` to `end`: (place, tensor, number of writes) of 32 bits each. 0 if
       other storages are counted together with one of these; then nothing has been counted. */
    static CYTHON_UNUSED int wengert_count_writes_at(
            PyObject *writes, Py_ssize_t first, Py_ssize_t end, PyObject *tensors, Py_ssize_t storage, Py_ssize_t version,
            Py_ssize_t counting) {
        const Py_ssize_t count = PyBytes_GET_SIZE(writes) / 12;
        for (int counts = 0; counts < 2; counts++) {
            const int32_t *write = (const int32_t *)PyBytes_AS_STRING(writes);
            for (Py_ssize_t at = 0; at < count; at++, write += 3) {
                if (write[0] < first || write[0] >= end) continue;
                PyObject *own = WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, write[1]), storage);
                if (counts) WENGERT_AT(int64_t, own, version) += write[2];
                else if (WENGERT_AT(PyObject *, own, counting) != Py_None) return 0;
            }
        }
        return 1;
    }
    #define WENGERT_OF_STORAGE struct __pyx_obj_7wengert_5_core_6tensor_7storage_Storage
    #define wengert_count_writes(writes, first, end, tensors) wengert_count_writes_at( \
        (writes), (first), (end), (tensors), offsetof(WENGERT_OF_TENSOR, _storage_), \
        offsetof(WENGERT_OF_STORAGE, version), offsetof(WENGERT_OF_STORAGE, counting))
    #define WENGERT_OF_META struct __pyx_obj_7wengert_5_core_6tensor_4meta_AutogradMeta
    #define WENGERT_OF_EXTERNAL struct __pyx_obj_7wengert_5_core_7capture_10signatures_External
    #define WENGERT_OF_GUARD struct __pyx_obj_7wengert_5_core_7capture_10signatures_Guard
    #define wengert_find(externals, leaves, tensors, unknown) wengert_find_externals( \
        (externals), (leaves), (tensors), (unknown), &(const wengert_external_fields){ \
            offsetof(WENGERT_OF_TENSOR, _array_), offsetof(WENGERT_OF_TENSOR, _storage_), \
            offsetof(WENGERT_OF_TENSOR, _flags_), offsetof(WENGERT_OF_TENSOR, _meta_), offsetof(WENGERT_OF_META, grad), \
            offsetof(WENGERT_OF_EXTERNAL, guard), offsetof(WENGERT_OF_EXTERNAL, tensor), \
            offsetof(WENGERT_OF_EXTERNAL, storage), offsetof(WENGERT_OF_EXTERNAL, source), \
            offsetof(WENGERT_OF_EXTERNAL, bare), offsetof(WENGERT_OF_GUARD, layout), offsetof(WENGERT_OF_GUARD, word), \
            offsetof(WENGERT_OF_GUARD, cls)})
    /* The number of the first argument of a call that is not known to be the expected one, -1 if there is none. The
       numbers say where it is expected: from 0 on among the external tensors, from -3 downwards among the results; -1
       stands for a constant, -2 for a sequence, of which nothing is known. */
    static CYTHON_INLINE int wengert_is_expected(
            int32_t number, PyObject *constant, PyObject *value, PyObject *externals, PyObject *results) {
        if (number >= 0) return number < PyList_GET_SIZE(externals) && PyList_GET_ITEM(externals, number) == value;
        if (number <= -3) return -3 - number < PyList_GET_SIZE(results) && PyList_GET_ITEM(results, -3 - number) == value;
        if (number != -1) return 0;
        return constant == value
            || (PyFloat_CheckExact(constant) && PyFloat_CheckExact(value)
                && memcmp(&((PyFloatObject *)constant)->ob_fval, &((PyFloatObject *)value)->ob_fval, sizeof(double)) == 0);
    }
    static CYTHON_UNUSED Py_ssize_t wengert_first_unlike(
            PyObject *numbers, PyObject *constants, PyObject *args, PyObject *externals, PyObject *results) {
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(numbers);
        const Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (PyBytes_GET_SIZE(numbers) != 4 * count || PyTuple_GET_SIZE(constants) != count) return 0;
        for (Py_ssize_t at = 0; at < count; at++)
            if (!wengert_is_expected(number[at], PyTuple_GET_ITEM(constants, at), PyTuple_GET_ITEM(args, at), externals, results))
                return at;
        return -1;
    }
    /* Whether a value is a tensor of a class, with flags and an array of a layout, which is put into `values`; or, if
       there is no layout, whether it is the constant. The offsets are those of the fields of a tensor. */
    static CYTHON_INLINE int wengert_takes(
            PyObject *value, PyObject *cls, PyObject *layout, int32_t word, PyObject *constant, PyObject *values,
            Py_ssize_t *place, Py_ssize_t array_at, Py_ssize_t flags_at) {
        if (layout == Py_None) {
            if (value == constant) return 1;
            return PyFloat_CheckExact(constant) && PyFloat_CheckExact(value)
                && memcmp(&((PyFloatObject *)constant)->ob_fval, &((PyFloatObject *)value)->ob_fval, sizeof(double)) == 0;
        }
        if ((PyObject *)Py_TYPE(value) != cls || *(int64_t *)((char *)value + flags_at) != word) return 0;
        PyObject *array = *(PyObject **)((char *)value + array_at);
        if (*place >= PyList_GET_SIZE(values) || !wengert_has_layout(array, layout)) return 0;
        PyObject *before = PyList_GET_ITEM(values, *place);
        PyList_SET_ITEM(values, *place, Py_NewRef(array));
        Py_DECREF(before);
        ++*place;
        return 1;
    }
    /* Whether the first arguments of a call are as `wengert_takes` says; `facts` is `CachedCall.facts`. */
    static CYTHON_UNUSED int wengert_takes_all(
            PyObject **args, Py_ssize_t count, PyObject *facts, Py_ssize_t array_at, Py_ssize_t flags_at) {
        if (PyTuple_GET_SIZE(facts) != 5) return 0;
        PyObject *classes = PyTuple_GET_ITEM(facts, 0), *layouts = PyTuple_GET_ITEM(facts, 1);
        PyObject *words = PyTuple_GET_ITEM(facts, 2), *constants = PyTuple_GET_ITEM(facts, 3);
        PyObject *values = PyTuple_GET_ITEM(facts, 4);
        const int32_t *word = (const int32_t *)PyBytes_AS_STRING(words);
        if (PyTuple_GET_SIZE(layouts) < count || PyTuple_GET_SIZE(classes) < count || PyTuple_GET_SIZE(constants) < count
            || PyBytes_GET_SIZE(words) < 4 * count) return 0;
        Py_ssize_t place = 0;
        for (Py_ssize_t at = 0; at < count; at++)
            if (!wengert_takes(args[at], PyTuple_GET_ITEM(classes, at), PyTuple_GET_ITEM(layouts, at), word[at],
                               PyTuple_GET_ITEM(constants, at), values, &place, array_at, flags_at)) return 0;
        return 1;
    }
    #define WENGERT_OF_TENSOR struct __pyx_obj_7wengert_5_core_6tensor_4base_Tensor
    #define wengert_takes_args(args, facts) wengert_takes_all( \
        ((PyTupleObject *)(args))->ob_item, PyTuple_GET_SIZE(args), (facts), offsetof(WENGERT_OF_TENSOR, _array_), \
        offsetof(WENGERT_OF_TENSOR, _flags_))
    static CYTHON_INLINE int wengert_takes_two_at(
            PyObject *first, PyObject *second, PyObject *facts, Py_ssize_t array_at, Py_ssize_t flags_at) {
        PyObject *args[2] = {first, second};
        return wengert_takes_all(args, 2, facts, array_at, flags_at);
    }
    #define wengert_takes_two(first, second, facts) wengert_takes_two_at( \
        (first), (second), (facts), offsetof(WENGERT_OF_TENSOR, _array_), offsetof(WENGERT_OF_TENSOR, _flags_))
    /* As `wengert_first_unlike` for the first two arguments of a call. */
    static WENGERT_INLINE int wengert_are_expected(
            PyObject *facts, PyObject *first, PyObject *second, PyObject *externals, PyObject *results) {
        PyObject *args[2] = {first, second};
        if (PyTuple_GET_SIZE(facts) != 2) return 0;
        PyObject *numbers = PyTuple_GET_ITEM(facts, 0), *constants = PyTuple_GET_ITEM(facts, 1);
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(numbers);
        if (PyBytes_GET_SIZE(numbers) < 8 || PyTuple_GET_SIZE(constants) < 2) return 0;
        for (int at = 0; at < 2; at++)
            if (!wengert_is_expected(number[at], PyTuple_GET_ITEM(constants, at), args[at], externals, results)) return 0;
        return 1;
    }
    /* Put the arrays of some external tensors to their places; 0 if the flags of one are others than those known. */
    #define wengert_puts_arrays(outside, externals, words, values) wengert_puts_arrays_at( \
        (outside), (externals), (words), (values), offsetof(WENGERT_OF_TENSOR, _array_), \
        offsetof(WENGERT_OF_TENSOR, _flags_))
    static WENGERT_INLINE int wengert_puts_arrays_at(
            PyObject *outside, PyObject *externals, PyObject *words, PyObject *values, Py_ssize_t array_at,
            Py_ssize_t flags_at) {
        const int32_t *number = (const int32_t *)PyBytes_AS_STRING(outside);
        const int32_t *word = (const int32_t *)PyBytes_AS_STRING(words);
        const Py_ssize_t count = PyBytes_GET_SIZE(outside) / 4, known = PyBytes_GET_SIZE(words) / 4;
        for (Py_ssize_t at = 0; at < count; at++) {
            const int32_t place = number[at];
            if (place < 0 || place >= known || place >= PyList_GET_SIZE(externals) || place >= PyList_GET_SIZE(values))
                return 0;
            char *tensor = (char *)PyList_GET_ITEM(externals, place);  /* `Match.externals` has tensors only */
            if ((PyObject *)tensor == Py_None || *(int64_t *)(tensor + flags_at) != word[place]) return 0;
            PyObject *array = *(PyObject **)(tensor + array_at), *before = PyList_GET_ITEM(values, place);
            if (array == before) continue;
            PyList_SET_ITEM(values, place, Py_NewRef(array));
            Py_DECREF(before);
        }
        return 1;
    }
    /* What runs one call of a list: `run_entry` of the native library, and the calls, which a capsule owns. */
    typedef struct {
        PyObject *(*run)(void *, PyObject *, Py_ssize_t, PyObject *);
        void *calls;
    } wengert_handle;
    static CYTHON_UNUSED PyObject *wengert_handle_of(PyObject *capsule) {
        wengert_handle handle;
        void *context;
        handle.calls = PyCapsule_GetPointer(capsule, "wengert.replay_calls");
        if (handle.calls == NULL) return NULL;
        context = PyCapsule_GetContext(capsule);
        if (context == NULL) {
            PyErr_SetString(PyExc_RuntimeError, "the calls have no function that runs them");
            return NULL;
        }
        memcpy(&handle.run, &context, sizeof context);
        return PyBytes_FromStringAndSize((const char *)&handle, sizeof handle);
    }
    static WENGERT_INLINE PyObject *wengert_run_call(
            PyObject *known, PyObject *values, Py_ssize_t number, PyObject *array) {
        wengert_handle handle;
        if (PyBytes_GET_SIZE(known) != sizeof handle) {
            PyErr_SetString(PyExc_RuntimeError, "a call has no function that runs it");
            return NULL;
        }
        memcpy(&handle, PyBytes_AS_STRING(known), sizeof handle);
        return handle.run(handle.calls, values, number, array);
    }
    typedef struct {
        Py_ssize_t array, storage, flags, edge, meta, memory, version, detached, writes, counting;
    } wengert_kept_fields;
    /* Whether nothing refers to a kept tensor but its keeper, nor to its memory but the list of registers that `value` is
       from, so that it can be a new result: with the flags `word`, of a tensor with an edge, or none. */
    static WENGERT_INLINE int wengert_is_free(
            PyObject *tensor, PyObject *value, int64_t word, const wengert_kept_fields *field) {
    #ifdef Py_GIL_DISABLED
        return 0;  /* other threads may take references at any time */
    #else
        if (tensor == Py_None || Py_REFCNT(tensor) != 1 || WENGERT_AT(PyObject *, tensor, field->array) != value
            || Py_REFCNT(value) != 3) return 0;
        PyObject *storage = WENGERT_AT(PyObject *, tensor, field->storage);
        PyObject *edge = WENGERT_AT(PyObject *, tensor, field->edge);
        if (Py_REFCNT(storage) != 1 || WENGERT_AT(PyObject *, storage, field->memory) != value
            || WENGERT_AT(int64_t, tensor, field->flags) != word
            || WENGERT_AT(PyObject *, tensor, field->meta) != Py_None) return 0;
        if (word ? edge == Py_None || Py_REFCNT(edge) != 1 : edge != Py_None) return 0;
        if (WENGERT_AT(int64_t, storage, field->version) || WENGERT_AT(int64_t, storage, field->detached)
            || WENGERT_AT(PyObject *, storage, field->writes) != Py_None
            || WENGERT_AT(PyObject *, storage, field->counting) != Py_None) return 0;
        return wengert_is_bare(tensor) && wengert_is_bare(storage) && wengert_is_bare(value);
    #endif
    }
    /* Run a call in the memory of a kept tensor; the tensor, or what the call returned instead. None if the tensor is not
       free: then nothing has run. */
    static WENGERT_INLINE PyObject *wengert_repeat_in(
            PyObject *tensor, PyObject *handle, PyObject *values, Py_ssize_t place, Py_ssize_t position, int64_t word,
            const wengert_kept_fields *field) {
        PyObject *value, *returned;
        if (place >= PyList_GET_SIZE(values)) Py_RETURN_NONE;
        value = PyList_GET_ITEM(values, place);
        if (!wengert_is_free(tensor, value, word, field)) Py_RETURN_NONE;
        Py_INCREF(tensor);  /* a handler of a signal may end the prediction */
        returned = wengert_run_call(handle, values, position, value);
        if (returned == value) {
            Py_DECREF(returned);
            return tensor;
        }
        Py_DECREF(tensor);
        return returned;
    }
    #define WENGERT_KEPT_FIELDS &(const wengert_kept_fields){ \
        offsetof(WENGERT_OF_TENSOR, _array_), offsetof(WENGERT_OF_TENSOR, _storage_), \
        offsetof(WENGERT_OF_TENSOR, _flags_), offsetof(WENGERT_OF_TENSOR, _edge_), offsetof(WENGERT_OF_TENSOR, _meta_), \
        offsetof(WENGERT_OF_STORAGE, array), offsetof(WENGERT_OF_STORAGE, version), \
        offsetof(WENGERT_OF_STORAGE, detached), offsetof(WENGERT_OF_STORAGE, writes), \
        offsetof(WENGERT_OF_STORAGE, counting)}
    /* Where the fields lie of a prediction, its match and its pattern, of a call, and of an edge. */
    typedef struct {
        Py_ssize_t pattern, match, position, upcoming, compared, externals, results, tape, handle, cached, values, words;
        Py_ssize_t op, is_short, is_native, facts, outside, number, place, following, serial, node, nr, shape, dtype;
        Py_ssize_t changer, modes, predicting;
    } wengert_predicted_fields;
    #define WENGERT_RECORDED 1  /* `flags.REQUIRES_GRAD` */
    /* Let the edge of a kept result lead to a tape. */
    static WENGERT_INLINE void wengert_attach(PyObject *edge, PyObject *tape, const wengert_predicted_fields *field) {
        wengert_put(edge, field->node, tape);
        WENGERT_AT(int64_t, edge, field->nr) = 0;
        if (WENGERT_AT(PyObject *, edge, field->shape) != Py_None) wengert_put(edge, field->shape, Py_None);
        if (WENGERT_AT(PyObject *, edge, field->dtype) != Py_None) wengert_put(edge, field->dtype, Py_None);
    }
    /* Take a result, and go on to the next call. */
    static WENGERT_INLINE void wengert_advance(
            PyObject *prediction, PyObject *expected, PyObject *result, const wengert_predicted_fields *field) {
        PyObject *results = WENGERT_AT(PyObject *, WENGERT_AT(PyObject *, prediction, field->match), field->results);
        const Py_ssize_t number = WENGERT_AT(int64_t, expected, field->number);
        if (number < PyList_GET_SIZE(results)) {
            PyObject *before = PyList_GET_ITEM(results, number);
            PyList_SET_ITEM(results, number, Py_NewRef(result));
            Py_DECREF(before);
        }
        WENGERT_AT(int64_t, prediction, field->position) += 1;
        WENGERT_AT(int, prediction, field->compared) = 0;
        wengert_put(prediction, field->upcoming, WENGERT_AT(PyObject *, expected, field->following));
    }
    /* Run the next call in the memory of the kept result, and take it; what the call returned instead, which is then still
       to be taken; None if there is no kept result that is free. */
    static WENGERT_INLINE PyObject *wengert_repeat_at(
            PyObject *prediction, PyObject *expected, int64_t serial, const wengert_predicted_fields *field,
            const wengert_kept_fields *kept) {
        PyObject *pattern = WENGERT_AT(PyObject *, prediction, field->pattern), *returned;
        PyObject *cached = WENGERT_AT(PyObject *, pattern, field->cached);
        const Py_ssize_t number = WENGERT_AT(int64_t, expected, field->number);
        if (number >= PyList_GET_SIZE(cached)) Py_RETURN_NONE;
        PyObject *tensor = PyList_GET_ITEM(cached, number);
        returned = wengert_repeat_in(
            tensor, WENGERT_AT(PyObject *, pattern, field->handle), WENGERT_AT(PyObject *, pattern, field->values),
            WENGERT_AT(int64_t, expected, field->place), WENGERT_AT(int64_t, prediction, field->position), WENGERT_RECORDED, kept);
        if (returned != tensor || returned == Py_None) return returned;
        PyObject *tape = WENGERT_AT(PyObject *, WENGERT_AT(PyObject *, prediction, field->match), field->tape);
        if (WENGERT_AT(PyObject *, tape, field->predicting) != prediction) {  /* a finaliser has ended it meanwhile */
            Py_DECREF(returned);
            Py_RETURN_NOTIMPLEMENTED;
        }
        WENGERT_AT(int64_t, WENGERT_AT(PyObject *, tensor, kept->storage), field->serial) = serial;
        wengert_attach(WENGERT_AT(PyObject *, tensor, kept->edge), tape, field);
        wengert_advance(prediction, expected, tensor, field);
        return returned;
    }
    /* Whether the first two arguments of the next call are known to be the expected ones, and the flags of the external
       tensors among all arguments are those of the pattern; puts the arrays of these to their places. */
    static WENGERT_INLINE int wengert_expects_at(
            PyObject *prediction, PyObject *expected, PyObject *first, PyObject *second,
            const wengert_predicted_fields *field, const wengert_kept_fields *kept) {
        PyObject *match = WENGERT_AT(PyObject *, prediction, field->match);
        PyObject *pattern = WENGERT_AT(PyObject *, prediction, field->pattern);
        PyObject *externals = WENGERT_AT(PyObject *, match, field->externals);
        return wengert_are_expected(WENGERT_AT(PyObject *, expected, field->facts), first, second, externals,
                                    WENGERT_AT(PyObject *, match, field->results))
            && wengert_puts_arrays_at(WENGERT_AT(PyObject *, expected, field->outside), externals,
                                      WENGERT_AT(PyObject *, pattern, field->words),
                                      WENGERT_AT(PyObject *, pattern, field->values), kept->array, kept->flags);
    }
    /* Run the next call, whose operator has two operands, while the tape is marked: `wengert_repeat_at`, with Ellipsis where
       no kept result is free; None if it is another call, or has to be compared in more detail. */
    static WENGERT_INLINE PyObject *wengert_run_two_at(
            PyObject *prediction, PyObject *op, PyObject *first, PyObject *second, int64_t serial,
            const wengert_predicted_fields *field, const wengert_kept_fields *kept) {
        PyObject *expected = WENGERT_AT(PyObject *, prediction, field->upcoming), *returned = Py_None;
        if (expected == Py_None || WENGERT_AT(PyObject *, expected, field->op) != op
            || !WENGERT_AT(int, expected, field->is_short) || !WENGERT_AT(int, expected, field->is_native)) Py_RETURN_NONE;
        PyObject *tape = WENGERT_AT(PyObject *, WENGERT_AT(PyObject *, prediction, field->match), field->tape);
        if (WENGERT_AT(PyObject *, tape, field->changer) != Py_None) Py_RETURN_NONE;
        Py_INCREF(tape);  /* a handler may discard it, and end the prediction */
        Py_INCREF(prediction);
        Py_INCREF(expected);
        wengert_put(tape, field->changer, WENGERT_AT(PyObject *, tape, field->modes));
        if (wengert_expects_at(prediction, expected, first, second, field, kept)) {
            returned = wengert_repeat_at(prediction, expected, serial, field, kept);
            if (returned == Py_None) Py_SETREF(returned, Py_NewRef(Py_Ellipsis));
        } else {
            Py_INCREF(returned);
        }
        wengert_put(tape, field->changer, Py_None);
        Py_DECREF(expected);
        Py_DECREF(prediction);
        Py_DECREF(tape);
        return returned;
    }
    #define WENGERT_OF_TAPE struct __pyx_obj_7wengert_5_core_6tensor_5tapes_Tape
    #define WENGERT_OF_PREDICTION struct __pyx_obj_7wengert_5_core_7capture_10predicting_Prediction
    #define WENGERT_OF_MATCH struct __pyx_obj_7wengert_5_core_7capture_8matching_Match
    #define WENGERT_OF_PATTERN struct __pyx_obj_7wengert_5_core_7capture_8matching_Pattern
    #define WENGERT_OF_CALL struct __pyx_obj_7wengert_5_core_7capture_8matching_ExpectedCall
    #define WENGERT_OF_EDGE struct __pyx_obj_7wengert_5_core_5graph_4node_Edge
    #define WENGERT_PREDICTED_FIELDS &(const wengert_predicted_fields){ \
        offsetof(WENGERT_OF_PREDICTION, pattern), offsetof(WENGERT_OF_PREDICTION, match), \
        offsetof(WENGERT_OF_PREDICTION, position), offsetof(WENGERT_OF_PREDICTION, upcoming), \
        offsetof(WENGERT_OF_PREDICTION, is_compared), offsetof(WENGERT_OF_MATCH, externals), \
        offsetof(WENGERT_OF_MATCH, results), offsetof(WENGERT_OF_MATCH, tape), offsetof(WENGERT_OF_PATTERN, handle), \
        offsetof(WENGERT_OF_PATTERN, cached), offsetof(WENGERT_OF_PATTERN, values), \
        offsetof(WENGERT_OF_PATTERN, words), offsetof(WENGERT_OF_CALL, op), offsetof(WENGERT_OF_CALL, is_short), \
        offsetof(WENGERT_OF_CALL, is_native), offsetof(WENGERT_OF_CALL, facts), offsetof(WENGERT_OF_CALL, outside), \
        offsetof(WENGERT_OF_CALL, number), offsetof(WENGERT_OF_CALL, __pyx_register), \
        offsetof(WENGERT_OF_CALL, following), offsetof(WENGERT_OF_STORAGE, serial), offsetof(WENGERT_OF_EDGE, node), \
        offsetof(WENGERT_OF_EDGE, nr), offsetof(WENGERT_OF_EDGE, shape), offsetof(WENGERT_OF_EDGE, dtype), \
        offsetof(WENGERT_OF_TAPE, changer), offsetof(WENGERT_OF_TAPE, modes), offsetof(WENGERT_OF_TAPE, predicting)}
    #define wengert_repeat(prediction, expected, serial) wengert_repeat_at( \
        (PyObject *)(prediction), (PyObject *)(expected), (serial), WENGERT_PREDICTED_FIELDS, WENGERT_KEPT_FIELDS)
    #define wengert_run_two(prediction, op, first, second, serial) wengert_run_two_at( \
        (PyObject *)(prediction), (op), (first), (second), (serial), WENGERT_PREDICTED_FIELDS, \
        WENGERT_KEPT_FIELDS)
    #define wengert_repeat_cached(known, values, place) wengert_repeat_in( \
        WENGERT_AT(PyObject *, (known), offsetof(WENGERT_OF_CACHED, result)), \
        WENGERT_AT(PyObject *, (known), offsetof(WENGERT_OF_CACHED, handle)), (values), (place), 0, 0, \
        WENGERT_KEPT_FIELDS)
    #define WENGERT_OF_CACHED struct __pyx_obj_7wengert_5_core_7capture_7caching_CachedCall
    /* The edges of tensors. */
    static CYTHON_UNUSED PyObject *wengert_edges_at(PyObject *tensors, Py_ssize_t edge) {
        PyObject *edges = PyList_New(PyList_GET_SIZE(tensors));
        if (edges == NULL) return NULL;
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(tensors); at++)
            PyList_SET_ITEM(edges, at, Py_NewRef(WENGERT_AT(PyObject *, PyList_GET_ITEM(tensors, at), edge)));
        return edges;
    }
    #define wengert_edges_of(tensors) wengert_edges_at((tensors), offsetof(WENGERT_OF_TENSOR, _edge_))
    /* Whether something refers to the edge at a place but its list, or, if it is that of a kept tensor, to the tensor. */
    static CYTHON_INLINE int wengert_is_held_at(PyObject *edges, PyObject *cached, Py_ssize_t at, Py_ssize_t edge_at) {
        PyObject *edge = PyList_GET_ITEM(edges, at);
        PyObject *tensor = at < PyList_GET_SIZE(cached) ? PyList_GET_ITEM(cached, at) : Py_None;
        if (edge == Py_None) return 0;
        if (tensor != Py_None && WENGERT_AT(PyObject *, tensor, edge_at) == edge) return Py_REFCNT(tensor) > 1;
        return Py_REFCNT(edge) > 1;
    }
    #define wengert_is_held(edges, cached, at) \
        wengert_is_held_at((edges), (cached), (at), offsetof(WENGERT_OF_TENSOR, _edge_))
    /* The same for all edges but that at `root`. */
    static CYTHON_UNUSED int wengert_are_held_at(PyObject *edges, PyObject *cached, Py_ssize_t root, Py_ssize_t edge_at) {
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(edges); at++)
            if (at != root && wengert_is_held_at(edges, cached, at, edge_at)) return 1;
        return 0;
    }
    #define wengert_are_held(edges, cached, root) \
        wengert_are_held_at((edges), (cached), (root), offsetof(WENGERT_OF_TENSOR, _edge_))
    #define WENGERT_MOST_REGISTERS 24
    /* The registers keep their arrays while the call lasts: nobody else has the list. */
    static PyObject *wengert_on_registers(PyObject *function, PyObject *args, PyObject *places, PyObject *values) {
        PyObject *arguments[WENGERT_MOST_REGISTERS], *result;
        Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (count > WENGERT_MOST_REGISTERS || PyTuple_GET_SIZE(places) != count) {
            PyErr_SetString(PyExc_RuntimeError, "an entry has too many arguments");
            return NULL;
        }
        for (Py_ssize_t at = 0; at < count; at++) {
            long place = PyLong_AsLong(PyTuple_GET_ITEM(places, at));
            if (place >= (long)PyList_GET_SIZE(values)) {
                PyErr_SetString(PyExc_IndexError, "an entry names a register that the list does not have");
                return NULL;
            }
            arguments[at] = place >= 0 ? PyList_GET_ITEM(values, place) : PyTuple_GET_ITEM(args, at);
        }
        result = PyObject_Vectorcall(function, arguments, (size_t)count, NULL);
        if (result == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {  /* as `door.on_arrays` */
            PyErr_Clear();
            Py_RETURN_NOTIMPLEMENTED;
        }
        return result;
    }
    """
    bint has_layout "wengert_has_layout"(object array, object layout)
    bint has_items "wengert_has_items"(object mapping, tuple keys, tuple values, object cell)
    bint is_bare "wengert_is_bare"(object object)
    bint keeps_registers "wengert_keeps_registers"()
    void empty "wengert_empty"(list values, bytes numbers)
    bint share_as "wengert_share_as"(list tensors, bytes groups, bytes numbers, object recent)
    bint renew "wengert_renew"(bytes numbers, list values, list tensors, object cls, int64_t serial)
    void fill "wengert_fill_registers"(list values, list tensors, bytes numbers)
    bint count_writes "wengert_count_writes"(bytes writes, int64_t first, int64_t end, list tensors)
    int64_t find "wengert_find"(list externals, object leaves, list tensors, int64_t unknown)
    int64_t first_unlike "wengert_first_unlike"(
        bytes numbers, tuple constants, tuple args, list externals, list results)
    bint takes_args "wengert_takes_args"(tuple args, tuple facts)
    bint takes_two "wengert_takes_two"(object first, object second, tuple facts)
    bint puts_arrays "wengert_puts_arrays"(bytes outside, list externals, bytes words, list values)
    bytes handle_of "wengert_handle_of"(object capsule)
    object run_call "wengert_run_call"(bytes handle, list values, Py_ssize_t number, object array)
    object repeat "wengert_repeat"(object prediction, object expected, int64_t serial)
    object run_two "wengert_run_two"(object prediction, object op, object first, object second, int64_t serial)
    object repeat_cached "wengert_repeat_cached"(object known, list values, Py_ssize_t place)
    list edges_of "wengert_edges_of"(list tensors)
    bint is_held "wengert_is_held"(list edges, list cached, Py_ssize_t at)
    bint are_held "wengert_are_held"(list edges, list cached, Py_ssize_t root)
    object on_registers "wengert_on_registers"(object function, tuple args, tuple places, list values)

cdef enum:
    CALL = 0
    GRADS = 6
    ISLAND = 7
    MOVED = 2
