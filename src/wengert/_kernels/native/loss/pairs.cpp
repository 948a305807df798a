// Losses between two arrays of one shape, and their rules: squared, absolute, Huber and smooth L1 loss, and
// cross-entropy of probabilities and of logits.
#include "binding/broadcast.hpp"
#include "binding/direct.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wengert {
namespace {

// In two steps, which the compiler vectorises.
template <class T> T limited(T value, T limit) {
    const T above = value < -limit ? -limit : value;
    return above > limit ? limit : above;
}
// Each form has the loss of a difference, its derivative, and the factor by which the rule multiplies the gradient.
template <class T> struct Squared {
    T loss(T difference) const { return difference * difference; }
    T derivative(T difference) const { return difference; }
    double factor() const { return 2; }
};
template <class T> struct SmoothAbsolute {
    T bend;
    T loss(T difference) const {
        const T distance = std::fabs(difference);
        return distance < bend ? T(0.5) * distance * distance / bend : distance - T(0.5) * bend;
    }
    T derivative(T difference) const { return limited(difference, bend); }
    double factor() const { return 1 / static_cast<double>(bend); }
};
template <class T> struct Huber {
    T bend;
    T loss(T difference) const {
        const T distance = std::fabs(difference);
        return distance < bend ? T(0.5) * distance * distance : bend * (distance - T(0.5) * bend);
    }
    T derivative(T difference) const { return limited(difference, bend); }
    double factor() const { return 1; }
};

// Two arrays of one shape, not empty, and the reduction.
template <class T> struct Pair {
    PyArrayObject *x, *target;
    Reduction reduction;
    npy_intp count = 0;
    Pair(PyObject* x_object, PyObject* target_object, PyObject* name) {
        x = plain(x_object, descr_of<T>());
        target = plain(target_object, descr_of<T>());
        reduction = as_reduction(name);
        if (x && target && same_shape(x, target) && reduction != REDUCE_UNKNOWN) count = PyArray_SIZE(x);
    }
    // The share of one element in the derivative of the loss.
    double mean_factor() const { return reduction == REDUCE_MEAN ? 1.0 / static_cast<double>(count) : 1.0; }
};

constexpr npy_intp piece = 65536,
                   block = 512;  // the least number of elements for a thread, and the number in a block of losses
constexpr npy_intp loss_cost = 4;

// The sum of a piece's losses, block by block.
template <class T, class Losses> double piece_total(const T* x, const T* target, npy_intp count, const Losses& losses) {
    T values[block];
    double total = 0;
    for (npy_intp begin = 0; begin < count; begin += block) {
        const npy_intp size = count - begin < block ? count - begin : block;
        losses(x + begin, target + begin, values, size);
        total += loops<T>().row_sum[OF_VALUES](values, size);
    }
    return total;
}

// The losses of the elements, their mean or their sum; losses(x, target, out, count) finds those of some elements.
// Pieces do not depend on the number of threads.
template <class T, class Losses> PyObject* collected(const Pair<T>& pair, const Losses& losses) {
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    const bool elementwise = pair.reduction == REDUCE_NONE;
    Owned result(new_array(descr_of<T>(), elementwise ? PyArray_NDIM(pair.x) : 0, PyArray_DIMS(pair.x)));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const npy_intp count = pair.count, pieces = (count + piece - 1) / piece;
    double total = 0;
    if (elementwise) {
        ReleaseGil unlocked(count >= thread_threshold);
        parallel_for(count, loss_cost, [&](npy_intp begin, npy_intp end) {
            losses(x + begin, target + begin, out + begin, end - begin);
        });
        return result.give();
    }
    if (pieces == 1) {
        total = piece_total(x, target, count, losses);
    } else {
        std::vector<double> part(static_cast<size_t>(pieces));
        ReleaseGil unlocked(true);
        parallel_for(pieces, piece * loss_cost, [&](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const npy_intp at = i * piece, size = count - at < piece ? count - at : piece;
                part[static_cast<size_t>(i)] = piece_total(x + at, target + at, size, losses);
            }
        });
        for (double piece_sum : part) total += piece_sum;
    }
    *out = static_cast<T>(pair.reduction == REDUCE_MEAN ? total / static_cast<double>(count) : total);
    return result.give();
}
// The same, of a loss that is found element by element.
template <class T, class Loss> PyObject* collected_elementwise(const Pair<T>& pair, const Loss& loss) {
    return collected(pair, [&](const T* x, const T* target, T* out, npy_intp count) {
        for (npy_intp i = 0; i < count; ++i) out[i] = loss(x[i], target[i]);
    });
}

