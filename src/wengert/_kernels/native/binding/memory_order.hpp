// Functions of contiguous arrays, called with arrays of other strides: on contiguous copies of arrays that are not very
// large, or, for element-wise functions, with the dimensions reordered as they are in memory. A copy costs less than
// calling the twin.
#pragma once

#include "binding/direct.hpp"

#include <algorithm>

namespace wengert {

// An exact array of numbers, few enough to be copied; null for anything else.
inline PyArrayObject* few_numbers(PyObject* object) {
    constexpr npy_intp few = 1 << 24;  // memory for a copy
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const bool known = (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) && !PyArray_ISBYTESWAPPED(array) &&
                       PyTypeNum_ISNUMBER(PyArray_TYPE(array));
    return known && PyArray_SIZE(array) > 0 && PyArray_SIZE(array) <= few ? array : nullptr;
}
// The same, for an array that is not contiguous.
inline PyArrayObject* few_not_contiguous(PyObject* object) {
    PyArrayObject* array = few_numbers(object);
    return array && !PyArray_IS_C_CONTIGUOUS(array) ? array : nullptr;
}
// The same, for a row-major array with gaps.
inline PyArrayObject* few_with_gaps(PyObject* object) {
    PyArrayObject* array = few_not_contiguous(object);
    return array && is_row_major_with_gaps(array) ? array : nullptr;
}

// A view of an array with another shape and other strides within its memory.
PyArrayObject* view_as(PyArrayObject* array, int ndim, npy_intp* shape, npy_intp* strides);

// The arguments of a call, of which some are replaced by owned arrays.
class ReplacedArguments {
public:
    static constexpr Py_ssize_t most = 9;
    ReplacedArguments(PyObject* const* args, Py_ssize_t nargs) { std::copy(args, args + nargs, arguments); }
    ~ReplacedArguments() {
        while (count_) Py_DECREF(owned_[--count_]);
    }
    ReplacedArguments(const ReplacedArguments&) = delete;
    ReplacedArguments& operator=(const ReplacedArguments&) = delete;
    // False with an error for null.
    bool put(Py_ssize_t at, PyArrayObject* array) {
        if (array) arguments[at] = owned_[count_++] = reinterpret_cast<PyObject*>(array);
        return array != nullptr;
    }
    bool any() const { return count_ > 0; }
    PyObject* arguments[most];

private:
    PyObject* owned_[most];
    Py_ssize_t count_ = 0;
};

// A function whose result is row-major for operands of any strides; `copied` returns the arrays that are to be copied.
// Where the order of the result follows the operands, only row-major arrays with gaps may be (`few_with_gaps`).
template <DirectFunction function, PyArrayObject* (*copied)(PyObject*) = few_not_contiguous>
PyObject* on_contiguous(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs > ReplacedArguments::most) return result;
    ReplacedArguments exchanged(args, nargs);
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        PyArrayObject* array = copied(args[i]);
        if (array && !exchanged.put(i, new_copy(array))) return Py_DECREF(result), nullptr;
    }
    if (!exchanged.any()) return result;
    Py_DECREF(result);
    return function(self, exchanged.arguments, nargs);
}

// The memory order of the result of an element-wise function: the dimensions of its operands, the innermost first.
class OperandOrder {
public:
    // False if all operands are contiguous, or strides alone do not determine the order. The first operand that orders
    // two dimensions decides; `first_last`: the first operand, a gradient, is consulted last.
    bool find(PyObject* const* args, Py_ssize_t nargs, bool first_last);
    // A view of an operand with its dimensions in memory order, or a contiguous copy of that view.
    PyArrayObject* reordered(PyArrayObject* array) const;
    // Gives the result computed from such views the order of the operands' dimensions; false unless it is a new array
    // of that shape.
    bool restore(PyObject* object) const;

private:
    bool stretch(PyArrayObject* array);
    void read_strides(int k, PyArrayObject* array);
    int compared(int first, int other) const;
    void sort();
    bool is_dense() const;

    int ndim_ = 0, count_ = 0;
    bool row_major_ = true,
         same_layout_ = true;  // same_layout_: all operands have the shape of the result and the same strides
    npy_intp itemsize_ = 0;    // of the first operand
    npy_intp shape_[most_dims], strides_[ReplacedArguments::most][most_dims];
    int order_[most_dims];
};

// An element-wise function: its result has the memory order of its operands.
template <DirectFunction function, bool first_last = false>
PyObject* in_operand_order(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    OperandOrder order;
    if (result != Py_NotImplemented || nargs > ReplacedArguments::most || !order.find(args, nargs, first_last))
        return result;
    leave_replayed_call();  // the result must be a new array, whose order can be changed
    ReplacedArguments exchanged(args, nargs);
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!PyArray_CheckExact(args[i])) continue;
        auto* array = reinterpret_cast<PyArrayObject*>(args[i]);
        if (PyArray_NDIM(array) > 0 && !exchanged.put(i, order.reordered(array))) return Py_DECREF(result), nullptr;
    }
    PyObject* computed = function(self, exchanged.arguments, nargs);
    if (!computed || computed == Py_NotImplemented || !order.restore(computed)) {
        Py_XDECREF(computed);
        return computed ? result : (Py_DECREF(result), nullptr);
    }
    Py_DECREF(result);
    return computed;
}

}  // namespace wengert
