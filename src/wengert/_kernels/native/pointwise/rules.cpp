// Rules of element-wise functions: the gradient of an operand from that of the result and the saved values, in one
// pass. Functions for the dispatcher only.
#include "binding/broadcast.hpp"
#include "binding/complex_products.hpp"
#include "binding/promoted.hpp"
#include "binding/work.hpp"
#include "pointwise/pointwise.hpp"

#include <cmath>
#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;
constexpr npy_intp few = 256;  // beyond, NumPy's vectorised loops take less time than the C library one by one
constexpr npy_intp any_number = std::numeric_limits<npy_intp>::max();

// ---- of one operand -------------------------------------------------------------------------------------------------
// rule(gradient, saved value), for each of at most `most` elements.
template <class T, class Rule>
PyObject* unary_grad(PyObject* grad_object, PyArrayObject* saved, npy_intp most, Rule rule) {
    Operand operands[2];
    operands[1].array = saved;
    Broadcast<2> shape;
    if (!read_expanded(grad_object, PyArray_DESCR(saved), operands[0]) || !same_shape(operands[0].array, saved))
        return nullptr;
    if (!shape.find(operands) || shape.size() > most) return nullptr;
    Owned result(shape.new_result(PyArray_DESCR(saved)));
    if (!result) return nullptr;
    const T *grad = data_of<T>(operands[0].array), *value = data_of<T>(saved);
    T* out = data_of<T>(result.get());
    const npy_intp step = shape.inner(0);
    const auto row = [=](const T* g, const T* v, T* target, npy_intp count) {
        if (step) {
            for (npy_intp i = 0; i < count; ++i) target[i] = rule(g[i], v[i]);
        } else {
            for (npy_intp i = 0; i < count; ++i) target[i] = rule(*g, v[i]);
        }
    };
    if (shape.is_line() && shape.size() < many_elements) {
        const npy_intp count = shape.size();
        do_work([=] { row(grad, value, out, count); }, {grad, value, out});
        return result.give();
    }
    if (shape.is_line()) {
        constexpr npy_intp size = sizeof(T);
        const auto elements = [=](char* const* at, npy_intp count) {
            row(elements_at<T>(at[0]), elements_at<T>(at[1]), elements_at<T>(at[2]), count);
        };
        perform_on_many(shape.size(), 1, elements, {{grad, step * size}, {value, size}, {out, size}});
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        row(grad + from[0], value + from[1], out + to, count);
    });
    return result.give();
}
// (grad, what was saved)
template <class Rule> PyObject* unary_rule(Call args, npy_intp most, Rule rule) {
    PyArrayObject* saved = plain(args[1]);
    if (!saved) return nullptr;
    if (PyArray_DESCR(saved) == float_descr) return unary_grad<float>(args[0], saved, most, rule);
    return PyArray_DESCR(saved) == double_descr ? unary_grad<double>(args[0], saved, most, rule) : nullptr;
}

constexpr double log_2 = 0.693147180559945309417, log_10 = 2.302585092994045684018;

// By the result:
PyObject* sqrt_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto out) { return grad / (out * 2); });
}
PyObject* rsqrt_rule(Call args) {
    return unary_rule(args, any_number,
                      [](auto grad, auto out) { return grad * out * out * out * decltype(out)(-0.5); });
}
PyObject* reciprocal_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto out) { return -(grad * out * out); });
}
// (grad, out, what `out` has lost the digits of, or None)
PyObject* expm1_rule(Call args) {
    if (args[2] == Py_None) return unary_rule(args, any_number, [](auto grad, auto out) { return grad * (out + 1); });
    if (!PyArray_Check(args[2]) || PyArray_ISCOMPLEX(reinterpret_cast<PyArrayObject*>(args[2])))
        return nullptr;  // whose conjugates are needed
    PyObject* power = direct_unary(EXP, args[2]);
    PyObject* result = power ? direct_binary(MULTIPLY, args[0], power) : nullptr;
    Py_XDECREF(power);
    return result;
}
PyObject* tan_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto out) { return grad * (out * out + 1); });
}
// By the operand:
PyObject* log1p_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto x) { return grad / (x + 1); });
}
PyObject* log2_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto x) { return grad / (x * decltype(x)(log_2)); });
}
PyObject* log10_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto x) { return grad / (x * decltype(x)(log_10)); });
}
PyObject* square_rule(Call args) {
    return unary_rule(args, any_number, [](auto grad, auto x) { return grad * (x * 2); });
}
PyObject* absolute_rule(Call args) {
    return unary_rule(args, any_number,
                      [](auto grad, auto x) { return grad * static_cast<decltype(x)>((x > 0) - (x < 0)); });
}
PyObject* sin_rule(Call args) {
    return unary_rule(args, few, [](auto grad, auto x) { return grad * std::cos(x); });
}
PyObject* cos_rule(Call args) {
    return unary_rule(args, few, [](auto grad, auto x) { return grad * -std::sin(x); });
}
PyObject* sinh_rule(Call args) {
    return unary_rule(args, few, [](auto grad, auto x) { return grad * std::cosh(x); });
}
PyObject* cosh_rule(Call args) {
    return unary_rule(args, few, [](auto grad, auto x) { return grad * std::sinh(x); });
}

