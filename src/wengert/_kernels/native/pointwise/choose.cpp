// Comparisons and choices among values, and the rules of the latter: functions for the dispatcher only.
#include "binding/broadcast.hpp"
#include "binding/promoted.hpp"
#include "binding/work.hpp"
#include "pointwise/ufuncs.hpp"

#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// A function object for the dtype of `descr`; null for others.
template <class Compute> PyObject* for_dtype(PyArray_Descr* descr, Compute compute) {
    if (descr == float_descr) return compute(float());
    if (descr == double_descr) return compute(double());
    if (descr == int64_descr) return compute(int64_t());
    return nullptr;
}

// Two operands, arrays of one dtype or one of them a number.
template <class T>
bool read_pair(PyArrayObject* a, PyArrayObject* b, Call args, Operand (&operands)[2], const T* (&data)[2],
               T (&numbers)[2]) {
    operands[0].array = a, operands[1].array = b;
    for (int k = 0; k < 2; ++k) {
        if (!operands[k].array && (PyArray_Check(args[k]) || !weak_value(args[k], numbers[k]))) return false;
        data[k] = operands[k].array ? data_of<T>(operands[k].array) : &numbers[k];
    }
    return true;
}

// Whether all operands are one row, or one element, of few elements: then the work is noted.
template <int count> bool is_short_line(const Broadcast<count>& shape) {
    if (shape.is_line() && shape.size() < thread_threshold) return true;
    leave_replayed_call();
    return false;
}

template <class T> PyObject* compared(Compare op, PyArrayObject* a, PyArrayObject* b, Call args) {
    Operand operands[2];
    const T* data[2];
    T numbers[2] = {};
    Broadcast<2> shape;
    if (!read_pair(a, b, args, operands, data, numbers) || !shape.find(operands)) return nullptr;
    Owned result(shape.new_result(bool_descr));
    if (!result) return nullptr;
    bool* out = data_of<bool>(result.get());
    const CompareLoop<T> loop = loops<T>().compare[op];
    if (is_short_line(shape)) {
        const T *left = a ? data[0] : nullptr, *right = b ? data[1] : nullptr, left_value = numbers[0],
                right_value = numbers[1];
        const npy_intp left_step = shape.inner(0), right_step = shape.inner(1), count = shape.size();
        const auto work = [=] {
            loop(left ? left : &left_value, left_step, right ? right : &right_value, right_step, out, count);
        };
        if (left && right)
            do_work(work, {left, right, out});
        else
            do_work(work, {left ? left : right, out});
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        loop(data[0] + from[0], shape.inner(0), data[1] + from[1], shape.inner(1), out + to, count);
    });
    return result.give();
}

// Few integers of other sizes, truth values, or complex numbers.
PyObject* compared_others(Compare op, Call args) {
    static Ufunc ufuncs[] = {{"numpy", "equal"},      {"numpy", "not_equal"}, {"numpy", "less"},
                             {"numpy", "less_equal"}, {"numpy", "greater"},   {"numpy", "greater_equal"}};
    leave_replayed_call();
    const int type = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(args[0]));
    if (PyTypeNum_ISCOMPLEX(type)) return op <= NOT_EQUAL ? of_two_complex(ufuncs[op], args[0], args[1]) : nullptr;
    return PyTypeNum_ISINTEGER(type) || type == NPY_BOOL ? of_two(ufuncs[op], args[0], args[1], true) : nullptr;
}

template <Compare op> PyObject* direct_compare(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* a = nargs == 2 ? plain(args[0]) : nullptr;
        PyArrayObject* b = nargs == 2 ? plain(args[1]) : nullptr;
        if (!a) return nullptr;
        PyArray_Descr* descr = PyArray_DESCR(a);
        if (b && PyArray_DESCR(b) != descr) return nullptr;
        PyObject* result = for_dtype(descr, [=](auto zero) { return compared<decltype(zero)>(op, a, b, args); });
        return result || PyErr_Occurred() ? result : compared_others(op, args);
    });
}

