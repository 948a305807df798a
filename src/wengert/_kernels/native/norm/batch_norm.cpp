// Batch normalisation of (N, C, ...): statistics, normalisation, gradients. With one element per channel and image, (N,
// C), the loops run along the channels instead.
#include "binding/memory_order.hpp"

#include <cmath>
#include <vector>

namespace wengert {
namespace {

Twin statistics_twin("batch_norm_statistics"), apply_twin("batch_norm_apply"), backward_twin("batch_norm_backward");

struct Planes {
    npy_intp images, channels, size;
    npy_intp count() const { return images * size; }
};
bool find_planes(PyArrayObject* x, Planes& planes) {
    if (!x || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0) return false;
    planes.images = PyArray_DIM(x, 0);
    planes.channels = PyArray_DIM(x, 1);
    planes.size = PyArray_SIZE(x) / (planes.images * planes.channels);
    return true;
}

// Runs body(first, last) over ranges of channels.
template <class Body> void over_channels(const Planes& p, const Body& body) {
    ReleaseGil unlocked(p.count() * p.channels >= thread_threshold);
    parallel_for(p.channels, p.count() * 2, body);
}

template <class T>
void means_and_variances(const T* x, const Planes& p, npy_intp first, npy_intp last, double* mean, double* variance) {
    const double count = static_cast<double>(p.count());
    if (p.size == 1) {
        loops<T>().channel_sums(x + first, p.channels, p.images, last - first, mean + first);
        for (npy_intp c = first; c < last; ++c) mean[c] /= count;
        loops<T>().channel_spreads(x + first, p.channels, p.images, last - first, mean + first, variance + first);
        for (npy_intp c = first; c < last; ++c) variance[c] /= count;
        return;
    }
    for (npy_intp c = first; c < last; ++c) mean[c] = variance[c] = 0;
    const npy_intp step = p.channels * p.size;
    for (npy_intp c = first; c < last; ++c) {
        const T* plane = x + c * p.size;
        for (npy_intp n = 0; n < p.images; ++n) mean[c] += loops<T>().row_sum_double(plane + n * step, p.size);
        mean[c] /= count;
        for (npy_intp n = 0; n < p.images; ++n)
            variance[c] += loops<T>().row_square_distance(plane + n * step, p.size, mean[c]);
        variance[c] /= count;
    }
}

// The mean of each channel, 1 / its standard deviation, and its variance.
template <class T> void find_statistics(const T* input, const Planes& p, double eps, T* mean, T* invstd, T* variance) {
    std::vector<double> wide(static_cast<size_t>(2 * p.channels));
    double *wide_mean = wide.data(), *wide_variance = wide_mean + p.channels;
    over_channels(p, [=](npy_intp first, npy_intp last) {
        means_and_variances(input, p, first, last, wide_mean, wide_variance);
    });
    for (npy_intp c = 0; c < p.channels; ++c) {
        mean[c] = static_cast<T>(wide_mean[c]);
        invstd[c] = static_cast<T>(1 / std::sqrt(wide_variance[c] + eps));
        variance[c] = static_cast<T>(wide_variance[c]);
    }
}

template <class T> PyObject* statistics(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    Planes p;
    double eps = 0;
    if (!find_planes(x, p) || !as_number(slots[1], eps)) return nullptr;
    Owned items[3] = {Owned(new_array(descr_of<T>(), 1, &p.channels)), Owned(new_array(descr_of<T>(), 1, &p.channels)),
                      Owned(new_array(descr_of<T>(), 1, &p.channels))};
    if (!items[0] || !items[1] || !items[2]) return nullptr;
    find_statistics(data_of<T>(x), p, eps, data_of<T>(items[0].get()), data_of<T>(items[1].get()),
                    data_of<T>(items[2].get()));
    return give_tuple(items, 3);
}

// The function of a channel that is applied to all its elements.
template <class T>
void apply_to(const T* input, const Planes& p, const T* mean, const T* invstd, const T* weight, const T* bias, T* out) {
    std::vector<T> numbers(static_cast<size_t>(2 * p.channels));
    T *scale = numbers.data(), *shift = scale + p.channels;
    for (npy_intp c = 0; c < p.channels; ++c)
        scale[c] = weight ? invstd[c] * weight[c] : invstd[c], shift[c] = bias ? bias[c] : T(0);
    over_channels(p, [=](npy_intp first, npy_intp last) {
        if (p.size == 1)
            return loops<T>().channel_normalise(input + first, mean + first, scale + first, shift + first, p.channels,
                                                p.images, last - first, out + first);
        for (npy_intp n = 0; n < p.images; ++n)
            for (npy_intp c = first; c < last; ++c) {
                const npy_intp at = (n * p.channels + c) * p.size;
                loops<T>().row_normalise(input + at, out + at, p.size, mean[c], scale[c], shift[c]);
            }
    });
}

template <class T> PyObject* apply(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    Planes p;
    const T *mean, *invstd, *weight, *bias;
    if (!find_planes(x, p) || !optional_data(slots[1], p.channels, mean) ||
        !optional_data(slots[2], p.channels, invstd))
        return nullptr;
    if (!mean || !invstd || !optional_data(slots[3], p.channels, weight) || !optional_data(slots[4], p.channels, bias))
        return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    apply_to(data_of<T>(x), p, mean, invstd, weight, bias, data_of<T>(result.get()));
    return result.give();
}

// batch_norm_forward(input, weight, bias, running_mean, running_var, training, eps), for the dispatcher
template <class T> PyObject* card(PyObject* const* args) {
    PyArrayObject* x = row_major_only(args[0], descr_of<T>());
    Planes p;
    const T* parameters[4];  // weight, bias, running_mean, running_var
    bool training = false;
    double eps = 0;
    if (!find_planes(x, p) || !as_flag(args[5], training) || !as_number(args[6], eps)) return nullptr;
    if (eps < 0 || (training && eps == 0)) return nullptr;  // refused, or computed, by the body
    for (int k = 0; k < 4; ++k)
        if (!optional_data(args[1 + k], p.channels, parameters[k]) ||
            (parameters[k] && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[1 + k])) != 1))
            return nullptr;
    if (!training && (!parameters[2] || !parameters[3])) return nullptr;
    Owned results[4] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                        Owned(new_array(descr_of<T>(), 1, &p.channels)),
                        Owned(new_array(descr_of<T>(), 1, &p.channels)),
                        Owned(new_array(descr_of<T>(), 1, &p.channels))};
    for (const Owned& result : results)
        if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T *mean = data_of<T>(results[1].get()), *invstd = data_of<T>(results[2].get()),
      *variance = data_of<T>(results[3].get());
    if (training) find_statistics(input, p, eps, mean, invstd, variance);
    for (npy_intp c = 0; !training && c < p.channels; ++c) {
        mean[c] = parameters[2][c], variance[c] = parameters[3][c];
        invstd[c] = 1 / std::sqrt(variance[c] + static_cast<T>(eps));
    }
    apply_to(input, p, mean, invstd, parameters[0], parameters[1], data_of<T>(results[0].get()));
    return give_tuple(results, 4);
}

