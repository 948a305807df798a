// gelu, which has two forms, and round, for which there are loops without decimals only.
#include "binding/memory_order.hpp"
#include "binding/work.hpp"
#include "pointwise/pointwise.hpp"

namespace wengert {
namespace {

// gelu takes the name of its form between the arrays and `out`.
Twin gelu_twin("gelu"), gelu_backward_twin("gelu_backward");
const char* const gelu_names[] = {"x", "approximate", "out"};
const char* const gelu_backward_names[] = {"grad", "x", "approximate", "out"};

constexpr Unary gelu_forms[] = {GELU, GELU_TANH};
constexpr Binary gelu_backward_forms[] = {GELU_BACKWARD, GELU_TANH_BACKWARD};
// The number of a form: 0: exact, 1: tanh, -1: unknown.
int gelu_form(PyObject* approximate) {
    if (!approximate) return 0;
    if (!PyUnicode_Check(approximate)) return -1;
    if (PyUnicode_CompareWithASCIIString(approximate, "none") == 0) return 0;
    return PyUnicode_CompareWithASCIIString(approximate, "tanh") == 0 ? 1 : -1;
}
PyObject* gelu(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    PyObject* slots[3];
    if (spread(args, nargs, kwnames, gelu_names, 1, 3, slots)) {
        const int form = gelu_form(slots[1]);
        PyObject* result = form < 0 ? nullptr : pointwise_unary(gelu_forms[form], slots[0], slots[2]);
        if (result || PyErr_Occurred()) return result;
    }
    return gelu_twin.call(args, nargs, kwnames);
}
PyObject* gelu_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    PyObject* slots[4];
    if (spread(args, nargs, kwnames, gelu_backward_names, 2, 4, slots)) {
        const int form = gelu_form(slots[2]);
        PyObject* result =
            form < 0 ? nullptr : pointwise_binary(gelu_backward_forms[form], slots[0], slots[1], slots[3]);
        if (result || PyErr_Occurred()) return result;
    }
    return gelu_backward_twin.call(args, nargs, kwnames);
}
PyObject* direct_gelu(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    const int form = nargs == 2 ? gelu_form(args[1]) : -1;
    PyObject* result = form < 0 ? nullptr : direct_unary(gelu_forms[form], args[0]);
    if (result || PyErr_Occurred()) return result;
    Py_RETURN_NOTIMPLEMENTED;
}
// (grad, self, approximate)
PyObject* gelu_rule(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    const int form = nargs == 3 && PyArray_Check(args[0]) && PyArray_Check(args[1]) ? gelu_form(args[2]) : -1;
    PyObject* result = form < 0 ? nullptr : pointwise_binary(gelu_backward_forms[form], args[0], args[1], nullptr);
    if (result || PyErr_Occurred()) return result;
    Py_RETURN_NOTIMPLEMENTED;
}
// To whole numbers only.
PyObject* direct_round(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    npy_intp decimals = 1;
    if (nargs == 2 && (args[1] == Py_None || (as_index(args[1], decimals) && decimals == 0))) {
        PyObject* result = direct_unary(RINT, args[0]);
        if (result || PyErr_Occurred()) return result;
    }
    Py_RETURN_NOTIMPLEMENTED;
}
// round_(self, decimals)
PyObject* round_in_place(PyObject* const* args) {
    npy_intp decimals = 1;
    PyArrayObject* x = plain(args[0]);
    if (!x || !writeable(x) || !(args[1] == Py_None || (as_index(args[1], decimals) && decimals == 0))) return nullptr;
    PyObject* result = pointwise_unary(RINT, args[0], args[0]);
    if (!result) return nullptr;
    Py_DECREF(result);
    Py_RETURN_NONE;
}
Methods gelu_methods({
    WENGERT_REPEATABLE(round_, "(x, None or 0): None", direct<2, round_in_place>),
    WENGERT_REPEATABLE(round, "(x, None or 0)", in_operand_order<direct_round>),
    WENGERT_REPEATABLE(gelu_backward, "(grad, self, approximate)", in_operand_order<gelu_rule>),
    WENGERT_REPEATABLE(gelu, "(x, approximate)", in_operand_order<direct_gelu>),
    WENGERT_FUNCTION(gelu, "(x, approximate='none', out=None)", gelu),
    WENGERT_FUNCTION(gelu_backward, "(grad, x, approximate='none', out=None)", gelu_backward),
});

}  // namespace
}  // namespace wengert
