// What every file of the native kernels shares: the Python and NumPy headers, the table of twins, array checks,
// threads.
#pragma once

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL wengert_kernels_array_api
#ifndef WENGERT_MODULE_FILE
#define NO_IMPORT_ARRAY
#endif
#include <Python.h>

#include <numpy/arrayobject.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>

#include "base/checked.hpp"
#include "base/reserve.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"

namespace wengert {

// ---- twins ---------------------------------------------------------------------------------------------------------
// A native function that is called with arguments that it does not support calls the NumPy function of the same name
// with them. The name is all that ties the two together; `bind_twins` fills `function` once at import.
struct Twin {
    explicit Twin(const char* twin_name);
    PyObject* call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const;
    const char* name;
    PyObject* function = nullptr;
    Twin* next;
};
Twin* first_twin();

// Each file registers its methods with the module through one of these.
struct MethodList {
    explicit MethodList(PyMethodDef* list_methods);
    PyMethodDef* methods;  // ends with a null name
    MethodList* next;
};
MethodList* first_method_list();
// The methods of a file; the row that ends the list is added here.
template <size_t count> class Methods {
public:
    explicit Methods(const PyMethodDef (&methods)[count]) : list_(methods_) {
        std::copy(methods, methods + count, methods_);
    }
    Methods(const Methods&) = delete;
    Methods& operator=(const Methods&) = delete;

private:
    PyMethodDef methods_[count + 1] = {};
    MethodList list_;
};

// ---- arrays --------------------------------------------------------------------------------------------------------
extern PyArray_Descr* float_descr;
extern PyArray_Descr* double_descr;
extern PyArray_Descr* int64_descr;
extern PyArray_Descr* bool_descr;

template <class T> inline PyArray_Descr* descr_of();
template <> inline PyArray_Descr* descr_of<float>() { return float_descr; }
template <> inline PyArray_Descr* descr_of<double>() { return double_descr; }
template <> inline PyArray_Descr* descr_of<int64_t>() { return int64_descr; }

// An exact ndarray, C-contiguous, aligned; null for anything else. NumPy's built-in descriptors are singletons, so that
// comparing the pointer also settles the byte order.
inline PyArrayObject* plain(PyObject* object) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    constexpr int wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    return (PyArray_FLAGS(array) & wanted) == wanted ? array : nullptr;
}
inline PyArrayObject* plain(PyObject* object, PyArray_Descr* descr) {
    PyArrayObject* array = plain(object);
    return array && PyArray_DESCR(array) == descr ? array : nullptr;
}
// Whether all strides are those of row-major order, also where a length of 1 leaves them open.
inline bool is_row_major(PyArrayObject* array) {
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int i = PyArray_NDIM(array) - 1; i >= 0; --i) {
        if (PyArray_STRIDE(array, i) != step) return false;
        if (PyArray_DIM(array, i) > 1) step *= PyArray_DIM(array, i);
    }
    return true;
}
// An element that another thread may be writing, read exactly once: what is checked is what is used.
inline int64_t load_once(const int64_t* position) { return __atomic_load_n(position, __ATOMIC_RELAXED); }
template <class T> inline T* data_of(PyArrayObject* array) { return static_cast<T*>(PyArray_DATA(array)); }

// A new array in memory that is kept when it is freed (binding/memory.cpp), for sizes where that is worth it.
PyArrayObject* new_large(PyArray_Descr* descr, int ndim, const npy_intp* shape, bool zeroed);
inline bool is_large(PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    Size bytes(PyDataType_ELSIZE(descr));
    for (int i = 0; i < ndim; ++i) bytes = bytes * shape[i];
    return bytes.fits() && bytes.value() >= static_cast<npy_intp>(least_kept);
}
// How many arrays are offered to functions that create some (binding/spare.hpp).
extern int offered_count;
// An offered array of this dtype and shape, and of row-major or column-major order; null if there is none.
PyArrayObject* take_offered(PyArray_Descr* descr, int ndim, const npy_intp* shape, bool by_columns = false);
inline PyArrayObject* new_array(PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    if (offered_count)
        if (PyArrayObject* array = take_offered(descr, ndim, shape)) return array;
    if (is_large(descr, ndim, shape)) return new_large(descr, ndim, shape, false);
    Py_INCREF(descr);
    return reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, descr, ndim, const_cast<npy_intp*>(shape), nullptr, nullptr, 0, nullptr));
}
inline PyArrayObject* new_zeros(PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    if (offered_count)
        if (PyArrayObject* array = take_offered(descr, ndim, shape)) {
            std::memset(PyArray_DATA(array), 0, static_cast<size_t>(PyArray_NBYTES(array)));
            return array;
        }
    if (is_large(descr, ndim, shape)) return new_large(descr, ndim, shape, true);
    Py_INCREF(descr);
    return reinterpret_cast<PyArrayObject*>(PyArray_Zeros(ndim, const_cast<npy_intp*>(shape), descr, 0));
}
// A copy in row-major order.
PyArrayObject* new_copy(PyArrayObject* x);
inline bool same_shape(PyArrayObject* a, PyArrayObject* b) {
    const int ndim = PyArray_NDIM(a);
    if (ndim != PyArray_NDIM(b)) return false;
    const npy_intp *x = PyArray_DIMS(a), *y = PyArray_DIMS(b);
    for (int i = 0; i < ndim; ++i)
        if (x[i] != y[i]) return false;
    return true;
}
inline bool overlap(PyArrayObject* a, PyArrayObject* b) {
    const char *x = PyArray_BYTES(a), *y = PyArray_BYTES(b);
    return x < y + PyArray_NBYTES(b) && y < x + PyArray_NBYTES(a);
}
// Whether `out` may be written element by element while `input` is read: their memory is disjoint or identical.
inline bool safe_in_place(PyArrayObject* out, PyArrayObject* input) {
    return !overlap(out, input) ||
           (PyArray_DATA(out) == PyArray_DATA(input) && PyArray_NBYTES(out) == PyArray_NBYTES(input));
}
inline bool writeable(PyArrayObject* array) { return (PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE) != 0; }

