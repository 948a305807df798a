// Elements of a rank along a dimension, and the most frequent ones, of few elements or in many rows: for the dispatcher
// only.
#include "binding/block.hpp"
#include "binding/memory_order.hpp"
#include "sort/order.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

constexpr npy_intp few = 4096;             // beyond, NumPy's selection by vectors takes less time
constexpr npy_intp most_in_row = 1 << 15;  // of what is put in order by rows, by threads

// The elements of a line as unsigned numbers of the same order.
template <class T> struct KeyOf;
template <> struct KeyOf<float> : FloatKey<uint32_t, 0x7f800000u> {};
template <> struct KeyOf<double> : FloatKey<uint64_t, 0x7ff0000000000000u> {};
template <> struct KeyOf<int64_t> : IntegerKey<uint64_t> {};
template <class T> using Bits = typename KeyOf<T>::Bits;
template <class T> KeyOf<T> key_of() {
    if constexpr (std::is_integral_v<T>)
        return {{0, Bits<T>(1) << 63}};
    else
        return {{0}};
}

template <class T> void keys_of(const T* line, npy_intp count, Bits<T>* keys) {
    const KeyOf<T> key = key_of<T>();
    for (npy_intp i = 0; i < count; ++i) {
        Bits<T> stored;
        std::memcpy(&stored, line + i, sizeof stored);
        keys[i] = key(stored);
    }
}

// Keys in order, of equal ones the earlier first.
template <class Word> const Entry<Word>* in_order(Sorter<Word>& sorter, const Word* keys, npy_intp count) {
    Entry<Word>* entries = sorter.entries();
    for (npy_intp i = 0; i < count; ++i) entries[i] = {keys[i], static_cast<uint32_t>(i)};
    return sorter.sort(static_cast<Word>(~Word(0)));
}

// The key of `rank` among keys that may be moved. Of many, a sample in order gives two that it probably lies between,
// and what does is gathered, without a branch that a processor cannot foresee.
template <class Word> Word key_of_rank(Word* keys, npy_intp count, npy_intp rank) {
    constexpr npy_intp sampled = most_ranked, margin = 10;
    Word sample[sampled];
    while (count >= 4 * sampled) {
        for (npy_intp i = 0; i < sampled; ++i) sample[i] = keys[i * (count / sampled)];
        Sorter<Word> sorter(sampled, 1);
        const Entry<Word>* order = in_order(sorter, sample, sampled);
        const npy_intp first = rank * sampled / count - margin, last = first + 2 * margin;
        const Word low = first < 0 ? Word(0) : order[first].key,
                   high = last < sampled ? order[last].key : static_cast<Word>(~Word(0));
        int below = 0, above = 0;
        for (npy_intp i = 0; i < count; ++i) below += keys[i]<low, above += keys[i]> high;
        if (rank < below || rank >= count - above || below + above < count / 4) break;
        npy_intp kept = 0;
        for (npy_intp i = 0; i < count; ++i) {
            const Word key = keys[i];
            keys[kept] = key;
            kept += static_cast<Word>(key - low) <= static_cast<Word>(high - low);
        }
        count = kept, rank -= below;
    }
    std::nth_element(keys, keys + rank, keys + count);
    return keys[rank];
}
// The first place where the element of `rank` stands; `keys` has room for the line.
template <class T> npy_intp position_of_rank(const T* line, npy_intp count, npy_intp rank, Bits<T>* keys) {
    constexpr npy_intp piece = 64;
    keys_of(line, count, keys);
    const Bits<T> wanted = key_of_rank(keys, count, rank);
    for (npy_intp begin = 0;; begin += piece) {
        const npy_intp some = std::min(piece, count - begin);
        keys_of(line + begin, some, keys);
        Bits<T> prefix = 0;
        for (npy_intp i = 0; i < some; ++i) prefix |= static_cast<Bits<T>>(keys[i] == wanted);
        if (prefix) return begin + (std::find(keys, keys + some, wanted) - keys);
    }
}
template <class T> npy_intp position_of_median(const T* line, npy_intp count, Bits<T>* keys) {
    int strange = 0;
    for (npy_intp i = 0; i < count; ++i) strange |= line[i] != line[i];
    for (npy_intp i = 0; strange && i < count; ++i)
        if (line[i] != line[i]) return i;
    return position_of_rank(line, count, (count - 1) / 2, keys);
}
template <class T> npy_intp position_of_nanmedian(const T* line, npy_intp count, Bits<T>* keys) {
    npy_intp numbers = 0;
    for (npy_intp i = 0; i < count; ++i) numbers += line[i] == line[i] ? 1 : 0;
    return position_of_rank(line, count, numbers ? (numbers - 1) / 2 : 0, keys);
}
// Of the elements that occur most often the smallest, where it is last; each NaN is one by itself.
template <class T> npy_intp position_of_mode(const T* line, npy_intp count, Bits<T>* keys, Sorter<Bits<T>>& sorter) {
    keys_of(line, count, keys);
    const Entry<Bits<T>>* const entries = in_order(sorter, keys, count);
    npy_intp longest = 0, run = 0, mode = 0;
    for (npy_intp i = 0; i < count; ++i) {
        const npy_intp at = entries[i].at;
        run = i > 0 && line[entries[i - 1].at] == line[at] ? run + 1 : 1;
        if (run > longest) longest = run, mode = at;
    }
    return mode;
}

