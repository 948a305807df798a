// Random integers, orders, truth values and normal numbers around given ones, few of them in one call: the words of a
// generator make the same numbers as in random.py. The first two arguments are a generator and how far this process is
// from the first.
#include "binding/direct.hpp"
#include "arrays/views.hpp"
#include "random/words.hpp"

#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// A draw of the source of the generator among the arguments, see `under_lock`.
template <class Fill> PyObject* drawn(Call args, PyArray_Descr* descr, int ndim, const npy_intp* shape, Fill fill) {
    const Reference source(source_of(args[0], args[1]));
    return source.object ? under_lock(&PyTuple_GET_ITEM(source.object, 1), descr, ndim, shape, fill) : nullptr;
}

// randint(generator, forks, default, low?, high, size): int64 from [low, high), the rest of a word, or of two where
// there are many
PyObject* randint(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 5 && nargs != 6) return nullptr;
        npy_intp shape[NPY_MAXDIMS], low = 0, high = 0;
        PyObject* size = args[nargs - 1];
        if (!PyTuple_Check(size) && !PyList_CheckExact(size)) return nullptr;
        const int ndim = read_lengths(&size, 1, int64_descr, shape);
        if (ndim < 0 || !as_index(args[nargs - 2], high) || (nargs == 6 && !as_index(args[3], low))) return nullptr;
        const Size room = Size(high) - low;
        if (!room.fits() || room.value() < 1) return nullptr;
        return drawn(args, int64_descr, ndim, shape, [=](Words words, double*, PyArrayObject* result) {
            auto* to = data_of<uint64_t>(result);
            const auto width = static_cast<uint64_t>(room.value()), first = static_cast<uint64_t>(low);
            const npy_intp count = PyArray_SIZE(result);
            if (width < uint64_t{1} << 28)
                draw_below(words, static_cast<uint32_t>(width), first, to, count);
            else
                for (npy_intp at = 0; at < count; ++at) to[at] = first + words.next_long() % width;
        });
    });
}

constexpr npy_intp most_ordered = 0xFFFFFFFF / 20 - 1;  // from there on a step takes two words
// randperm(generator, forks, default, n): each position is swapped with one of those from there on
PyObject* randperm(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        npy_intp count = 0;
        if (nargs != 4 || !as_index(args[3], count) || count < 2 || count > most_ordered) return nullptr;
        return drawn(args, int64_descr, 1, &count, [=](Words words, double*, PyArrayObject* result) {
            auto* order = data_of<int64_t>(result);
            for (npy_intp at = 0; at < count; ++at) order[at] = at;
            for (npy_intp at = 0; at + 1 < count; ++at)
                std::swap(order[at], order[at + words.next() % static_cast<uint32_t>(count - at)]);
        });
    });
}

// A tensor that numbers are drawn for: not large, in row-major order, which the result then has too.
PyArrayObject* model(PyObject* object) {
    PyArrayObject* array = plain(object);
    const bool fits =
        array && is_real(PyArray_DESCR(array)) && PyArray_SIZE(array) > 0 && PyArray_NBYTES(array) <= most_bytes;
    return fits && is_row_major(array) ? array : nullptr;
}

template <class T> PyObject* decided(Call args, PyArrayObject* chances) {
    const T* chance = data_of<T>(chances);
    for (npy_intp at = 0; at < PyArray_SIZE(chances); ++at)
        if (!(chance[at] >= 0 && chance[at] <= 1)) return nullptr;
    return drawn(args, descr_of<T>(), PyArray_NDIM(chances), PyArray_DIMS(chances),
                 [=](Words words, double*, PyArrayObject* result) {
                     for (npy_intp at = 0; at < PyArray_SIZE(result); ++at) {
                         T even;
                         words.draw(even);
                         data_of<T>(result)[at] = static_cast<T>(even < chance[at]);
                     }
                 });
}
// bernoulli(generator, forks, self, p, None): ones with the probabilities in `self`
PyObject* bernoulli(Call args) {
    PyArrayObject* chances = args[3] == Py_None && args[4] == Py_None ? model(args[2]) : nullptr;
    if (!chances) return nullptr;
    return PyArray_DESCR(chances) == float_descr ? decided<float>(args, chances) : decided<double>(args, chances);
}

// A mean or a deviation: an array of the dtype and shape of the other, or a number.
template <class T> struct Parameter {
    T number = 0;
    const T* values = &number;
    npy_intp step = 0;

    bool read(PyObject* object, PyArrayObject* like) {
        PyArrayObject* array = PyArray_CheckExact(object) ? model(object) : nullptr;
        if (!array) return weak_value(object, number);
        values = data_of<T>(array), step = 1;
        return PyArray_DESCR(array) == PyArray_DESCR(like) && same_shape(array, like);
    }
    npy_intp size(npy_intp count) const { return step ? count : 1; }
};
template <class T> PyObject* normal_of(Call args, PyArrayObject* like) {
    Parameter<T> mean, deviation;
    if (!mean.read(args[2], like) || !deviation.read(args[3], like)) return nullptr;
    int refused = 0;
    for (npy_intp at = 0, count = deviation.size(PyArray_SIZE(like)); at < count; ++at)
        refused |= !(deviation.values[at] >= 0);
    if (refused) return nullptr;
    return drawn(args, descr_of<T>(), PyArray_NDIM(like), PyArray_DIMS(like),
                 [&](Words words, double* kept, PyArrayObject* result) {
                     T* to = data_of<T>(result);
                     // In pieces that stay in the first cache, of whole blocks except the last.
                     constexpr npy_intp piece = 4096;
                     for (npy_intp at = 0, some, count = PyArray_SIZE(result); at < count; at += some) {
                         some = count - at < 2 * piece ? count - at : piece;
                         draw_normal_numbers(words, kept, to + at, some);
                         loops<T>().binary[MULTIPLY](to + at, 1, deviation.values + at * deviation.step, deviation.step,
                                                     to + at, some);
                         loops<T>().binary[ADD](to + at, 1, mean.values + at * mean.step, mean.step, to + at, some);
                     }
                 });
}
// normal_about(generator, forks, mean, std, None)
PyObject* normal_about(Call args) {
    const int mean_or_std = PyArray_CheckExact(args[2]) ? 2 : 3;
    PyArrayObject* like = args[4] == Py_None ? model(args[mean_or_std]) : nullptr;
    if (!like) return nullptr;
    return PyArray_DESCR(like) == float_descr ? normal_of<float>(args, like) : normal_of<double>(args, like);
}

Methods draw_methods({
    WENGERT_ENTRY(randint, "(generator, forks, default, low?, high, size)", randint),
    WENGERT_ENTRY(randperm, "(generator, forks, default, n)", randperm),
    WENGERT_ENTRY(bernoulli, "(generator, forks, self, None, None)", direct<5, bernoulli>),
    WENGERT_ENTRY(normal_about, "(generator, forks, mean, std, None)", direct<5, normal_about>),
});

}  // namespace
}  // namespace wengert