// condition ? first : second. Each of the two is an operand, or a number in `numbers`.
template <class T>
PyObject* chosen(PyArrayObject* condition, const Operand& first, const Operand& second, const T (&numbers)[2]) {
    Operand operands[3];
    operands[0].array = condition, operands[1] = first, operands[2] = second;
    Broadcast<3> shape;
    if (!shape.find(operands)) return nullptr;
    const uint8_t* truth = data_of<uint8_t>(condition);
    const T* a = first.array ? data_of<T>(first.array) : &numbers[0];
    const T* b = second.array ? data_of<T>(second.array) : &numbers[1];
    Owned result(shape.new_result(descr_of<T>()));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    if (is_short_line(shape) && shape.inner(0)) {
        const T *left = first.array ? a : nullptr, *right = second.array ? b : nullptr, left_value = numbers[0],
                right_value = numbers[1];
        const npy_intp left_step = shape.inner(1), right_step = shape.inner(2), count = shape.size();
        const auto choose = loops<T>().choose;
        do_work(
            [=] {
                choose(truth, left ? left : &left_value, left_step, right ? right : &right_value, right_step, out,
                       count);
            },
            {truth, left ? static_cast<const void*>(left) : truth, right ? static_cast<const void*>(right) : truth, out});
        return result.give();
    }
    leave_replayed_call();
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        const T *left = a + from[1], *right = b + from[2];
        const uint8_t* truths = truth + from[0];
        if (shape.inner(0)) {
            loops<T>().choose(truths, left, shape.inner(1), right, shape.inner(2), out + to, count);
            return;
        }
        const bool holds = *truths != 0;
        const T* values = holds ? left : right;
        const npy_intp step = shape.inner(holds ? 1 : 2);
        for (npy_intp i = 0; i < count; ++i) out[to + i] = values[i * step];
    });
    return result.give();
}

template <class T> PyObject* typed_where(PyArrayObject* condition, PyArrayObject* a, PyArrayObject* b, Call args) {
    Operand operands[2];
    const T* data[2];
    T numbers[2] = {};
    if (!read_pair(a, b, args, operands, data, numbers)) return nullptr;
    return chosen<T>(condition, operands[0], operands[1], numbers);
}

PyObject* where(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 3) return nullptr;
        PyArrayObject *condition = plain(args[0], bool_descr), *a = plain(args[1]), *b = plain(args[2]);
        if (!condition || (!a && !b)) return nullptr;
        PyArray_Descr* descr = PyArray_DESCR(a ? a : b);
        if (a && b && PyArray_DESCR(b) != descr) return nullptr;
        return for_dtype(descr, [=](auto zero) { return typed_where<decltype(zero)>(condition, a, b, args + 1); });
    });
}

PyObject* masked_fill(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* x = nargs == 3 ? plain(args[0]) : nullptr;
        PyArrayObject* mask = x ? plain(args[1], bool_descr) : nullptr;
        if (!mask) return nullptr;
        return for_dtype(PyArray_DESCR(x), [=](auto zero) -> PyObject* {
            decltype(zero) numbers[2] = {};
            Operand value, array;
            array.array = x;
            return weak_value(args[2], numbers[0]) ? chosen(mask, value, array, numbers) : nullptr;
        });
    });
}

// The gradient where the condition is `kept`, else 0.
PyObject* kept_gradient(PyObject* grad_object, PyObject* condition_object, bool kept) {
    PyArrayObject* condition = plain(condition_object, bool_descr);
    if (!condition || !PyArray_CheckExact(grad_object)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(grad_object));
    return for_dtype(descr, [=](auto zero) -> PyObject* {
        const decltype(zero) zeros[2] = {};
        Operand grad, nothing;
        if (!read_gradient(grad_object, descr, grad)) return nullptr;
        return kept ? chosen(condition, grad, nothing, zeros) : chosen(condition, nothing, grad, zeros);
    });
}