// ---- of two operands -----------------------------------------------------------------------------------------------
// row(gradient, first operand, second operand, target, count) of three arrays, each of which is a line or one element.
template <class T, class Row>
void perform_rule(const Row& row, const T* const (&data)[3], const npy_intp (&steps)[3], T* out, npy_intp count) {
    const T *g = data[0], *a = data[1], *b = data[2];
    if (count < many_elements) return do_work([=] { row(g, a, b, out, count); }, {g, a, b, out});
    constexpr npy_intp size = sizeof(T);
    const auto elements = [=](char* const* at, npy_intp some) {
        row(elements_at<T>(at[0]), elements_at<T>(at[1]), elements_at<T>(at[2]), elements_at<T>(at[3]), some);
    };
    perform_on_many(count, 1, elements,
                    {{g, steps[0] * size}, {a, steps[1] * size}, {b, steps[2] * size}, {out, size}});
}
// rule(gradient, first operand, second operand): arrays that broadcast, or one of the operands a number.
template <class T, class Rule> PyObject* binary_grad(Call args, PyArray_Descr* descr, Rule rule) {
    Operand operands[3];
    T numbers[3] = {};
    const T* data[3];
    if (!read_expanded(args[0], descr, operands[0])) return nullptr;
    for (int k = 1; k < 3; ++k) {
        operands[k].array = plain(args[k], descr);
        if (!operands[k].array && (PyArray_Check(args[k]) || !weak_value(args[k], numbers[k]))) return nullptr;
    }
    Broadcast<3> shape;
    if (!shape.find(operands)) return nullptr;
    for (int k = 0; k < 3; ++k) data[k] = operands[k].array ? data_of<T>(operands[k].array) : &numbers[k];
    Owned result(shape.new_result(descr));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const npy_intp x = shape.inner(0), y = shape.inner(1), z = shape.inner(2);
    const auto row = [=](const T* g, const T* a, const T* b, T* target, npy_intp count) {
        for (npy_intp i = 0; i < count; ++i) target[i] = rule(g[i * x], a[i * y], b[i * z]);
    };
    if (operands[0].array && operands[1].array && operands[2].array && shape.is_line()) {
        const npy_intp steps[] = {x, y, z};
        perform_rule(row, data, steps, out, shape.size());
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        row(data[0] + from[0], data[1] + from[1], data[2] + from[2], out + to, count);
    });
    return result.give();
}
// (grad, self, other)
template <class Rule> PyObject* binary_rule(Call args, Rule rule) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]));
    if (descr == float_descr) return binary_grad<float>(args, descr, rule);
    return descr == double_descr ? binary_grad<double>(args, descr, rule) : nullptr;
}

// Of the quotient, for the divisor.
PyObject* divisor_rule(Call args) {
    return binary_rule(args, [](auto grad, auto self, auto other) { return -((grad / other) * (self / other)); });
}
// Half where both are equal, zero where the other one was chosen; a NaN counts as chosen.
PyObject* larger_rule(Call args) {
    return binary_rule(args, [](auto grad, auto self, auto other) {
        const auto tie_grad = self == other ? grad / 2 : grad;
        return self < other ? decltype(grad)(0) : tie_grad;
    });
}
PyObject* smaller_rule(Call args) {
    return binary_rule(args, [](auto grad, auto self, auto other) {
        const auto tie_grad = self == other ? grad / 2 : grad;
        return self > other ? decltype(grad)(0) : tie_grad;
    });
}
// Of prelu: for the elements, and for the weights before the sum over each channel.
PyObject* prelu_rule(Call args) {
    return binary_rule(args, [](auto grad, auto self, auto weight) { return self > 0 ? grad : grad * weight; });
}
PyObject* prelu_weight_rule(Call args) {
    return unary_rule(args, any_number,
                      [](auto grad, auto self) { return self > 0 ? decltype(grad)(0) : grad * self; });
}

