// Group normalisation, forward and backward: groups of channels of each item, plane by plane. For the dispatcher only.
#include "binding/halved.hpp"
#include "norm/statistics.hpp"

#include <vector>

namespace wengert {
namespace {

// The layout: `items` times `groups` groups of `group_channels` planes of `positions` elements.
struct Groups {
    npy_intp items, channels, positions, groups, group_channels;

    bool read(PyArrayObject* x) {
        if (!x || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0 || PyArray_DIM(x, 0) != items ||
            PyArray_DIM(x, 1) != channels)
            return false;
        if (PyArray_SIZE(x) / (items * channels) != positions || groups < 1 || channels % groups) return false;
        group_channels = channels / groups;
        return true;
    }
};
template <class T> bool of_channels(PyObject* object, npy_intp channels, const T*& data) {
    return optional_data(object, channels, data) &&
           (!data || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(object)) == 1);
}

// native_group_norm(input, weight, bias, N, C, HxW, group, eps)
template <class T> PyObject* forward(PyObject* const* args) {
    PyArrayObject* x = row_major_only(args[0], descr_of<T>());
    Groups g = {};
    npy_intp* const sizes[4] = {&g.items, &g.channels, &g.positions, &g.groups};
    for (int k = 0; k < 4; ++k)
        if (!PyLong_CheckExact(args[3 + k]) || !as_index(args[3 + k], *sizes[k]) || *sizes[k] < 1) return nullptr;
    const T *weight, *bias;
    double eps = 0;
    if (!g.read(x) || !as_number(args[7], eps) || !of_channels(args[1], g.channels, weight) ||
        !of_channels(args[2], g.channels, bias))
        return nullptr;
    const npy_intp statistics[2] = {g.items, g.groups};
    Owned results[3] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                        Owned(new_array(descr_of<T>(), 2, statistics)), Owned(new_array(descr_of<T>(), 2, statistics))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    T *out = data_of<T>(results[0].get()), *mean = data_of<T>(results[1].get()), *invstd = data_of<T>(results[2].get());
    const T* input = data_of<T>(x);
    const npy_intp width = g.group_channels * g.positions;
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(g.items * g.groups, width * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const T* row = input + i * width;
                find_statistics(row, width, eps, mean[i], invstd[i]);
                for (npy_intp c = 0; c < g.group_channels; ++c) {
                    const npy_intp channel = i % g.groups * g.group_channels + c;
                    loops<T>().row_normalise(row + c * g.positions, out + i * width + c * g.positions, g.positions,
                                             mean[i], weight ? invstd[i] * weight[channel] : invstd[i],
                                             bias ? bias[channel] : T(0));
                }
            }
        });
    }
    return give_tuple(results, 3);
}

// The sums over a plane from which all gradients follow: of the gradient, and of its product with the normalised input.
struct PlaneSums {
    double grad, product;
};
template <class T>
void group_backward(const T* grad, const T* x, const T* weight, T* out, const Groups& g, npy_intp at, T mean, T invstd,
                    PlaneSums* sums) {
    const npy_intp first = at % g.groups * g.group_channels;
    double total = 0, inner = 0;
    for (npy_intp c = 0; c < g.group_channels; ++c) {
        const npy_intp plane = c * g.positions;
        sums[c] = {
            loops<T>().row_sum_double(grad + plane, g.positions),
            loops<T>().row_centred_product(x + plane, grad + plane, g.positions, mean) * static_cast<double>(invstd)};
        const double factor = weight ? static_cast<double>(weight[first + c]) : 1.0;
        total += sums[c].grad * factor, inner += sums[c].product * factor;
    }
    const double count = static_cast<double>(g.group_channels * g.positions), scale = static_cast<double>(invstd);
    const double shift = total / count * scale, inner_factor = inner / count * scale * scale;
    for (npy_intp c = 0; c < g.group_channels; ++c) {
        const npy_intp plane = c * g.positions;
        const double factor = (weight ? static_cast<double>(weight[first + c]) : 1.0) * scale;
        if (factor != 0)  // (grad * factor - shift) - (x - mean) * inner_factor
            loops<T>().row_normalise_backward(grad + plane, x + plane, out + plane, g.positions, mean,
                                              static_cast<T>(shift / factor), static_cast<T>(inner_factor / factor),
                                              static_cast<T>(factor));
        else
            loops<T>().row_normalise(x + plane, out + plane, g.positions, mean, static_cast<T>(-inner_factor),
                                     static_cast<T>(-shift));
    }
}

