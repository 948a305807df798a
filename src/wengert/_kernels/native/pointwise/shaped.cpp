// Activations with parameters or corners, and their rules: in one pass. For the dispatcher only.
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "binding/work.hpp"

namespace wengert {
namespace {

// Without elements NumPy calls every order row-major, also one that the result is to have: the body looks at it.
PyArrayObject* filled(PyObject* object) {
    PyArrayObject* x = plain(object);
    return x && PyArray_SIZE(x) ? x : nullptr;
}


using Call = PyObject* const*;

// body(x, out, count) over all of an array, into another or itself.
template <class T, class Body>
PyObject* mapped(PyArrayObject* x, PyArrayObject* target, npy_intp cost, const Body& body) {
    Owned result(target_or_new(target, x));
    if (!result) return nullptr;
    const auto elements = [=](char* const* at, npy_intp some) {
        body(elements_at<const T>(at[0]), elements_at<T>(at[1]), some);
    };
    constexpr npy_intp step = sizeof(T);
    perform_on_many(PyArray_SIZE(x), cost, elements, {{PyArray_DATA(x), step}, {PyArray_DATA(result.get()), step}});
    return result.give();
}
// body(gradient, its step, x, out, count)
template <class T, class Body>
PyObject* mapped_gradient(PyObject* grad_object, PyArrayObject* x, npy_intp cost, const Body& body) {
    Operand gradient;
    if (!read_gradient(grad_object, PyArray_DESCR(x), gradient) || !same_shape(gradient.array, x)) return nullptr;
    Owned result(target_or_new(nullptr, x));
    if (!result) return nullptr;
    const npy_intp step = gradient.repeated ? 0 : 1;
    const auto elements = [=](char* const* at, npy_intp some) {
        body(elements_at<const T>(at[0]), step, elements_at<const T>(at[1]), elements_at<T>(at[2]), some);
    };
    constexpr npy_intp size = sizeof(T);
    perform_on_many(
        PyArray_SIZE(x), cost, elements,
        {{PyArray_DATA(gradient.array), step * size}, {PyArray_DATA(x), size}, {PyArray_DATA(result.get()), size}});
    return result.give();
}

// ---- by loops of vectors -------------------------------------------------------------------------------------------
constexpr npy_intp shaped_cost = 8;

PyObject* apply(Shaped function, PyObject* object, const Shape& shape, PyArrayObject* target,
                npy_intp cost = shaped_cost) {
    PyArrayObject* x = filled(object);
    const auto typed = [&](auto zero) -> PyObject* {
        using T = decltype(zero);
        return mapped<T>(x, target, cost, [=](const T* from, T* out, npy_intp count) {
            loops<T>().shaped[function](from, shape, out, count);
        });
    };
    if (x && PyArray_DESCR(x) == float_descr) return typed(float());
    return x && PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}
PyObject* differentiate(Shaped function, PyObject* grad, PyObject* object, const Shape& shape) {
    PyArrayObject* x = filled(object);
    const auto typed = [&](auto zero) -> PyObject* {
        using T = decltype(zero);
        return mapped_gradient<T>(grad, x, shaped_cost,
                                  [=](const T* grads, npy_intp step, const T* from, T* out, npy_intp count) {
                                      loops<T>().shaped_backward[function](grads, step, from, shape, out, count);
                                  });
    };
    if (x && PyArray_DESCR(x) == float_descr) return typed(float());
    return x && PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}

// alpha, scale, input_scale; the exponent must fall where the operand does
bool elu_shape(Call args, Shape& shape) {
    return as_number(args[0], shape.a) && as_number(args[1], shape.b) && as_number(args[2], shape.c) && shape.c > 0;
}
bool celu_shape(PyObject* alpha, Shape& shape) {
    if (!as_number(alpha, shape.a) || !(shape.a > 0)) return false;
    shape.b = 1, shape.c = 1 / shape.a;
    return true;
}
// beta, threshold, 1 / beta
bool softplus_shape(Call args, Shape& shape) {
    if (!as_number(args[0], shape.a) || !as_number(args[1], shape.b) || !(shape.a > 0)) return false;
    shape.c = 1 / shape.a;
    return shape.b <= 80;  // exp() stays finite
}
PyObject* elu(Call args, PyArrayObject* target) {
    Shape shape;
    return elu_shape(args + 1, shape) ? apply(ELU, args[0], shape, target) : nullptr;
}
PyObject* elu_rule(Call args) {
    Shape shape;
    return elu_shape(args + 2, shape) ? differentiate(ELU, args[0], args[1], shape) : nullptr;
}
PyObject* celu(Call args, PyArrayObject* target) {
    Shape shape;
    return celu_shape(args[1], shape) ? apply(ELU, args[0], shape, target) : nullptr;
}
PyObject* celu_rule(Call args) {
    Shape shape;
    return celu_shape(args[2], shape) ? differentiate(ELU, args[0], args[1], shape) : nullptr;
}
PyObject* softplus(Call args, PyArrayObject* target) {
    Shape shape;
    return softplus_shape(args + 1, shape) ? apply(SOFTPLUS, args[0], shape, target) : nullptr;
}
PyObject* softplus_rule(Call args) {
    Shape shape;
    return softplus_shape(args + 2, shape) ? differentiate(SOFTPLUS, args[0], args[1], shape) : nullptr;
}

// ---- of straight pieces: memory is what takes time -----------------------------------------------------------------
template <class Function> PyObject* map_elements(PyObject* object, PyArrayObject* target, Function function) {
    PyArrayObject* x = filled(object);
    const auto typed = [&](auto zero) -> PyObject* {
        using T = decltype(zero);
        return mapped<T>(x, target, 1, [=](const T* from, T* out, npy_intp count) {
#pragma omp simd
            for (npy_intp i = 0; i < count; ++i) out[i] = function(from[i]);
        });
    };
    if (x && PyArray_DESCR(x) == float_descr) return typed(float());
    return x && PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}
template <class Rule> PyObject* map_gradient(PyObject* grad, PyObject* object, Rule rule) {
    PyArrayObject* x = filled(object);
    const auto typed = [&](auto zero) -> PyObject* {
        using T = decltype(zero);
        return mapped_gradient<T>(grad, x, 1, [=](const T* g, npy_intp step, const T* from, T* out, npy_intp count) {
            if (step) {
                for (npy_intp i = 0; i < count; ++i) out[i] = rule(g[i], from[i]);
            } else {
                for (npy_intp i = 0; i < count; ++i) out[i] = rule(*g, from[i]);
            }
        });
    };
    if (x && PyArray_DESCR(x) == float_descr) return typed(float());
    return x && PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}

// (self, negative_slope)
PyObject* leaky_relu(Call args, PyArrayObject* target) {
    Shape shape;
    return as_number(args[1], shape.a) ? apply(LEAKY_RELU, args[0], shape, target, 1) : nullptr;
}
PyObject* leaky_relu_rule(Call args) {
    double below = 0;
    if (!as_number(args[2], below)) return nullptr;
    return map_gradient(args[0], args[1], [=](auto grad, auto x) {
        const auto small = grad * static_cast<decltype(x)>(below);
        return x > 0 ? grad : small;
    });
}
PyObject* hardsigmoid_rule(Call args) {
    return map_gradient(args[0], args[1], [](auto grad, auto x) {
        const auto sixth = grad / 6;
        return ((x > -3) & (x < 3)) ? sixth : decltype(x)(0);
    });
}
// (grad, self)
PyObject* hardswish_backward(Call args) {
    return map_gradient(args[0], args[1], [](auto grad, auto x) {
        using T = decltype(x);
        const T inner = grad * (x / 3 + T(0.5)), above = x >= 3 ? grad : inner;
        return x <= -3 ? T(0) : above;
    });
}
// (self, min_val, max_val)
PyObject* hardtanh(Call args, PyArrayObject* target) {
    double low = 0, high = 0;
    if (!as_number(args[1], low) || !as_number(args[2], high) || !(low <= high)) return nullptr;
    return map_elements(args[0], target, [=](auto x) {
        using T = decltype(x);
        const T raised = x < static_cast<T>(low) ? static_cast<T>(low) : x;
        return raised > static_cast<T>(high) ? static_cast<T>(high) : raised;
    });
}
// (grad, self, min_val, max_val)
PyObject* hardtanh_rule(Call args) {
    double low = 0, high = 0;
    if (!as_number(args[2], low) || !as_number(args[3], high)) return nullptr;
    return map_gradient(args[0], args[1], [=](auto grad, auto x) {
        using T = decltype(x);
        return ((x > static_cast<T>(low)) & (x < static_cast<T>(high))) ? grad : T(0);
    });
}

// A number that a float holds too: of others the bodies know what is meant.
bool as_float(PyObject* object, double& value) {
    return as_number(object, value) &&
           !(std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max()) && std::isfinite(value));
}
// (self, threshold, value)
PyObject* threshold(Call args, PyArrayObject* target) {
    double limit = 0, value = 0;
    if (!as_float(args[1], limit) || !as_float(args[2], value)) return nullptr;
    return map_elements(args[0], target, [=](auto x) {
        using T = decltype(x);
        const T other = static_cast<T>(value);  // in any case, so that the choice needs no branch
        return x <= static_cast<T>(limit) ? other : x;
    });
}
// (grad, self, threshold)
PyObject* threshold_rule(Call args) {
    double limit = 0;
    if (!as_float(args[2], limit)) return nullptr;
    return map_gradient(args[0], args[1], [=](auto grad, auto x) {
        return x <= static_cast<decltype(x)>(limit) ? decltype(x)(0) : grad;
    });
}
// (self, lambd)
PyObject* hardshrink(Call args, PyArrayObject* target) {
    double lambd = 0;
    if (!as_float(args[1], lambd)) return nullptr;
    return map_elements(args[0], target, [=](auto x) {
        using T = decltype(x);
        const T side = static_cast<T>(lambd);
        return (x >= -side) & (x <= side) ? T(0) : x;
    });
}

// (self, lambd)
PyObject* softshrink(Call args, PyArrayObject* target) {
    double lambd = 0;
    if (!as_float(args[1], lambd) || !(lambd >= 0) || std::isinf(lambd)) return nullptr;
    return map_elements(args[0], target, [=](auto x) {
        using T = decltype(x);
        const T side = static_cast<T>(lambd),
                below = x < -side ? x + side : x * T(0);  // NaN stays NaN, -0.0 stays -0.0
        return x > side ? x - side : below;
    });
}

// (grad, self, lambd), of both
PyObject* shrink_rule(Call args) {
    double lambd = 0;
    if (!as_float(args[2], lambd)) return nullptr;
    return map_gradient(args[0], args[1], [=](auto grad, auto x) {
        using T = decltype(x);
        const T side = static_cast<T>(lambd);
        return (x < -side) | (x > side) ? grad : T(0);
    });
}

// (self, nan, posinf, neginf)
PyObject* nan_to_num(Call args, PyArrayObject* target) {
    const PyArrayObject* x = filled(args[0]);
    const double most =
        x && PyArray_DESCR(x) == float_descr ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    Shape shape = {0, most, -most};
    double* const places[] = {&shape.a, &shape.b, &shape.c};
    for (int i = 0; i < 3; ++i)
        if (args[i + 1] != Py_None && !as_float(args[i + 1], *places[i])) return nullptr;
    return apply(NAN_TO_NUM, args[0], shape, target, 1);
}
// (grad, self)
PyObject* nan_to_num_rule(Call args) {
    return map_gradient(args[0], args[1], [](auto grad, auto x) { return x - x == 0 ? grad : decltype(x)(0); });
}

Methods shaped_methods({
    WENGERT_REPEATABLE(elu, "(self, alpha, scale, input_scale)", in_operand_order<direct<4, newly<elu>>>),
    WENGERT_REPEATABLE(elu_, "(self, alpha, scale, input_scale): None", direct<4, in_place<elu>>),
    WENGERT_REPEATABLE(elu_rule, "(grad, self, alpha, scale, input_scale): the gradient",
                       in_operand_order<direct<5, elu_rule>>),
    WENGERT_REPEATABLE(celu, "(self, alpha)", in_operand_order<direct<2, newly<celu>>>),
    WENGERT_REPEATABLE(celu_, "(self, alpha): None", direct<2, in_place<celu>>),
    WENGERT_REPEATABLE(celu_rule, "(grad, self, alpha): the gradient", in_operand_order<direct<3, celu_rule>>),
    WENGERT_REPEATABLE(softplus, "(self, beta, threshold)", in_operand_order<direct<3, newly<softplus>>>),
    WENGERT_REPEATABLE(softplus_rule, "(grad, self, beta, threshold): the gradient",
                       in_operand_order<direct<4, softplus_rule>>),
    WENGERT_REPEATABLE(leaky_relu, "(self, negative_slope)", in_operand_order<direct<2, newly<leaky_relu>>>),
    WENGERT_REPEATABLE(leaky_relu_, "(self, negative_slope): None", direct<2, in_place<leaky_relu>>),
    WENGERT_REPEATABLE(leaky_relu_rule, "(grad, self, negative_slope): the gradient",
                       in_operand_order<direct<3, leaky_relu_rule>, true>),
    WENGERT_REPEATABLE(hardsigmoid_rule, "(grad, self): the gradient", in_operand_order<direct<2, hardsigmoid_rule>>),
    WENGERT_REPEATABLE(hardswish_backward, "(grad, self)", in_operand_order<direct<2, hardswish_backward>>),
    WENGERT_REPEATABLE(hardtanh, "(self, min_val, max_val)", in_operand_order<direct<3, newly<hardtanh>>>),
    WENGERT_REPEATABLE(hardtanh_, "(self, min_val, max_val): None", direct<3, in_place<hardtanh>>),
    WENGERT_REPEATABLE(hardtanh_rule, "(grad, self, min_val, max_val): the gradient",
                       in_operand_order<direct<4, hardtanh_rule>>),
    WENGERT_REPEATABLE(threshold, "(self, threshold, value)", in_operand_order<direct<3, newly<threshold>>>),
    WENGERT_REPEATABLE(threshold_, "(self, threshold, value): None", direct<3, in_place<threshold>>),
    WENGERT_REPEATABLE(threshold_rule, "(grad, self, threshold): the gradient",
                       in_operand_order<direct<3, threshold_rule>, true>),
    WENGERT_REPEATABLE(hardshrink, "(self, lambd)", in_operand_order<direct<2, newly<hardshrink>>>),
    WENGERT_REPEATABLE(softshrink, "(self, lambd)", in_operand_order<direct<2, newly<softshrink>>>),
    WENGERT_REPEATABLE(shrink_rule, "(grad, self, lambd): the gradient of both",
                       in_operand_order<direct<3, shrink_rule>>),
    WENGERT_REPEATABLE(nan_to_num, "(self, nan, posinf, neginf)", in_operand_order<direct<4, newly<nan_to_num>>>),
    WENGERT_REPEATABLE(nan_to_num_, "(self, nan, posinf, neginf): None", direct<4, in_place<nan_to_num>>),
    WENGERT_REPEATABLE(nan_to_num_rule, "(grad, self): the gradient", in_operand_order<direct<2, nan_to_num_rule>>),
});

}  // namespace
}  // namespace wengert
