// Functions that take NumPy several loops, or that it does not have, by functions of the C library: in one pass. For
// the dispatcher only.
#include "binding/memory_order.hpp"
#include "pointwise/pointwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// Of more numbers NumPy's logarithms and sines, which are vectorised, save more than its several loops cost.
constexpr npy_intp few = 256, any_number = NPY_MAX_INTP;
constexpr npy_intp call = 20;  // what one call of the C library costs, in additions
constexpr double pi = 3.14159265358979323846;

PyArrayObject* numbers(PyObject* object, npy_intp most) {
    PyArrayObject* x = plain(object);
    return x && PyArray_SIZE(x) > 0 && PyArray_SIZE(x) <= most ? x : nullptr;
}

// compute(at) is each element of a new array that is laid out like `x`.
template <class T, class Compute> PyObject* mapped(PyArrayObject* x, npy_intp cost, const Compute& compute) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    T* to = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, cost, [=](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end; ++at) to[at] = compute(at);
    });
    return result.give();
}
template <npy_intp most, class Function> PyObject* of_one(PyObject* object, npy_intp cost, const Function& function) {
    PyArrayObject* x = numbers(object, most);
    const auto typed = [&](auto zero) {
        using T = decltype(zero);
        return mapped<T>(x, cost, [function, from = data_of<T>(x)](npy_intp at) { return function(from[at]); });
    };
    if (x && PyArray_DESCR(x) == float_descr) return typed(float());
    return x && PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}
template <npy_intp most, class Function> PyObject* of_two(Call args, npy_intp cost, const Function& function) {
    PyArrayObject *x = numbers(args[0], most), *y = x ? plain(args[1], PyArray_DESCR(x)) : nullptr;
    if (!y || !same_shape(x, y)) return nullptr;
    const auto typed = [&](auto zero) {
        using T = decltype(zero);
        return mapped<T>(x, cost, [function, from = data_of<T>(x), other = data_of<T>(y)](npy_intp at) {
            return function(from[at], other[at]);
        });
    };
    if (PyArray_DESCR(x) == float_descr) return typed(float());
    return PyArray_DESCR(x) == double_descr ? typed(double()) : nullptr;
}