// The gradient of the result: one for all elements, or one for each. `of` gives it times a factor, as the rule does.
template <class T> struct ScaledGrads {
    Owned array;
    const T* data = nullptr;
    npy_intp step;
    T factor;
    ScaledGrads(PyObject* grad, const Pair<T>& pair, double by)
        : array(as_contiguous(grad, descr_of<T>())), step(pair.reduction == REDUCE_NONE), factor(static_cast<T>(by)) {
        if (array && (step ? same_shape(array.get(), pair.x) : PyArray_NDIM(array.get()) == 0))
            data = data_of<T>(array.get());
    }
    T of(npy_intp i) const { return data[i * step] * factor; }
    // Multiplies the elements of a part by their gradients.
    void scale(T* out, npy_intp begin, npy_intp end) const {
        const T first = of(0);
        if (step) {
            for (npy_intp i = begin; i < end; ++i) out[i] *= of(i);
        } else {
            for (npy_intp i = begin; i < end; ++i) out[i] *= first;
        }
    }
};

// [gradient of x or None, gradient of the target or None], as `wanted` says; null with an error set.
template <class Compute> PyObject* both(PyObject* wanted, PyArrayObject* like, const Compute& compute) {
    PyObject* grads = PyList_New(2);
    for (int at = 0; grads && at < 2; ++at) {
        PyObject* grad = Py_None;
        if (PyTuple_GET_ITEM(wanted, at) == Py_True) {
            Owned result(new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like)));
            if (!result) {
                Py_DECREF(grads);
                return nullptr;
            }
            compute(at, result.get());
            grad = result.give();
        } else {
            Py_INCREF(grad);
        }
        PyList_SET_ITEM(grads, at, grad);
    }
    return grads;
}
// body(begin, end) over all elements.
template <class T, class Body> void over(const Pair<T>& pair, const Body& body) {
    ReleaseGil unlocked(pair.count >= thread_threshold);
    parallel_for(pair.count, loss_cost, body);
}
bool is_wanted(PyObject* wanted) {
    if (!PyTuple_CheckExact(wanted) || PyTuple_GET_SIZE(wanted) != 2) return false;
    return PyBool_Check(PyTuple_GET_ITEM(wanted, 0)) && PyBool_Check(PyTuple_GET_ITEM(wanted, 1));
}

