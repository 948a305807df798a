// Losses between two small arrays of one shape, and their rules: squares, absolute values and what lies between, and
// cross-entropy of probabilities and of logits. Large ones are the bodies'.
#include "broadcast.hpp"
#include "direct.hpp"

#include <algorithm>
#include <cmath>

namespace wengert {
namespace {

// Each form gives the loss of one difference, its slope, and the factor that the rule multiplies the gradient with.
template <class T>
struct Squared {
    T loss(T difference) const { return difference * difference; }
    T slope(T difference) const { return difference; }
    double factor() const { return 2; }
};
template <class T>
struct SmoothAbsolute {
    T bend;
    T loss(T difference) const {
        const T distance = std::fabs(difference);
        return distance < bend ? T(0.5) * distance * distance / bend : distance - T(0.5) * bend;
    }
    T slope(T difference) const { return difference < -bend ? -bend : difference > bend ? bend : difference; }
    double factor() const { return 1 / static_cast<double>(bend); }
};
template <class T>
struct Huber {
    T bend;
    T loss(T difference) const {
        const T distance = std::fabs(difference);
        return distance <= bend ? T(0.5) * distance * distance : bend * (distance - T(0.5) * bend);
    }
    T slope(T difference) const { return difference < -bend ? -bend : difference > bend ? bend : difference; }
    double factor() const { return 1; }
};

// Two arrays of one shape, small and not empty, and what is done with the losses of the elements.
template <class T>
struct Pair {
    PyArrayObject *x, *target;
    Reduction reduction;
    npy_intp count = 0;
    Pair(PyObject* x_object, PyObject* target_object, PyObject* name) {
        x = plain(x_object, descr_of<T>());
        target = plain(target_object, descr_of<T>());
        reduction = as_reduction(name);
        if (x && target && same_shape(x, target) && reduction != REDUCE_UNKNOWN && PyArray_SIZE(x) < thread_threshold)
            count = PyArray_SIZE(x);
    }
    // The share of one element in the derivative of the loss.
    double share() const { return reduction == REDUCE_MEAN ? 1.0 / static_cast<double>(count) : 1.0; }
};

// The losses of the elements, their mean or their sum; `loss` is called with x and target.
template <class T, class Loss>
PyObject* collected(const Pair<T>& pair, const Loss& loss) {
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    const bool each = pair.reduction == REDUCE_NONE;
    Owned result(new_array(descr_of<T>(), each ? PyArray_NDIM(pair.x) : 0, PyArray_DIMS(pair.x)));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    if (each) {
        for (npy_intp i = 0; i < pair.count; ++i) out[i] = loss(x[i], target[i]);
        return result.give();
    }
    double total = 0;
    for (npy_intp i = 0; i < pair.count; ++i) total += static_cast<double>(loss(x[i], target[i]));
    *out = static_cast<T>(pair.reduction == REDUCE_MEAN ? total / static_cast<double>(pair.count) : total);
    return result.give();
}

// The gradient of the result: one for all elements, or one for each. `of` gives it times a factor, as the rule does.
template <class T>
struct Slopes {
    Owned array;
    const T* data = nullptr;
    npy_intp step;
    T factor;
    Slopes(PyObject* grad, const Pair<T>& pair, double by)
        : array(in_rows(grad, descr_of<T>())), step(pair.reduction == REDUCE_NONE), factor(static_cast<T>(by)) {
        if (array && (step ? same_shape(array.get(), pair.x) : PyArray_NDIM(array.get()) == 0)) data = data_of<T>(array.get());
    }
    T of(npy_intp i) const { return data[i * step] * factor; }
};

// [gradient of x or None, gradient of the target or None], as `wanted` says; null with an error set.
template <class Compute>
PyObject* both(PyObject* wanted, PyArrayObject* like, const Compute& compute) {
    PyObject* grads = PyList_New(2);
    for (int at = 0; grads && at < 2; ++at) {
        PyObject* grad = Py_None;
        if (PyTuple_GET_ITEM(wanted, at) == Py_True) {
            Owned made(new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like)));
            if (!made) { Py_DECREF(grads); return nullptr; }
            compute(at, made.get());
            grad = made.give();
        } else {
            Py_INCREF(grad);
        }
        PyList_SET_ITEM(grads, at, grad);
    }
    return grads;
}
bool is_wanted(PyObject* wanted) {
    if (!PyTuple_CheckExact(wanted) || PyTuple_GET_SIZE(wanted) != 2) return false;
    return PyBool_Check(PyTuple_GET_ITEM(wanted, 0)) && PyBool_Check(PyTuple_GET_ITEM(wanted, 1));
}