template <bool kept> PyObject* kept_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 2 ? kept_gradient(args[0], args[1], kept) : nullptr; });
}

// A limit: None, or a number that is not NaN.
template <class T> bool read_limit(PyObject* object, T& limit) {
    return object == Py_None || (weak_value(object, limit) && limit == limit);
}
template <class T> bool read_limits(PyObject* low_object, PyObject* high_object, T& low, T& high) {
    using Limits = std::numeric_limits<T>;
    low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    high = Limits::has_infinity ? Limits::infinity() : Limits::max();
    return !(low_object == Py_None && high_object == Py_None) && read_limit(low_object, low) &&
           read_limit(high_object, high);
}

// What loop(from, to, count) makes of the elements, by all threads.
template <class T, class Loop> PyObject* clamped(PyArrayObject* x, PyArrayObject* target, Loop loop) {
    Owned result(target_or_new(target, x));
    if (!result) return nullptr;
    const npy_intp count = PyArray_SIZE(x);
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const auto work = [=] {
        parallel_for(count, 1, [=](npy_intp begin, npy_intp end) { loop(input + begin, out + begin, end - begin); });
    };
    perform(count, work, {input, out});
    return result.give();
}
template <class T>
PyObject* typed_clamp(PyArrayObject* x, PyObject* low_object, PyObject* high_object, PyArrayObject* target) {
    T low, high;
    if (PyArray_SIZE(x) == 0 || !read_limits(low_object, high_object, low, high)) return nullptr;
    return clamped<T>(x, target,
                      [=](const T* from, T* to, npy_intp some) { loops<T>().clamp(from, low, high, to, some); });
}
// Of integers that have no loops of their own, between integers of Python that they can be.
template <class T> bool read_short_limit(PyObject* object, T& limit) {
    int64_t value = limit;
    if (object != Py_None && !(PyLong_CheckExact(object) && weak_value(object, value))) return false;
    limit = static_cast<T>(value);
    return limit == value;
}
template <class T>
PyObject* clamp_short(PyArrayObject* x, PyObject* low_object, PyObject* high_object, PyArrayObject* target) {
    T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
    if (PyArray_SIZE(x) == 0 || !PyArray_ISNOTSWAPPED(x) || (low_object == Py_None && high_object == Py_None))
        return nullptr;
    if (!read_short_limit(low_object, low) || !read_short_limit(high_object, high)) return nullptr;
    return clamped<T>(x, target, [=](const T* from, T* to, npy_intp some) {
        for (npy_intp i = 0; i < some; ++i) {
            const T raised = from[i] < low ? low : from[i];
            to[i] = raised > high ? high : raised;
        }
    });
}
PyObject* clamp_between(PyObject* object, PyObject* low, PyObject* high, PyArrayObject* target) {
    PyArrayObject* x = plain(object);
    if (!x) return nullptr;
    switch (PyArray_TYPE(x)) {
        case NPY_UINT8: return clamp_short<uint8_t>(x, low, high, target);
        case NPY_INT8: return clamp_short<int8_t>(x, low, high, target);
        case NPY_INT16: return clamp_short<int16_t>(x, low, high, target);
        case NPY_INT32: return clamp_short<int32_t>(x, low, high, target);
    }
    return for_dtype(PyArray_DESCR(x), [=](auto zero) { return typed_clamp<decltype(zero)>(x, low, high, target); });
}
PyObject* clamp(Call args, PyArrayObject* target) { return clamp_between(args[0], args[1], args[2], target); }
PyObject* clamp_min(Call args, PyArrayObject* target) { return clamp_between(args[0], args[1], Py_None, target); }
PyObject* clamp_max(Call args, PyArrayObject* target) { return clamp_between(args[0], Py_None, args[1], target); }