template <class T, class Form> PyObject* loss_of(PyObject* const* args, const Form& form) {
    const Pair<T> pair(args[0], args[1], args[2]);
    if (pair.count == 0) return nullptr;
    return collected_elementwise(pair, [form](T x, T target) { return form.loss(x - target); });
}
// (grad, self, target, reduction, ...)
template <class T, class Form> PyObject* rule_of(PyObject* const* args, PyObject* wanted, const Form& form) {
    const Pair<T> pair(args[1], args[2], args[3]);
    if (pair.count == 0 || !is_wanted(wanted)) return nullptr;
    const ScaledGrads<T> grads(args[0], pair, pair.mean_factor() * form.factor());
    if (!grads.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(wanted, pair.x, [&](int at, PyArrayObject* result) {
        const T *operand = at ? target : x,
                *other = at ? x : target;  // derivatives are odd; -0 only where the factor is negative
        T* out = data_of<T>(result);
        over(pair, [&](npy_intp begin, npy_intp end) {
            const Form local = form;  // which no element that is written can be a part of
            if (grads.step) {
                for (npy_intp i = begin; i < end; ++i) out[i] = local.derivative(operand[i] - other[i]) * grads.of(i);
            } else {
                const T factor = grads.of(0);
                for (npy_intp i = begin; i < end; ++i) out[i] = local.derivative(operand[i] - other[i]) * factor;
            }
        });
    });
}

// (self, target, reduction) and (grad, self, target, reduction, wanted)
template <class T> PyObject* mse_loss(PyObject* const* args) { return loss_of<T>(args, Squared<T>()); }
template <class T> PyObject* mse_loss_rule(PyObject* const* args) { return rule_of<T>(args, args[4], Squared<T>()); }

// The place where a form changes: a positive number that T can hold.
template <class T> bool as_bend(PyObject* object, T& bend) {
    double number = 0;
    if (!object || !as_number(object, number)) return false;
    bend = static_cast<T>(number);
    return bend > 0 && std::isfinite(bend);
}
// (self, target, reduction, beta or delta) and (grad, self, target, reduction, beta or delta, wanted)
template <class T, template <class> class Form> PyObject* bent_loss(PyObject* const* args) {
    Form<T> form;
    return as_bend(args[3], form.bend) ? loss_of<T>(args, form) : nullptr;
}
template <class T, template <class> class Form> PyObject* bent_rule(PyObject* const* args) {
    Form<T> form;
    return as_bend(args[4], form.bend) ? rule_of<T>(args, args[5], form) : nullptr;
}

// (self, target, weight, pos_weight, reduction), both weights None
template <class T> PyObject* logits_loss(PyObject* const* args) {
    const Pair<T> pair(args[0], args[1], args[4]);
    if (pair.count == 0 || args[2] != Py_None || args[3] != Py_None) return nullptr;
    return collected(pair, [](const T* x, const T* target, T* out, npy_intp count) {
        for (npy_intp i = 0; i < count; ++i) out[i] = x[i] > 0 ? x[i] : -x[i];
        loops<T>().unary[LOG_SIGMOID](out, out, count);
        for (npy_intp i = 0; i < count; ++i) {
            const T coefficient = x[i] > 0 ? 1 - target[i] : -target[i];
            out[i] = (coefficient == 0 ? T(0) : coefficient * x[i]) -
                     out[i];  // the loss is 0 where the logit is infinite and right
        }
    });
}
// (grad, self, target, weight, pos_weight, reduction, wanted)
template <class T> PyObject* logits_rule(PyObject* const* args) {
    const Pair<T> pair(args[1], args[2], args[5]);
    if (pair.count == 0 || args[3] != Py_None || args[4] != Py_None || !is_wanted(args[6])) return nullptr;
    const ScaledGrads<T> grads(args[0], pair, pair.mean_factor());
    if (!grads.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(args[6], pair.x, [&](int at, PyArrayObject* result) {
        T* out = data_of<T>(result);
        over(pair, [&](npy_intp begin, npy_intp end) {
            if (at) {
                for (npy_intp i = begin; i < end; ++i) out[i] = -x[i];
                return grads.scale(out, begin, end);
            }
            // By the smaller of the two probabilities: 1 less the other has lost its digits where that is near 1.
            for (npy_intp i = begin; i < end; ++i) out[i] = x[i] > 0 ? -x[i] : x[i];
            loops<T>().unary[SIGMOID](out + begin, out + begin, end - begin);
            for (npy_intp i = begin; i < end; ++i) {
                const T smaller = out[i], wanted = target[i], of_positive = (1 - wanted) - smaller,
                        of_negative = smaller - wanted;
                out[i] = x[i] > 0 ? of_positive : of_negative;
            }
            grads.scale(out, begin, end);
        });
    });
}

// soft_margin(self, target, reduction): log(1 + exp(-target * self))
template <class T> PyObject* soft_margin(PyObject* const* args) {
    const Pair<T> pair(args[0], args[1], args[2]);
    if (pair.count == 0) return nullptr;
    return collected(pair, [](const T* x, const T* target, T* out, npy_intp count) {
        for (npy_intp i = 0; i < count; ++i) out[i] = -target[i] * x[i];
        loops<T>().unary[EXP](out, out, count);
        loops<T>().unary[LOG1P](out, out, count);
    });
}

// The cross-entropy of probabilities; for other numbers the body raises the error. Logarithms are cut off, so that the
// loss of a certain, wrong prediction stays finite, and the derivative divides by no less than `least_variance`.
constexpr double least_logarithm = -100, least_variance = 1e-12;

// (self, target, weight, reduction), without weights
template <class T> PyObject* probability_loss(PyObject* const* args) {
    const Pair<T> pair(args[0], args[1], args[3]);
    if (pair.count == 0 || args[2] != Py_None) return nullptr;
    const T *x = data_of<T>(pair.x), *wanted = data_of<T>(pair.target);
    bool possible = true;
    for (npy_intp i = 0; i < pair.count; ++i)
        possible &= (x[i] >= 0) & (x[i] <= 1) & (wanted[i] >= 0) & (wanted[i] <= 1);
    if (!possible) return nullptr;
    return collected(pair, [](const T* probability, const T* target, T* out, npy_intp count) {
        constexpr npy_intp few = 64;
        const T least = static_cast<T>(least_logarithm);
        T success[few], failure[few];
        for (npy_intp begin = 0; begin < count; begin += few) {
            const npy_intp size = count - begin < few ? count - begin : few;
            loops<T>().unary[LOG](probability + begin, success, size);
            loops<T>().unary[NEGATIVE](probability + begin, failure, size);
            loops<T>().unary[LOG1P](failure, failure, size);
            for (npy_intp i = 0; i < size; ++i) {
                const T label = target[begin + i];
                out[begin + i] = (label - 1) * std::max(failure[i], least) - label * std::max(success[i], least);
            }
        }
    });
}
// (log(1 - x) - log(x)) * grad
template <class T> void write_log_odds(const T* x, const ScaledGrads<T>& grads, npy_intp begin, npy_intp end, T* out) {
    constexpr npy_intp some = 256;
    T logarithm[some];
    for (; begin < end; begin += some) {
        const npy_intp count = std::min(some, end - begin);
        for (npy_intp i = 0; i < count; ++i) out[begin + i] = -x[begin + i];
        loops<T>().unary[LOG1P](out + begin, out + begin, count);
        loops<T>().unary[LOG](x + begin, logarithm, count);
        for (npy_intp i = 0; i < count; ++i) out[begin + i] = (out[begin + i] - logarithm[i]) * grads.of(begin + i);
    }
}
// (grad, self, target, weight, reduction, wanted)
template <class T> PyObject* probability_rule(PyObject* const* args) {
    const Pair<T> pair(args[1], args[2], args[4]);
    if (pair.count == 0 || args[3] != Py_None || !is_wanted(args[5])) return nullptr;
    if (!has_row_major_strides(pair.x)) return nullptr;  // the gradient would have its strides
    const ScaledGrads<T> grads(args[0], pair, pair.mean_factor());
    if (!grads.data) return nullptr;
    const T *x = data_of<T>(pair.x), *target = data_of<T>(pair.target);
    return both(args[5], pair.x, [&](int at, PyArrayObject* result) {
        T* out = data_of<T>(result);
        over(pair, [&](npy_intp begin, npy_intp end) {
            if (at) return write_log_odds(x, grads, begin, end, out);
            for (npy_intp i = begin; i < end; ++i) {
                const T variance = std::max((1 - x[i]) * x[i], static_cast<T>(least_variance));
                out[i] = (x[i] - target[i]) / variance * grads.of(i);
            }
        });
    });
}

// Whether two operands, (self, other, alpha), are a pair of one shape that losses know.
template <class T> PyObject* is_pair(PyObject* const* args) {
    PyArrayObject *x = plain(args[0], descr_of<T>()), *other = plain(args[1], descr_of<T>());
    return x && other && same_shape(x, other) ? Py_NewRef(Py_True) : nullptr;
}

#define WENGERT_LOSS(count, name, arguments, ...) \
    direct_method("direct_" name, direct<count, by_element<__VA_ARGS__>>, name arguments ", or NotImplemented")
Methods pair_methods({
    WENGERT_LOSS(3, "mse_loss", "(self, target, reduction)", mse_loss<float>, mse_loss<double>),
    WENGERT_LOSS(4, "smooth_l1_loss", "(self, target, reduction, beta)", bent_loss<float, SmoothAbsolute>,
                 bent_loss<double, SmoothAbsolute>),
    WENGERT_LOSS(4, "huber_loss", "(self, target, reduction, delta)", bent_loss<float, Huber>,
                 bent_loss<double, Huber>),
    WENGERT_LOSS(5, "bce_with_logits", "(self, target, weight, pos_weight, reduction)", logits_loss<float>,
                 logits_loss<double>),
    WENGERT_LOSS(4, "binary_cross_entropy", "(self, target, weight, reduction)", probability_loss<float>,
                 probability_loss<double>),
    WENGERT_LOSS(6, "binary_cross_entropy_rule", "(grad, self, target, weight, reduction, wanted)",
                 probability_rule<float>, probability_rule<double>),
    WENGERT_LOSS(3, "soft_margin", "(self, target, reduction)", soft_margin<float>, soft_margin<double>),
    WENGERT_LOSS(3, "is_pair", "(self, other, alpha)", is_pair<float>, is_pair<double>),
    WENGERT_LOSS(5, "mse_loss_rule", "(grad, self, target, reduction, wanted)", mse_loss_rule<float>,
                 mse_loss_rule<double>),
    WENGERT_LOSS(6, "smooth_l1_loss_rule", "(grad, self, target, reduction, beta, wanted)",
                 bent_rule<float, SmoothAbsolute>, bent_rule<double, SmoothAbsolute>),
    WENGERT_LOSS(6, "huber_loss_rule", "(grad, self, target, reduction, delta, wanted)", bent_rule<float, Huber>,
                 bent_rule<double, Huber>),
    WENGERT_LOSS(7, "bce_with_logits_rule", "(grad, self, target, weight, pos_weight, reduction, wanted)",
                 logits_rule<float>, logits_rule<double>),
});
#undef WENGERT_LOSS

}  // namespace
}  // namespace wengert