// The elements that find_position(line, its length, room for keys) chooses from private copies of the lines, and their
// positions. Each thread makes its own `find_position`.
template <class T, class MakeFinder>
PyObject* chosen(PyArrayObject* x, const Block& block, bool with_positions, const MakeFinder& make_finder) {
    Owned results[2] = {Owned(new_array(PyArray_DESCR(x), block.ndim, block.shape)),
                        Owned(with_positions ? new_array(int64_descr, block.ndim, block.shape) : nullptr)};
    if (!results[0] || (with_positions && !results[1])) return nullptr;
    const npy_intp count = block.reduced, inner = block.inner;
    const T* const elements = data_of<T>(x);
    T* const values = data_of<T>(results[0].get());
    int64_t* const positions = with_positions ? data_of<int64_t>(results[1].get()) : nullptr;
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(block.outer * inner, 8 * count, [=, &make_finder](npy_intp begin, npy_intp end) {
            std::vector<T> room(static_cast<size_t>(count));
            std::vector<Bits<T>> keys(static_cast<size_t>(count));
            auto find_position = make_finder();
            for (npy_intp at = begin; at < end; ++at) {
                const T* first = elements + at / inner * count * inner + at % inner;
                for (npy_intp i = 0; i < count; ++i) room[static_cast<size_t>(i)] = first[i * inner];
                const npy_intp position = find_position(room.data(), count, keys.data());
                values[at] = room[static_cast<size_t>(position)];
                if (positions) positions[at] = position;
            }
        });
    }
    return with_positions ? give_tuple(results, 2) : results[0].give();
}

// compute(a zero of the dtype, array, block) for few numbers of a dtype that is known, or many in rows of at most
// `in_row`.
template <class Compute>
PyObject* over(PyObject* object, PyObject* dim, PyObject* keepdim, npy_intp in_row, const Compute& compute) {
    PyArrayObject* x = plain(object);
    Block block;
    if (!x || PyArray_SIZE(x) == 0 || !find_dims(x, dim, keepdim, block)) return nullptr;
    if (PyArray_SIZE(x) > few && (block.inner != 1 || block.reduced > in_row)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return compute(float(), x, block);
    if (descr == double_descr) return compute(double(), x, block);
    return descr == int64_descr ? compute(int64_t(), x, block) : nullptr;
}

enum Choice { MEDIAN, NANMEDIAN, MODE };

template <Choice choice>
PyObject* chosen_along(PyObject* object, PyObject* dim, PyObject* keepdim, bool with_positions) {
    return over(
        object, dim, keepdim, choice == MODE ? most_in_row : 0, [=](auto zero, PyArrayObject* x, const Block& block) {
            using T = decltype(zero);
            return chosen<T>(x, block, with_positions, [length = block.reduced] {
                std::unique_ptr<Sorter<Bits<T>>> sorter(choice == MODE ? new Sorter<Bits<T>>(length, 1) : nullptr);
                return [sorter = std::move(sorter)](const T* line, npy_intp count, Bits<T>* keys) {
                    if constexpr (choice == MODE)
                        return position_of_mode(line, count, keys, *sorter);
                    else if constexpr (choice == MEDIAN)
                        return position_of_median(line, count, keys);
                    else
                        return position_of_nanmedian(line, count, keys);
                };
            });
        });
}
// (self, dim, keepdim)
template <Choice choice> PyObject* along(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] {
        return nargs == 3 && PyLong_CheckExact(args[1]) ? chosen_along<choice>(args[0], args[1], args[2], true)
                                                        : nullptr;
    });
}
// (self): of all
template <Choice choice> PyObject* of_all(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 1 ? chosen_along<choice>(args[0], Py_None, Py_False, false) : nullptr; });
}
// (self, k, dim, keepdim)
PyObject* kthvalue(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        npy_intp rank = 0;
        if (nargs != 4 || !PyLong_CheckExact(args[2]) || !as_index(args[1], rank)) return nullptr;
        return over(args[0], args[2], args[3], 0, [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
            using T = decltype(zero);
            if (rank < 1 || rank > block.reduced) return nullptr;
            return chosen<T>(x, block, true, [=] {
                return [=](const T* line, npy_intp count, Bits<T>* keys) {
                    return position_of_rank(line, count, rank - 1, keys);
                };
            });
        });
    });
}

Methods rank_methods({
    WENGERT_ENTRY(median_along, "(self, dim, keepdim): values and places", on_contiguous<along<MEDIAN>>),
    WENGERT_ENTRY(nanmedian_along, "(self, dim, keepdim): values and places", on_contiguous<along<NANMEDIAN>>),
    WENGERT_ENTRY(mode_along, "(self, dim, keepdim): values and places", on_contiguous<along<MODE>>),
    WENGERT_ENTRY(kthvalue_along, "(self, k, dim, keepdim): values and places", on_contiguous<kthvalue>),
    direct_method("direct_median_full", on_contiguous<of_all<MEDIAN>>, "the median of all elements, or NotImplemented"),
    direct_method("direct_nanmedian_full", on_contiguous<of_all<NANMEDIAN>>,
                  "the median of all that is not NaN, or NotImplemented"),
});

}  // namespace
}  // namespace wengert