// group_norm_backward(grad, input, mean, rstd, weight, group): the gradients of input, weight and bias
template <class T> PyObject* backward(PyObject* const* args) {
    PyArrayObject* x = row_major_only(args[1], descr_of<T>());
    const Owned grad(as_contiguous(args[0], descr_of<T>()));
    Groups g = {};
    if (!grad || !x || !same_shape(grad.get(), x) || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0 ||
        !as_index(args[5], g.groups))
        return nullptr;
    g.items = PyArray_DIM(x, 0), g.channels = PyArray_DIM(x, 1), g.positions = PyArray_SIZE(x) / (g.items * g.channels);
    const T *mean, *invstd, *weight;
    if (!g.read(x) || !optional_data(args[2], g.items * g.groups, mean) ||
        !optional_data(args[3], g.items * g.groups, invstd))
        return nullptr;
    if (!mean || !invstd || !of_channels(args[4], g.channels, weight)) return nullptr;
    Owned results[3] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                        Owned(new_array(descr_of<T>(), 1, &g.channels)),
                        Owned(new_array(descr_of<T>(), 1, &g.channels))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    std::vector<PlaneSums> sums(static_cast<size_t>(g.items * g.channels));
    const T *grads = data_of<T>(grad.get()), *input = data_of<T>(x);
    T *out = data_of<T>(results[0].get()), *grad_weight = data_of<T>(results[1].get()),
      *grad_bias = data_of<T>(results[2].get());
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        const npy_intp width = g.group_channels * g.positions;
        parallel_for(g.items * g.groups, width * 2, [&](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                group_backward(grads + i * width, input + i * width, weight, out + i * width, g, i, mean[i], invstd[i],
                               sums.data() + i * g.group_channels);
        });
    }
    for (npy_intp c = 0; c < g.channels; ++c) {
        double product = 0, total = 0;
        for (npy_intp n = 0; n < g.items; ++n) {
            const PlaneSums& plane_sums = sums[static_cast<size_t>(n * g.channels + c)];
            product += plane_sums.product, total += plane_sums.grad;
        }
        grad_weight[c] = static_cast<T>(product), grad_bias[c] = static_cast<T>(total);
    }
    return give_tuple(results, 3);
}

// group_norm_arguments(input, num_groups, weight, bias, eps, cudnn_enabled): those of native_group_norm without weights
PyObject* group_norm_arguments(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    npy_intp groups = 0;
    if (!x || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0 || args[2] != Py_None || args[3] != Py_None) return nullptr;
    if (!PyLong_CheckExact(args[1]) || !as_index(args[1], groups) || groups < 1) return nullptr;
    const npy_intp items = PyArray_DIM(x, 0), channels = PyArray_DIM(x, 1),
                   positions = PyArray_SIZE(x) / (items * channels);
    if (channels % groups || items * channels / groups * positions == 1)
        return nullptr;  // one value alone has no variance
    return Py_BuildValue("OOOnnnOO", Py_None, Py_None, Py_None, items, channels, positions, args[1], args[4]);
}

Methods group_norm_methods({
    direct_method("direct_group_norm_arguments", direct<6, group_norm_arguments>,
                  "those of native_group_norm, or NotImplemented"),
    WENGERT_ENTRY(native_group_norm, "(input, weight, bias, N, C, HxW, group, eps)",
                  of_halves<on_contiguous<direct<8, by_element<forward<float>, forward<double>>>, few_with_gaps>>),
    WENGERT_ENTRY(group_norm_backward, "(grad, input, mean, rstd, weight, group)",
                  on_contiguous<direct<6, by_element<backward<float>, backward<double>>>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
