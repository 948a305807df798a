// Functions of arrays in rows, asked for arrays that lie in another way: with copies of those that are not very large,
// and of functions that work element by element with the dimensions in the order of memory. A copy costs less than the
// twins' way.
#pragma once

#include "binding/direct.hpp"

#include <algorithm>

namespace wengert {

// An exact array of numbers, few enough to be copied; null for anything else.
inline PyArrayObject* with_few(PyObject* object) {
    constexpr npy_intp few = 1 << 24;  // memory for a copy
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const bool known = (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) && !PyArray_ISBYTESWAPPED(array) &&
                       PyTypeNum_ISNUMBER(PyArray_TYPE(array));
    return known && PyArray_SIZE(array) > 0 && PyArray_SIZE(array) <= few ? array : nullptr;
}
// The same that does not lie in rows without gaps.
inline PyArrayObject* few_in_another_way(PyObject* object) {
    PyArrayObject* array = with_few(object);
    return array && !PyArray_IS_C_CONTIGUOUS(array) ? array : nullptr;
}
// The same, of which there are gaps in its rows.
inline PyArrayObject* few_with_gaps(PyObject* object) {
    PyArrayObject* array = few_in_another_way(object);
    return array && lies_in_rows(array) ? array : nullptr;
}

// A view of an array under a shape and strides within its memory, for reading.
PyArrayObject* seen_as(PyArrayObject* array, int ndim, npy_intp* shape, npy_intp* strides);

// The arguments of a call, some of them exchanged for arrays of its own.
class Exchanged {
public:
    static constexpr Py_ssize_t most = 9;
    Exchanged(PyObject* const* args, Py_ssize_t nargs) { std::copy(args, args + nargs, given); }
    ~Exchanged() {
        while (count_) Py_DECREF(made_[--count_]);
    }
    Exchanged(const Exchanged&) = delete;
    Exchanged& operator=(const Exchanged&) = delete;
    // False with an error for null.
    bool put(Py_ssize_t at, PyArrayObject* array) {
        if (array) given[at] = made_[count_++] = reinterpret_cast<PyObject*>(array);
        return array != nullptr;
    }
    bool any() const { return count_ > 0; }
    PyObject* given[most];

private:
    PyObject* made_[most];
    Py_ssize_t count_ = 0;
};

// A function whose new arrays lie in rows, however its operands lie; `copied` says which of them are copied. Where
// results lie as operands do, only parts of rows may be (`few_with_gaps`).
template <DirectFunction function, PyArrayObject* (*copied)(PyObject*) = few_in_another_way>
PyObject* laid(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs > Exchanged::most) return result;
    Exchanged exchanged(args, nargs);
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        PyArrayObject* array = copied(args[i]);
        if (array && !exchanged.put(i, new_copy(array))) return Py_DECREF(result), nullptr;
    }
    if (!exchanged.any()) return result;
    Py_DECREF(result);
    return function(self, exchanged.given, nargs);
}

// How the result of an element-wise function lies: the dimensions of its operands, the innermost first.
class Iterated {
public:
    // False where no operand lies in another order than rows without gaps, or the order cannot be told from strides
    // alone. The first operand that tells two dimensions apart decides; `first_last`: the first operand of all is asked
    // last, as gradients are.
    bool find(PyObject* const* args, Py_ssize_t nargs, bool first_last);
    // A view of an operand whose dimensions lie in the order of memory, or a copy of that.
    PyArrayObject* seen(PyArrayObject* array) const;
    // Gives what was made of such views the order of the operands' dimensions; false if it is no new array of that
    // shape.
    bool restore(PyObject* object) const;

private:
    bool stretch(PyArrayObject* array);
    void read_strides(int k, PyArrayObject* array);
    int compared(int one, int other) const;
    void sort();
    bool is_dense() const;

    int ndim_ = 0, count_ = 0;
    bool in_rows_ = true, alike_ = true;  // alike: all operands have the shape of the result and the same strides
    npy_intp itemsize_ = 0;               // of the first operand
    npy_intp shape_[most_dims], strides_[Exchanged::most][most_dims];
    int order_[most_dims];
};

// A function that works element by element: its new array lies as its operands do.
template <DirectFunction function, bool first_last = false>
PyObject* iterated(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    Iterated order;
    if (result != Py_NotImplemented || nargs > Exchanged::most || !order.find(args, nargs, first_last)) return result;
    Exchanged exchanged(args, nargs);
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!PyArray_CheckExact(args[i])) continue;
        auto* array = reinterpret_cast<PyArrayObject*>(args[i]);
        if (PyArray_NDIM(array) > 0 && !exchanged.put(i, order.seen(array))) return Py_DECREF(result), nullptr;
    }
    PyObject* made = function(self, exchanged.given, nargs);
    if (!made || made == Py_NotImplemented || !order.restore(made)) {
        Py_XDECREF(made);
        return made ? result : (Py_DECREF(result), nullptr);
    }
    Py_DECREF(result);
    return made;
}

}  // namespace wengert