template <class T, class Form>
PyObject* loss_of(PyObject* const* args, const Form& form) {
    const Pair<T> pair(args[0], args[1], args[2]);
    if (pair.count == 0) return nullptr;
    return collected(pair, [&](T x, T target) { return form.loss(x - target); });
}
// (grad, self, target, reduction, ...)
template <class T, class Form>
PyObject* rule_of(PyObject* const* args, PyObject* wanted, const Form& form) {
    const Pair<T> pair(args[1], args[2], args[3]);
    if (pair.count == 0 || !is_wanted(wanted)) return nullptr;
    const Slopes<T> slopes(args[0], pair, pair.share() * form.factor());
    if (!slopes.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(wanted, pair.x, [&](int at, PyArrayObject* made) {
        T* out = data_of<T>(made);
        for (npy_intp i = 0; i < pair.count; ++i) {
            const T slope = form.slope(x[i] - target[i]) * slopes.of(i);
            out[i] = at ? -slope : slope;
        }
    });
}

// (self, target, reduction) and (grad, self, target, reduction, wanted)
template <class T>
PyObject* mse_loss(PyObject* const* args) { return loss_of<T>(args, Squared<T>()); }
template <class T>
PyObject* mse_loss_rule(PyObject* const* args) { return rule_of<T>(args, args[4], Squared<T>()); }

// The place where a form changes: a positive number that T can hold.
template <class T>
bool as_bend(PyObject* object, T& bend) {
    double number = 0;
    if (!object || !as_number(object, number)) return false;
    bend = static_cast<T>(number);
    return bend > 0 && std::isfinite(bend);
}
// (self, target, reduction, beta or delta) and (grad, self, target, reduction, beta or delta, wanted)
template <class T, template <class> class Form>
PyObject* bent_loss(PyObject* const* args) {
    Form<T> form;
    return as_bend(args[3], form.bend) ? loss_of<T>(args, form) : nullptr;
}
template <class T, template <class> class Form>
PyObject* bent_rule(PyObject* const* args) {
    Form<T> form;
    return as_bend(args[4], form.bend) ? rule_of<T>(args, args[5], form) : nullptr;
}

// (self, target, weight, pos_weight, reduction), both weights None
template <class T>
PyObject* logits_loss(PyObject* const* args) {
    const Pair<T> pair(args[0], args[1], args[4]);
    if (pair.count == 0 || args[2] != Py_None || args[3] != Py_None) return nullptr;
    return collected(pair, [](T x, T target) {
        return (1 - target) * x + (std::log1p(std::exp(-std::fabs(x))) + (x < 0 ? -x : T(0)));
    });
}
// (grad, self, target, weight, pos_weight, reduction, wanted)
template <class T>
PyObject* logits_rule(PyObject* const* args) {
    const Pair<T> pair(args[1], args[2], args[5]);
    if (pair.count == 0 || args[3] != Py_None || args[4] != Py_None || !is_wanted(args[6])) return nullptr;
    const Slopes<T> slopes(args[0], pair, pair.share());
    if (!slopes.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(args[6], pair.x, [&](int at, PyArrayObject* made) {
        T* out = data_of<T>(made);
        if (at == 0) loops<T>().unary[SIGMOID](x, out, pair.count);
        for (npy_intp i = 0; i < pair.count; ++i) out[i] = (at ? -x[i] : out[i] - target[i]) * slopes.of(i);
    });
}

// The cross-entropy of probabilities; of what is none the body words the error. Logarithms are cut off, so that the loss
// of a wrong certainty stays finite, and the derivative divides by no less than `least_variance`.
constexpr double least_logarithm = -100, least_variance = 1e-12;

// (self, target, weight, reduction), without weights
template <class T>
PyObject* probability_loss(PyObject* const* args) {
    const Pair<T> pair(args[0], args[1], args[3]);
    if (pair.count == 0 || args[2] != Py_None) return nullptr;
    const T* x = data_of<T>(pair.x);
    for (npy_intp i = 0; i < pair.count; ++i)
        if (!(x[i] >= 0 && x[i] <= 1)) return nullptr;
    return collected(pair, [](T probability, T target) {
        const T least = static_cast<T>(least_logarithm);
        const T success = std::max(std::log(probability), least), failure = std::max(std::log1p(-probability), least);
        return (target - 1) * failure - target * success;
    });
}
// (grad, self, target, weight, reduction, wanted)
template <class T>
PyObject* probability_rule(PyObject* const* args) {
    const Pair<T> pair(args[1], args[2], args[4]);
    if (pair.count == 0 || args[3] != Py_None || !is_wanted(args[5])) return nullptr;
    if (!has_row_major_strides(pair.x)) return nullptr;  // the gradient would lie like it
    const Slopes<T> slopes(args[0], pair, pair.share());
    if (!slopes.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(args[5], pair.x, [&](int at, PyArrayObject* made) {
        T* out = data_of<T>(made);
        for (npy_intp i = 0; i < pair.count; ++i) {
            const T variance = std::max((1 - x[i]) * x[i], static_cast<T>(least_variance));
            out[i] = (at ? std::log1p(-x[i]) - std::log(x[i]) : (x[i] - target[i]) / variance) * slopes.of(i);
        }
    });
}

// Whether two operands, (self, other, alpha), are a pair of one shape that losses know.
template <class T>
PyObject* is_pair(PyObject* const* args) {
    PyArrayObject *x = plain(args[0], descr_of<T>()), *other = plain(args[1], descr_of<T>());
    return x && other && same_shape(x, other) ? Py_NewRef(Py_True) : nullptr;
}

#define WENGERT_LOSS(count, name, arguments, ...) \
    direct_method("direct_" name, direct<count, by_element<__VA_ARGS__>>, name arguments ", or NotImplemented"),
PyMethodDef pair_methods[] = {
    WENGERT_LOSS(3, "mse_loss", "(self, target, reduction)", mse_loss<float>, mse_loss<double>)
    WENGERT_LOSS(4, "smooth_l1_loss", "(self, target, reduction, beta)", bent_loss<float, SmoothAbsolute>, bent_loss<double, SmoothAbsolute>)
    WENGERT_LOSS(4, "huber_loss", "(self, target, reduction, delta)", bent_loss<float, Huber>, bent_loss<double, Huber>)
    WENGERT_LOSS(5, "bce_with_logits", "(self, target, weight, pos_weight, reduction)", logits_loss<float>, logits_loss<double>)
    WENGERT_LOSS(4, "binary_cross_entropy", "(self, target, weight, reduction)", probability_loss<float>, probability_loss<double>)
    WENGERT_LOSS(6, "binary_cross_entropy_rule", "(grad, self, target, weight, reduction, wanted)", probability_rule<float>, probability_rule<double>)
    WENGERT_LOSS(3, "is_pair", "(self, other, alpha)", is_pair<float>, is_pair<double>)
    WENGERT_LOSS(5, "mse_loss_rule", "(grad, self, target, reduction, wanted)", mse_loss_rule<float>, mse_loss_rule<double>)
    WENGERT_LOSS(6, "smooth_l1_loss_rule", "(grad, self, target, reduction, beta, wanted)", bent_rule<float, SmoothAbsolute>, bent_rule<double, SmoothAbsolute>)
    WENGERT_LOSS(6, "huber_loss_rule", "(grad, self, target, reduction, delta, wanted)", bent_rule<float, Huber>, bent_rule<double, Huber>)
    WENGERT_LOSS(7, "bce_with_logits_rule", "(grad, self, target, weight, pos_weight, reduction, wanted)", logits_rule<float>, logits_rule<double>)
    {nullptr, nullptr, 0, nullptr},
};
#undef WENGERT_LOSS
MethodList pair_list(pair_methods);

}  // namespace
}  // namespace wengert