#define WENGERT_RULE(count, name, arguments, ...) \
    repeatable_method("direct_" #name, in_operand_order<direct<count, name>, ##__VA_ARGS__>, \
                      arguments ": the gradient of the operand, or NotImplemented")
// ---- of products ---------------------------------------------------------------------------------------------------
// A gradient multiplied or divided by an operand, which is conjugated if complex.
PyObject* with_conjugate(Binary op, PyObject* grad, PyObject* other) {
    PyArrayObject* array = PyArray_CheckExact(other) ? reinterpret_cast<PyArrayObject*>(other) : nullptr;
    if (!PyComplex_CheckExact(other) && !(array && PyArray_ISCOMPLEX(array))) return direct_binary(op, grad, other);
    PyObject* conjugate = array ? conjugate_of(other)
                                : PyComplex_FromDoubles(PyComplex_RealAsDouble(other), -PyComplex_ImagAsDouble(other));
    PyObject* result = conjugate ? direct_binary(op, grad, conjugate) : nullptr;
    Py_XDECREF(conjugate);
    return result;
}
// (grad, other): the gradient times the conjugate of the other factor
PyObject* multiply_rule(Call args) {
    PyArrayObject *grad = plain(args[0]), *other = grad && is_complex(grad) ? plain(args[1]) : nullptr;
    if (other) return complex_product(grad, other, true);
    const bool real_gradient =
        PyArray_CheckExact(args[1]) && PyArray_ISCOMPLEX(reinterpret_cast<PyArrayObject*>(args[1]));
    return real_gradient ? nullptr : with_conjugate(MULTIPLY, args[0], args[1]);
}
// (grad, other): the gradient over the conjugate of the divisor
PyObject* divide_rule(Call args) { return with_conjugate(DIVIDE, args[0], args[1]); }

Methods rule_methods({
    repeatable_method("direct_multiply_rule", in_operand_order<promoted<direct<2, multiply_rule>>>,
                      "grad times the conjugate of other(grad, other), or NotImplemented"),
    repeatable_method("direct_divide_rule", in_operand_order<promoted<direct<2, divide_rule>>>,
                      "grad over the conjugate of other(grad, other), or NotImplemented"),
    WENGERT_RULE(2, sqrt_rule, "(grad, out)"),
    WENGERT_RULE(2, rsqrt_rule, "(grad, out)"),
    WENGERT_RULE(2, reciprocal_rule, "(grad, out)"),
    WENGERT_RULE(3, expm1_rule, "(grad, out, tail)"),
    WENGERT_RULE(2, tan_rule, "(grad, out)"),
    WENGERT_RULE(2, log1p_rule, "(grad, self)"),
    WENGERT_RULE(2, log2_rule, "(grad, self)"),
    WENGERT_RULE(2, log10_rule, "(grad, self)"),
    WENGERT_RULE(2, square_rule, "(grad, self)"),
    WENGERT_RULE(2, absolute_rule, "(grad, self)"),
    WENGERT_RULE(2, sin_rule, "(grad, self)"),
    WENGERT_RULE(2, cos_rule, "(grad, self)"),
    WENGERT_RULE(2, sinh_rule, "(grad, self)"),
    WENGERT_RULE(2, cosh_rule, "(grad, self)"),
    WENGERT_RULE(3, divisor_rule, "(grad, self, other)"),
    WENGERT_RULE(3, larger_rule, "(grad, self, other)", true),
    WENGERT_RULE(3, smaller_rule, "(grad, self, other)", true),
    WENGERT_RULE(3, prelu_rule, "(grad, self, weight)", true),
    WENGERT_RULE(2, prelu_weight_rule, "(grad, self)", true),
});
#undef WENGERT_RULE

}  // namespace
}  // namespace wengert