// The same for calls of `batch_norm` that need nothing else: without running statistics, and with several elements per
// channel in training.
template <class T> PyObject* without_statistics(PyObject* const* args) {
    Planes p;
    if (!find_planes(plain(args[0]), p)) return nullptr;
    if (args[5] == Py_True && (args[3] != Py_None || args[4] != Py_None || p.count() == 1)) return nullptr;
    return card<T>(args);
}

template <class T>
void gradient_sums(const T* grad, const T* x, const T* mean, const Planes& p, npy_intp first, npy_intp last,
                   double* total, double* product) {
    if (p.size == 1)
        return loops<T>().channel_products(grad + first, x + first, mean + first, p.channels, p.images, last - first,
                                           total + first, product + first);
    for (npy_intp c = first; c < last; ++c) total[c] = product[c] = 0;
    for (npy_intp n = 0; n < p.images; ++n)
        for (npy_intp c = first; c < last; ++c) {
            const npy_intp at = (n * p.channels + c) * p.size;
            total[c] += loops<T>().row_sum_double(grad + at, p.size);
            product[c] += loops<T>().row_centred_product(x + at, grad + at, p.size, mean[c]);
        }
}

// The gradient of the input, from the coefficients of each channel; without `training` only the scale.
template <class T>
void input_grads(const T* grad, const T* x, const Planes& p, const T* mean, const T* level, const T* tilt,
                 const T* scale, bool training, npy_intp first, npy_intp last, T* out) {
    if (p.size == 1) {
        const T* zeros = level;
        if (!training)
            return loops<T>().channel_normalise(grad + first, zeros + first, scale + first, zeros + first, p.channels,
                                                p.images, last - first, out + first);
        return loops<T>().channel_normalise_backward(grad + first, x + first, mean + first, level + first, tilt + first,
                                                     scale + first, p.channels, p.images, last - first, out + first);
    }
    for (npy_intp n = 0; n < p.images; ++n)
        for (npy_intp c = first; c < last; ++c) {
            const npy_intp at = (n * p.channels + c) * p.size;
            if (!training)
                loops<T>().row_normalise(grad + at, out + at, p.size, T(0), scale[c], T(0));
            else
                loops<T>().row_normalise_backward(grad + at, x + at, out + at, p.size, mean[c], level[c], tilt[c],
                                                  scale[c]);
        }
}