// combine(x, y, the logarithm of y) of two arrays, which may be the same.
template <class T, class Combine>
PyObject* beside_logarithms(PyArrayObject* x, PyArrayObject* y, const Combine& combine) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *from = data_of<T>(x), *other = data_of<T>(y);
    T* to = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 4, [=](npy_intp begin, npy_intp end) {
        constexpr npy_intp piece = 512;
        T logarithms[piece];
        for (npy_intp at = begin; at < end; at += piece) {
            const npy_intp some = std::min(piece, end - at);
            loops<T>().unary[LOG](other + at, logarithms, some);
            for (npy_intp i = 0; i < some; ++i) to[at + i] = combine(from[at + i], other[at + i], logarithms[i]);
        }
    });
    return result.give();
}
template <class Combine> PyObject* with_logarithms(PyObject* first, PyObject* second, const Combine& combine) {
    PyArrayObject *x = numbers(first, any_number), *y = x ? plain(second, PyArray_DESCR(x)) : nullptr;
    if (!y || !same_shape(x, y)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return beside_logarithms<float>(x, y, combine);
    return PyArray_DESCR(x) == double_descr ? beside_logarithms<double>(x, y, combine) : nullptr;
}

// (self)
PyObject* sinc(Call args) {
    return of_one<few>(args[0], call, [](auto x) {
        const auto angle = x * static_cast<decltype(x)>(pi);
        return x == 0 ? decltype(x)(1) : std::sin(angle) / angle;
    });
}
// Angles in another unit.
PyObject* rad2deg(Call args) {
    return of_one<any_number>(args[0], 1, [](auto x) { return x * static_cast<decltype(x)>(180 / pi); });
}
PyObject* deg2rad(Call args) {
    return of_one<any_number>(args[0], 1, [](auto x) { return x * static_cast<decltype(x)>(pi / 180); });
}
PyObject* entr(Call args) {
    return with_logarithms(args[0], args[0], [](auto x, auto, auto logarithm) {
        using T = decltype(x);
        const T below = x == 0 ? T(0) : -std::numeric_limits<T>::infinity();
        return (x > 0) | (x != x) ? -x * logarithm : below;
    });
}
// Where `logit` leaves its argument as it is.
struct Limits {
    double low = 0, high = 1;
    bool read(PyObject* eps) {
        if (!as_number(eps, low) || !(low >= 0)) return false;
        high = 1 - low;
        return low <= high;
    }
};
// (self, eps)
template <class T> PyObject* limited_logit(PyArrayObject* x, const Limits& limits) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *from = data_of<T>(x), low = static_cast<T>(limits.low), high = static_cast<T>(limits.high);
    T* to = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, call, [=](npy_intp begin, npy_intp end) {
        const npy_intp some = end - begin;
        loops<T>().clamp(from + begin, low, high, to + begin, some);
        loops<T>().unary[LOGIT](to + begin, to + begin, some);
    });
    return result.give();
}
PyObject* logit(Call args) {
    if (args[1] == Py_None) return direct_unary(LOGIT, args[0]);
    Limits limits;
    PyArrayObject* x = limits.read(args[1]) ? plain(args[0]) : nullptr;
    if (x && PyArray_DESCR(x) == float_descr) return limited_logit<float>(x, limits);
    return x && PyArray_DESCR(x) == double_descr ? limited_logit<double>(x, limits) : nullptr;
}
// (grad, self, eps): zero where the argument was limited
template <class T> PyObject* limited_logit_rule(PyArrayObject* grad, PyArrayObject* x, const Limits& limits) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad), *from = data_of<T>(x), low = static_cast<T>(limits.low),
            high = static_cast<T>(limits.high);
    T* to = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 4, [=](npy_intp begin, npy_intp end) {
        loops<T>().binary[LOGIT_BACKWARD](grads + begin, 1, from + begin, 1, to + begin, end - begin);
        for (npy_intp at = begin; at < end; ++at) to[at] = (from[at] < low) | (from[at] > high) ? T(0) : to[at];
    });
    return result.give();
}
PyObject* logit_rule(Call args) {
    if (args[2] == Py_None) return pointwise_binary(LOGIT_BACKWARD, args[0], args[1], nullptr);
    Limits limits;
    PyArrayObject *grad = limits.read(args[2]) ? plain(args[0]) : nullptr,
                  *x = grad ? plain(args[1], PyArray_DESCR(grad)) : nullptr;
    if (!x || !same_shape(grad, x)) return nullptr;
    if (PyArray_DESCR(grad) == float_descr) return limited_logit_rule<float>(grad, x, limits);
    return PyArray_DESCR(grad) == double_descr ? limited_logit_rule<double>(grad, x, limits) : nullptr;
}
// (self, other)
PyObject* xlogy(Call args) {
    return with_logarithms(args[0], args[1], [](auto x, auto y, auto logarithm) {
        return (x == 0) & (y == y) ? decltype(x)(0) : x * logarithm;
    });
}
PyObject* xlog1py(Call args) {
    return of_two<few>(args, call,
                       [](auto x, auto y) { return x == 0 && y == y ? decltype(x)(0) : x * std::log1p(y); });
}
// (self, values)
PyObject* heaviside(Call args) {
    return of_two<any_number>(args, 1, [](auto x, auto at_zero) { return x == 0 ? at_zero : decltype(x)(x > 0); });
}

Methods call_methods({
    WENGERT_ENTRY(sinc, "(self)", in_operand_order<direct<1, sinc>>),
    WENGERT_ENTRY(rad2deg, "(self)", in_operand_order<direct<1, rad2deg>>),
    WENGERT_ENTRY(deg2rad, "(self)", in_operand_order<direct<1, deg2rad>>),
    direct_method("direct_entr", in_operand_order<direct<1, entr>>, "special_entr(self), or NotImplemented"),
    WENGERT_ENTRY(logit, "(self, eps)", in_operand_order<direct<2, logit>>),
    direct_method("direct_logit_rule", in_operand_order<direct<3, logit_rule>>,
                  "the rule of logit(grad, self, eps), or NotImplemented"),
    WENGERT_ENTRY(xlogy, "(self, other)", in_operand_order<direct<2, xlogy>>),
    direct_method("direct_xlog1py", in_operand_order<direct<2, xlog1py>>,
                  "special_xlog1py(self, other), or NotImplemented"),
    WENGERT_ENTRY(heaviside, "(self, values)", in_operand_order<direct<2, heaviside>>),
});

}  // namespace
}  // namespace wengert
