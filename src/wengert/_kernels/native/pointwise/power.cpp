// Powers with a number or as many exponents, and the rule of those with a number.
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "binding/work.hpp"
#include "pointwise/pointwise.hpp"
#include "pointwise/ufuncs.hpp"

#include <cmath>
#include <type_traits>

namespace wengert {
namespace {

using Call = PyObject* const*;
constexpr npy_intp few = 256;

// The exponents that have a loop of their own; UNARY_COUNT for others.
Unary loop_of(double exponent) {
    if (exponent == 2) return SQUARE;
    if (exponent == 3) return CUBE;
    if (exponent == 0.5) return SQRT;
    if (exponent == -0.5) return RSQRT;
    return exponent == -1 ? RECIPROCAL : UNARY_COUNT;
}

// Many floats to one power.
void raise_floats(PyArrayObject* x, double exponent, void* out) {
    const float *input = data_of<float>(x), raised = static_cast<float>(exponent);
    const auto elements = [=](char* const* at, npy_intp some) {
        loops<float>().binary[POWER](elements_at<float>(at[0]), 1, &raised, 0, elements_at<float>(at[1]), some);
    };
    constexpr npy_intp step = sizeof(float);
    perform_on_elements(PyArray_SIZE(x), 8, elements, {input, step}, {out, step});
}
// As many floats to powers of their own.
PyObject* power_elementwise(PyArrayObject* x, PyArrayObject* exponents, PyArrayObject* target) {
    if (target && !safe_in_place(target, exponents)) return nullptr;
    Owned result(target_or_new(target, x));
    if (!result) return nullptr;
    const float *bases = data_of<float>(x), *powers = data_of<float>(exponents);
    float* const out = data_of<float>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for_elements(count, 8, [=](npy_intp begin, npy_intp end) {
        loops<float>().binary[POWER](bases + begin, 1, powers + begin, 1, out + begin, end - begin);
    });
    return result.give();
}

template <class T> PyObject* powers(PyArrayObject* x, double exponent, PyArrayObject* target) {
    const npy_intp count = PyArray_SIZE(x);
    const Unary which = loop_of(exponent);
    const UnaryLoop<T> loop = which == UNARY_COUNT ? nullptr : loops<T>().unary[which];
    const bool floats = std::is_same<T, float>::value;  // of which there is a loop for any exponent
    if (count == 0 || (!loop && ((count > few && !floats) || !std::is_floating_point<T>::value))) return nullptr;
    Owned result(target_or_new(target, x));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    if (!loop && count > few) {
        raise_floats(x, exponent, out);
        return result.give();
    }
    if (!loop) {
        const T raised = static_cast<T>(exponent);
        const auto work = [=] {
            for (npy_intp i = 0; i < count; ++i) out[i] = static_cast<T>(std::pow(input[i], raised));
        };
        do_work(work, {input, out});
        return result.give();
    }
    const auto elements = [=](char* const* at, npy_intp some) {
        loop(elements_at<T>(at[0]), elements_at<T>(at[1]), some);
    };
    constexpr npy_intp step = sizeof(T);
    perform_on_elements(count, 1, elements, {input, step}, {out, step});
    return result.give();
}

PyObject* power(Call args, PyArrayObject* target) {
    static Ufunc raised{"numpy", "power"};
    PyArrayObject* x = plain(args[0]);
    double exponent = 0;
    if (!x) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    const bool real = descr == float_descr || descr == double_descr;
    if (PyArrayObject* exponents = descr == float_descr ? plain(args[1], float_descr) : nullptr)
        if (same_shape(x, exponents) && PyArray_SIZE(x) > few) return power_elementwise(x, exponents, target);
    if (PyArray_CheckExact(args[1])) return real && !target ? of_two(raised, args[0], args[1], false) : nullptr;
    if (!as_number(args[1], exponent)) return nullptr;
    if (descr == float_descr) return powers<float>(x, exponent, target);
    if (descr == double_descr) return powers<double>(x, exponent, target);
    if (!PyLong_CheckExact(args[1])) return nullptr;
    if (descr == int64_descr) return powers<int64_t>(x, exponent, target);
    return exponent == 2 && !target ? of_other_numbers(SQUARE, args[0]) : nullptr;
}

inline void raise(const float* x, float exponent, float* out, npy_intp count) {
    if (count > few) return loops<float>().binary[POWER](x, 1, &exponent, 0, out, count);
    for (npy_intp i = 0; i < count; ++i) out[i] = std::pow(x[i], exponent);
}
inline void raise(const double* x, double exponent, double* out, npy_intp count) {
    for (npy_intp i = 0; i < count; ++i) out[i] = std::pow(x[i], exponent);
}

// grad * exponent * self^(exponent - 1), for the exponents 2 and 3 and of floats in any number, for others of a few
// elements.
template <class T> PyObject* power_backward(PyArrayObject* x, PyObject* grad_object, double exponent) {
    Operand operands[2];
    operands[1].array = x;
    Broadcast<2> shape;
    if (!read_expanded(grad_object, PyArray_DESCR(x), operands[0]) || !same_shape(operands[0].array, x)) return nullptr;
    if (exponent == 0 || !shape.find(operands)) return nullptr;
    if (exponent != 2 && exponent != 3 && shape.size() > few && !std::is_same<T, float>::value) return nullptr;
    Owned result(shape.new_result(PyArray_DESCR(x)));
    if (!result) return nullptr;
    const T *grad = data_of<T>(operands[0].array), *input = data_of<T>(x), factor = static_cast<T>(exponent);
    T* out = data_of<T>(result.get());
    const auto rows = [=](T* target, const T* g, npy_intp step, const T* base, npy_intp count) {
        if (exponent == 2) {
            for (npy_intp i = 0; i < count; ++i) target[i] = g[i * step] * (base[i] * 2);
        } else if (exponent == 3) {
            for (npy_intp i = 0; i < count; ++i) target[i] = g[i * step] * (base[i] * base[i] * factor);
        } else {
            raise(base, static_cast<T>(exponent - 1), target, count);
            for (npy_intp i = 0; i < count; ++i) target[i] = g[i * step] * (target[i] * factor);
        }
    };
    if (shape.is_line() && shape.size() < many_elements) {
        const npy_intp step = shape.inner(0), count = shape.size();
        do_work([=] { rows(out, grad, step, input, count); }, {grad, input, out});
        return result.give();
    }
    if (shape.is_line()) {
        const npy_intp step = shape.inner(0), size = sizeof(T);
        const auto elements = [=](char* const* at, npy_intp count) {
            rows(elements_at<T>(at[2]), elements_at<T>(at[0]), step, elements_at<T>(at[1]), count);
        };
        perform_on_many(shape.size(), 1, elements, {{grad, step * size}, {input, size}, {out, size}});
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        rows(out + to, grad + from[0], shape.inner(0), input + from[1], count);
    });
    return result.give();
}

// (grad, self, exponent)
PyObject* power_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* x = nargs == 3 ? plain(args[1]) : nullptr;
        double exponent = 0;
        if (!x || !as_number(args[2], exponent)) return nullptr;
        if (PyArray_DESCR(x) == float_descr) return power_backward<float>(x, args[0], exponent);
        return PyArray_DESCR(x) == double_descr ? power_backward<double>(x, args[0], exponent) : nullptr;
    });
}

Methods power_methods({
    WENGERT_REPEATABLE(pow, "(self, exponent)", in_operand_order<direct<2, newly<power>>>),
    WENGERT_ENTRY(pow_, "(self, exponent): None", direct<2, in_place<power>>),
    WENGERT_REPEATABLE(pow_rule, "(grad, self, exponent): the gradient", in_operand_order<power_rule>),
});

}  // namespace
}  // namespace wengert