// NaN is outside of all limits; if there is only one limit, the other is infinite.
template <class T>
PyObject* typed_clamp_rule(PyArrayObject* x, PyObject* grad_object, PyObject* low_object, PyObject* high_object) {
    T low, high;
    Operand operands[2];
    operands[1].array = x;
    Broadcast<2> shape;
    if (!read_limits(low_object, high_object, low, high) || !read_gradient(grad_object, PyArray_DESCR(x), operands[0]))
        return nullptr;
    if (!same_shape(operands[0].array, x) || !shape.find(operands)) return nullptr;
    Owned result(shape.new_result(PyArray_DESCR(x)));
    if (!result) return nullptr;
    const T *grad = data_of<T>(operands[0].array), *input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    if (is_short_line(shape)) {
        const npy_intp step = shape.inner(0), count = shape.size();
        const auto backward = loops<T>().clamp_backward;
        do_work([=] { backward(grad, step, input, low, high, out, count); }, {grad, input, out});
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        loops<T>().clamp_backward(grad + from[0], shape.inner(0), input + from[1], low, high, out + to, count);
    });
    return result.give();
}
PyObject* clamp_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* x = nargs == 4 ? plain(args[1]) : nullptr;
        if (!x) return nullptr;
        return for_dtype(PyArray_DESCR(x),
                         [=](auto zero) { return typed_clamp_rule<decltype(zero)>(x, args[0], args[2], args[3]); });
    });
}

Methods choose_methods({
    WENGERT_REPEATABLE(eq, "(self, other)", in_operand_order<promoted<direct_compare<EQUAL>>>),
    WENGERT_REPEATABLE(ne, "(self, other)", in_operand_order<promoted<direct_compare<NOT_EQUAL>>>),
    WENGERT_REPEATABLE(lt, "(self, other)", in_operand_order<promoted<direct_compare<LESS>>>),
    WENGERT_REPEATABLE(le, "(self, other)", in_operand_order<promoted<direct_compare<LESS_EQUAL>>>),
    WENGERT_REPEATABLE(gt, "(self, other)", in_operand_order<promoted<direct_compare<GREATER>>>),
    WENGERT_REPEATABLE(ge, "(self, other)", in_operand_order<promoted<direct_compare<GREATER_EQUAL>>>),
    WENGERT_REPEATABLE(where, "(condition, self, other)", in_operand_order<where>),
    WENGERT_REPEATABLE(where_self_rule, "(grad, condition): the gradient where it holds",
                       in_operand_order<kept_rule<true>, true>),
    WENGERT_REPEATABLE(where_other_rule, "(grad, condition): the gradient where it does not hold",
                       in_operand_order<kept_rule<false>, true>),
    WENGERT_REPEATABLE(masked_fill, "(self, mask, value)", on_contiguous<masked_fill>),
    WENGERT_REPEATABLE(masked_fill_rule, "(grad, mask): the gradient where it does not hold",
                       on_contiguous<kept_rule<false>>),
    WENGERT_REPEATABLE(clamp_, "(self, min, max): None", direct<3, in_place<clamp>>),
    WENGERT_REPEATABLE(clamp, "(self, min, max)", in_operand_order<direct<3, newly<clamp>>>),
    WENGERT_REPEATABLE(clamp_min_, "(self, min): None", direct<2, in_place<clamp_min>>),
    WENGERT_REPEATABLE(clamp_min, "(self, min)", in_operand_order<direct<2, newly<clamp_min>>>),
    WENGERT_REPEATABLE(clamp_max_, "(self, max): None", direct<2, in_place<clamp_max>>),
    WENGERT_REPEATABLE(clamp_max, "(self, max)", in_operand_order<direct<2, newly<clamp_max>>>),
    WENGERT_REPEATABLE(clamp_rule, "(grad, self, min, max): the gradient between the limits",
                       in_operand_order<clamp_rule, true>),
});

}  // namespace
}  // namespace wengert