template <class T> PyObject* backward(PyObject** slots) {
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    PyArrayObject* x = plain(slots[1], descr_of<T>());
    Planes p;
    const T *mean, *invstd, *weight;
    bool training = false;
    if (!grad || !find_planes(x, p) || !same_shape(grad, x) || !as_flag(slots[5], training)) return nullptr;
    if (!optional_data(slots[2], p.channels, mean) || !optional_data(slots[3], p.channels, invstd)) return nullptr;
    if (!mean || !invstd || !optional_data(slots[4], p.channels, weight)) return nullptr;
    Owned items[3] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                      Owned(weight ? new_array(descr_of<T>(), 1, &p.channels) : nullptr),
                      Owned(weight ? new_array(descr_of<T>(), 1, &p.channels) : nullptr)};
    if (!items[0] || (weight && (!items[1] || !items[2]))) return nullptr;
    const T *grads = data_of<T>(grad), *input = data_of<T>(x);
    T* out = data_of<T>(items[0].get());
    std::vector<double> sums(static_cast<size_t>(2 * p.channels));
    std::vector<T> numbers(static_cast<size_t>(3 * p.channels));
    double *total = sums.data(), *product = total + p.channels;
    T *scale = numbers.data(), *level = scale + p.channels, *tilt = level + p.channels;
    const T count = static_cast<T>(p.count());
    over_channels(p, [=](npy_intp first, npy_intp last) {
        gradient_sums(grads, input, mean, p, first, last, total, product);
        for (npy_intp c = first; c < last; ++c) {
            scale[c] = weight ? invstd[c] * weight[c] : invstd[c];
            if (training) level[c] = static_cast<T>(total[c]) / count;  // otherwise 0
            if (training) tilt[c] = static_cast<T>(product[c]) * invstd[c] * invstd[c] / count;
        }
        input_grads(grads, input, p, mean, level, tilt, scale, training, first, last, out);
    });
    for (npy_intp c = 0; weight && c < p.channels; ++c) {
        data_of<T>(items[1].get())[c] = static_cast<T>(product[c]) * invstd[c];
        data_of<T>(items[2].get())[c] = static_cast<T>(total[c]);
    }
    return give_tuple(items, 3);
}

PyArray_Descr* dtype_of(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array ? PyArray_DESCR(array) : nullptr;
}

const char* const statistics_names[] = {"x", "eps"};
const char* const apply_names[] = {"x", "mean", "invstd", "weight", "bias"};
const char* const backward_names[] = {"grad", "x", "mean", "invstd", "weight", "training"};

PyObject* batch_norm_statistics(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<2>(statistics_twin, statistics_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        return dtype_of(slots[0]) == float_descr ? statistics<float>(slots) : statistics<double>(slots);
    });
}
PyObject* batch_norm_apply(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<5>(apply_twin, apply_names, 3, args, nargs, kwnames, [](PyObject** slots) {
        return dtype_of(slots[0]) == float_descr ? apply<float>(slots) : apply<double>(slots);
    });
}
PyObject* batch_norm_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<6>(backward_twin, backward_names, 6, args, nargs, kwnames, [](PyObject** slots) {
        return dtype_of(slots[0]) == float_descr ? backward<float>(slots) : backward<double>(slots);
    });
}

Methods batch_norm_methods({
    WENGERT_FUNCTION(batch_norm_statistics, "(x, eps)", batch_norm_statistics),
    WENGERT_FUNCTION(batch_norm_apply, "(x, mean, invstd, weight=None, bias=None)", batch_norm_apply),
    WENGERT_FUNCTION(batch_norm_backward, "(grad, x, mean, invstd, weight, training)", batch_norm_backward),
    direct_method(
        "direct_batch_norm",
        on_contiguous<direct<7, by_element<without_statistics<float>, without_statistics<double>>>, few_with_gaps>,
        "batch_norm_forward(...) where no statistics follow, or NotImplemented"),
    WENGERT_ENTRY(batch_norm_forward, "(input, weight, bias, running_mean, running_var, training, eps)",
                  on_contiguous<direct<7, by_element<card<float>, card<double>>>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