// The result of an element-wise function of `input`: a new array, or `out` (None: new) if that is safe. Null without a
// Python error means: unknown, ask the twin.
PyArrayObject* result_like(PyArrayObject* input, PyObject* out);

// ---- arguments ------------------------------------------------------------------------------------------------------
// Spreads positional arguments and keywords over `slots` (borrowed; missing ones are null). False: ask the twin, which
// also words the error.
bool spread(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const char* const* names, int required,
            int count, PyObject** slots);

// A method's C function, whatever its form, as the method table wants it.
using FastFunction = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyMethodDef fast_method(const char* name, FastFunction function, const char* doc) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function)), METH_FASTCALL | METH_KEYWORDS, doc};
}
// The entry of a function with a twin in a table of methods: what it takes, and last the function.
#define WENGERT_FUNCTION(name, parameters, ...) fast_method(#name, __VA_ARGS__, #name parameters)

// A function of positional arguments that returns NotImplemented for what it does not know.
using DirectFunction = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
inline PyCFunction as_direct(DirectFunction function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}
inline PyMethodDef direct_method(const char* name, DirectFunction function, const char* doc) {
    return {name, as_direct(function), METH_FASTCALL, doc};
}
// The entry of `direct_name` in a table of methods: what it takes, and last the function.
#define WENGERT_ENTRY(name, parameters, ...) \
    direct_method("direct_" #name, __VA_ARGS__, #name parameters ", or NotImplemented")
// The answer of such a function: a result, null with an error set, or NotImplemented for null without one. C++
// exceptions become MemoryError.
template <class Compute> inline PyObject* answer(Compute compute) {
    try {
        PyObject* result = compute();
        if (result || PyErr_Occurred()) return result;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::length_error&) {
        return PyErr_NoMemory();
    }
    Py_RETURN_NOTIMPLEMENTED;
}

// A method that tries `compute` on its arguments and asks the twin if the answer is null without a Python error. Memory
// for scratch may be refused; that is Python's MemoryError, not the end of the process.
template <int count, class Compute>
inline PyObject* try_native(const Twin& twin, const char* const* names, int required, PyObject* const* args,
                            Py_ssize_t nargs, PyObject* kwnames, Compute compute) {
    PyObject* slots[count];
    if (spread(args, nargs, kwnames, names, required, count, slots)) {
        try {
            PyObject* result = compute(slots);
            if (result || PyErr_Occurred()) return result;
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        } catch (const std::length_error&) {  // a vector longer than any memory
            return PyErr_NoMemory();
        }
    }
    return twin.call(args, nargs, kwnames);
}

// The method of a native function with a twin: `compute` takes one argument for each of `names`.
template <const Twin& twin, int required, auto& names, auto compute>
PyObject* with_twin(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<static_cast<int>(std::size(names))>(twin, names, required, args, nargs, kwnames, compute);
}
// Picks the form for the dtype of the first argument, a contiguous array.
template <PyObject* (*for_float)(PyObject**), PyObject* (*for_double)(PyObject**)>
PyObject* by_dtype(PyObject** slots) {
    PyArrayObject* first = plain(slots[0]);
    if (!first) return nullptr;
    if (PyArray_DESCR(first) == float_descr) return for_float(slots);
    return PyArray_DESCR(first) == double_descr ? for_double(slots) : nullptr;
}

// Exact Python numbers only; false, without an error set, for anything else. A missing argument leaves the default.
inline bool as_index(PyObject* object, npy_intp& value) {
    if (!object) return true;
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    value = static_cast<npy_intp>(PyLong_AsLongLongAndOverflow(object, &overflow));
    return overflow == 0;
}
// A dimension, counted from the front.
inline bool as_axis(PyObject* object, int ndim, int& axis) {
    npy_intp number = 0;
    if (!object || !as_index(object, number) || number < -ndim || number >= ndim) return false;
    axis = static_cast<int>(number < 0 ? number + ndim : number);
    return true;
}
inline bool as_number(PyObject* object, double& value) {
    if (!object) return true;
    if (PyFloat_CheckExact(object)) {
        value = PyFloat_AS_DOUBLE(object);
        return true;
    }
    npy_intp integer;
    if (!as_index(object, integer)) return false;
    value = static_cast<double>(integer);
    return true;
}
inline bool as_flag(PyObject* object, bool& value) {
    if (!object) return true;
    value = object == Py_True;
    return value || object == Py_False;
}
inline bool as_pair(PyObject* object, npy_intp* value) {
    if (!object) return true;
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != 2) return false;
    return as_index(PyTuple_GET_ITEM(object, 0), value[0]) && as_index(PyTuple_GET_ITEM(object, 1), value[1]);
}
inline bool is_text(PyObject* object, const char* text) {
    return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, text) == 0;
}
// The position of a string among `texts`; their number if it is none of them.
template <int count> inline int number_of_text(PyObject* object, const char* const (&texts)[count]) {
    int number = 0;
    while (number < count && !is_text(object, texts[number])) ++number;
    return number;
}
enum Reduction { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM, REDUCE_UNKNOWN };
inline Reduction as_reduction(PyObject* object) {
    if (!object || is_text(object, "mean")) return REDUCE_MEAN;
    if (is_text(object, "sum")) return REDUCE_SUM;
    return is_text(object, "none") ? REDUCE_NONE : REDUCE_UNKNOWN;
}
inline bool absent(PyObject* object) { return !object || object == Py_None; }
// A Python number beside an array takes the dtype of the array; false if it overflows that, which is left to the
// bodies.
inline bool weak_value(PyObject* number, float& value) {
    double wide;
    if (PyFloat_CheckExact(number)) {
        wide = PyFloat_AS_DOUBLE(number);
    } else if (PyLong_CheckExact(number)) {
        wide = PyLong_AsDouble(number);
        if (wide == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
    } else {
        return false;
    }
    value = static_cast<float>(wide);
    return !std::isfinite(wide) || std::fabs(wide) <= static_cast<double>(std::numeric_limits<float>::max());
}
inline bool weak_value(PyObject* number, double& value) {
    if (PyFloat_CheckExact(number)) {
        value = PyFloat_AS_DOUBLE(number);
        return true;
    }
    if (!PyLong_CheckExact(number)) return false;
    value = PyLong_AsDouble(number);
    if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}
inline bool weak_value(PyObject* number, int64_t& value) {
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow == 0;
}
// An optional array: absent, or plain with this dtype and number of elements.
template <class T> inline bool optional_data(PyObject* object, npy_intp count, const T*& data) {
    data = nullptr;
    if (absent(object)) return true;
    PyArrayObject* array = plain(object, descr_of<T>());
    if (!array || PyArray_SIZE(array) != count) return false;
    data = data_of<T>(array);
    return true;
}

// An owned reference, released at the end of the scope unless it is given away.
class Owned {
public:
    explicit Owned(PyArrayObject* array = nullptr) : array_(array) {}
    ~Owned() { Py_XDECREF(array_); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    explicit operator bool() const { return array_ != nullptr; }
    PyArrayObject* get() const { return array_; }
    bool set(PyArrayObject* array) {
        Py_XDECREF(array_);
        array_ = array;
        return array_ != nullptr;
    }
    PyArrayObject* take() {
        PyArrayObject* array = array_;
        array_ = nullptr;
        return array;
    }
    PyObject* give() { return reinterpret_cast<PyObject*>(take()); }

private:
    PyArrayObject* array_;
};
// A tuple that takes over the references; null becomes None unless an error is set.
PyObject* give_tuple(Owned* items, int count);

// ---- threads -------------------------------------------------------------------------------------------------------
struct WorkNotes;
extern WorkNotes* work_notes;  // where the running function notes its work (binding/work.hpp), or null
// Before other threads, or Python code, may call native functions: offers and notes are those of one call.
void end_replayed_call();
inline void leave_replayed_call() {
    if (offered_count || work_notes) end_replayed_call();
}
// Waits until the process ends.
[[noreturn]] void wait_for_the_end();
// Runs `call`, which releases the interpreter's lock and acquires it again. Before Python 3.14 that ends a daemon
// thread once the interpreter is finalised: `pthread_exit` unwinds the stack. No exception may leave a destructor, and
// destructors of references would change counts without the lock; so the thread stays here, as it does in Python 3.14.
template <class Call> inline auto with_python(Call call) {
    leave_replayed_call();
    try {
        return call();
    } catch (...) {
        wait_for_the_end();
    }
}

// Lets other Python threads run while a large piece of work is done.
class ReleaseGil {
public:
    explicit ReleaseGil(bool release) {
        if (!release) return;
        leave_replayed_call();
        state_ = PyEval_SaveThread();
    }
    ~ReleaseGil() {
        if (state_) with_python([this] { PyEval_RestoreThread(state_); });
    }
    ReleaseGil(const ReleaseGil&) = delete;
    ReleaseGil& operator=(const ReleaseGil&) = delete;

private:
    PyThreadState* state_ = nullptr;
};

// Call `body(begin, end)` for parts of 0 to `count`, by several threads and without the lock where that is worth it.
template <class Body> inline void for_all(npy_intp count, npy_intp cost, const Body& body) {
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, cost, body);
}

}  // namespace wengert
