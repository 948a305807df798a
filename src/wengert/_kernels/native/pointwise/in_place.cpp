// In-place element-wise functions: the result is written into the first operand. For the dispatcher only.
#include "binding/dense.hpp"
#include "binding/memory_order.hpp"
#include "binding/work.hpp"
#include "pointwise/pointwise.hpp"

namespace wengert {
namespace {

// The elements of an array without gaps, in the order of memory.
PyArrayObject* as_line(PyArrayObject* array) {
    npy_intp count = PyArray_SIZE(array), step = PyArray_ITEMSIZE(array);
    return view_as(array, 1, &count, &step);
}

// write(target, other), both contiguous: the arrays themselves, or vectors over their memory if they have the same
// strides in another order. `other` may be a number, or null.
template <class Write> PyObject* written(PyObject* target, PyObject* other, const Write& write) {
    PyArrayObject* array = dense(target);
    if (!array || !writeable(array)) return nullptr;
    PyObject* result = nullptr;
    if (plain(target)) {
        result = write(target, other);
    } else {
        PyArrayObject* beside = other ? dense(other) : nullptr;
        if (other && PyArray_Check(other) && !(beside && same_shape(array, beside) && same_strides(array, beside)))
            return nullptr;
        const Owned line(as_line(array)), other_line(beside ? as_line(beside) : nullptr);
        if (!line || (beside && !other_line)) return nullptr;
        result = write(reinterpret_cast<PyObject*>(line.get()),
                       beside ? reinterpret_cast<PyObject*>(other_line.get()) : other);
    }
    if (!result) return nullptr;
    Py_DECREF(result);
    Py_RETURN_NONE;
}

// (self)
template <Unary op> PyObject* of_one(PyObject* const* args) {
    return written(args[0], nullptr, [](PyObject* x, PyObject*) { return pointwise_unary(op, x, x); });
}
// (self, other)
template <Binary op> PyObject* of_two(PyObject* const* args) {
    if (arrays_only(op) && !PyArray_Check(args[1])) return nullptr;
    return written(args[0], args[1], [](PyObject* a, PyObject* b) { return pointwise_binary(op, a, b, a); });
}
// (self, other, alpha)
template <Binary op> PyObject* of_scaled(PyObject* const* args) {
    return written(args[0], args[1], [=](PyObject* a, PyObject* b) { return pointwise_scaled(op, a, b, args[2], a); });
}

#define WENGERT_ONE(op, name) \
    repeatable_method("direct_" name "_", direct<1, of_one<op>>, name "_(self): None, or NotImplemented"),
#define WENGERT_TWO(op, name) \
    repeatable_method("direct_" name "_", direct<2, of_two<op>>, name "_(self, other): None, or NotImplemented"),
#define WENGERT_TWO_SCALED(op, name) \
    repeatable_method("direct_" name "_", direct<3, of_scaled<op>>, \
                      name "_(self, other, alpha): None, or NotImplemented"),
// What a row becomes, by its binding.
#define WENGERT_WRITES_ONE_DIRECT(op, name) WENGERT_ONE(op, name)
#define WENGERT_WRITES_ONE_TWIN(op, name) WENGERT_ONE(op, name)
#define WENGERT_WRITES_ONE_SCIPY(op, name)
#define WENGERT_WRITES_ONE_INNER(op, name)
#define WENGERT_WRITES_TWO_DIRECT(op, name)
#define WENGERT_WRITES_TWO_TWIN(op, name)
#define WENGERT_WRITES_TWO_INNER(op, name)
#define WENGERT_WRITES_TWO_WRITTEN(op, name) WENGERT_TWO(op, name)
#define WENGERT_WRITES_TWO_DIRECT_WRITTEN(op, name) WENGERT_TWO(op, name)
#define WENGERT_WRITES_TWO_SCALED(op, name) WENGERT_TWO_SCALED(op, name)
#define WENGERT_UNARY(op, name, cost, binding, ...) WENGERT_WRITES_ONE_##binding(op, name)
#define WENGERT_BINARY(op, name, cost, binding, ...) WENGERT_WRITES_TWO_##binding(op, name)
Methods in_place_methods({
#include "base/pointwise.inc"
});

}  // namespace
}  // namespace wengert
