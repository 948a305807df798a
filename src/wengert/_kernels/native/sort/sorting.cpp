// Sorting along a dimension, the most extreme elements, distinct elements: for the dispatcher only. Keys are copied
// once, since another thread may rewrite the array; indices are those of the copy and always valid.
#include "binding/memory_order.hpp"
#include "sort/order.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// Many rows, or columns side by side: body(scratch, first element, first element of the result) for each line, by
// threads that have a scratch of their own.
constexpr npy_intp columns = 16;  // that are sorted one after the other while their memory is near
template <class Make, class Body>
void for_each_line(const Line& line, npy_intp result_length, npy_intp cost, const Make& make, const Body& body) {
    const npy_intp groups = (line.inner + columns - 1) / columns;
    const npy_intp width = line.inner < columns ? line.inner : columns;
    parallel_for(line.outer * groups, (Size(line.length) * cost * width).value_or_most(),
                 [&](npy_intp begin, npy_intp end) {
                     auto scratch = make();
                     for (npy_intp group = begin; group < end; ++group) {
                         const npy_intp o = group / groups, first = group % groups * columns,
                                        last = std::min(first + columns, line.inner);
                         for (npy_intp j = first; j < last; ++j)
                             body(scratch, o * line.length * line.inner + j, o * result_length * line.inner + j);
                     }
                 });
}

// ---- sort ----------------------------------------------------------------------------------------------------------
// The keys of a line, counted from the least: those of 64 bits with a small range are sorted as numbers of 32.
template <class Key> class LineSorter {
public:
    using Bits = typename Key::Bits;
    LineSorter(Key key, npy_intp count, npy_intp pieces) : key_(key), count_(count), pieces_(pieces) {}

    // use(entries in order, least key)
    template <class Use> auto sort(const Bits* x, npy_intp step, bool ordered, const Use& use) {
        Bits low = key_(x[0]), high = low;
        for (npy_intp i = 1; i < count_; ++i) {
            const Bits value_key = key_(x[i * step]);
            low = std::min(low, value_key), high = std::max(high, value_key);
        }
        const Bits range = static_cast<Bits>(high - low);
        if constexpr (sizeof(Bits) == 8)
            if (range <= ~uint32_t(0)) return sort_in(narrow_, x, step, ordered, low, range, use);
        return sort_in(own_, x, step, ordered, low, range, use);
    }

private:
    // Another thread may rewrite `x` after its range was found: each key is loaded once and brought into the range.
    template <class Word, class Use>
    auto sort_in(std::unique_ptr<Sorter<Word>>& sorter, const Bits* x, npy_intp step, bool ordered, Bits low,
                 Bits range, const Use& use) {
        if (!sorter) sorter = std::make_unique<Sorter<Word>>(count_, pieces_);
        Entry<Word>* entries = sorter->entries();
        const Key key = key_;
        sorter->spread(2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                entries[i] = {static_cast<Word>(std::min(static_cast<Bits>(key(x[i * step]) - low), range)),
                              static_cast<uint32_t>(i)};
        });
        const Entry<Word>* sorted = ordered ? entries : sorter->sort(static_cast<Word>(range));
        return use(*sorter, sorted, low);
    }

    Key key_;
    npy_intp count_, pieces_;
    std::unique_ptr<Sorter<Bits>> own_;
    std::unique_ptr<Sorter<uint32_t>> narrow_;
};

template <class Key>
void sort_line(LineSorter<Key>& line, const typename Key::Bits* x, npy_intp step, typename Key::Bits* values,
               int64_t* positions) {
    line.sort(x, step, false, [=](const auto& sorter, const auto* sorted, auto) {
        sorter.spread(4, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const npy_intp at = sorted[i].at;
                values[i * step] = x[at * step];
                positions[i * step] = at;
            }
        });
    });
}

// A line of at most `most_ranked` elements.
template <class Key>
void sort_short(Key key, const typename Key::Bits* x, npy_intp step, npy_intp count, typename Key::Bits* values,
                int64_t* positions) {
    typename Key::Bits stored[most_ranked];
    Ranks<typename Key::Bits> ranks;
    for (npy_intp i = 0; i < count; ++i) {
        stored[i] = x[i * step];
        ranks.put(i, key(stored[i]));
    }
    ranks.find(count);
    for (npy_intp i = 0; i < count; ++i) {
        const npy_intp to = ranks.of(i) * step;
        values[to] = stored[i];
        positions[to] = i;
    }
}

template <class Key> PyObject* sorted(PyArrayObject* array, int axis, Key key) {
    using Bits = typename Key::Bits;
    Owned results[2] = {Owned(new_array(PyArray_DESCR(array), PyArray_NDIM(array), PyArray_DIMS(array))),
                        Owned(new_array(int64_descr, PyArray_NDIM(array), PyArray_DIMS(array)))};
    if (!results[0] || !results[1]) return nullptr;
    const Line line = line_of(PyArray_DIMS(array), PyArray_NDIM(array), axis);
    const Bits* x = data_of<Bits>(array);
    Bits* values = data_of<Bits>(results[0].get());
    int64_t* positions = data_of<int64_t>(results[1].get());
    {
        ReleaseGil unlocked(PyArray_SIZE(array) >= 1024);
        if (line.length <= most_ranked) {
            for_each_line(
                line, line.length, 8, [] { return 0; },
                [=](int, npy_intp from, npy_intp to) {
                    sort_short(key, x + from, line.inner, line.length, values + to, positions + to);
                });
        } else if (line.outer == 1 && line.inner == 1) {
            LineSorter<Key> sorter(key, line.length, pieces_of_row(line.length));
            sort_line(sorter, x, 1, values, positions);
        } else {
            for_each_line(
                line, line.length, 16, [=] { return LineSorter<Key>(key, line.length, 1); },
                [=](auto& sorter, npy_intp from, npy_intp to) {
                    sort_line(sorter, x + from, line.inner, values + to, positions + to);
                });
        }
    }
    return give_tuple(results, 2);
}

// A row-major array with a dimension, and elements along it.
PyArrayObject* with_axis(PyObject* object, PyObject* dim, int& axis) {
    PyArrayObject* x = plain(object);
    if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) == 0 || !as_axis(dim, PyArray_NDIM(x), axis)) return nullptr;
    return PyArray_DIM(x, axis) < most_entries ? x : nullptr;
}

// sort_along(self, stable, dim, descending)
PyObject* sort_card(Call args) {
    int axis = 0;
    bool stable = true, descending = false;
    PyArrayObject* x = with_axis(args[0], args[2], axis);
    if (!x || !as_flag(args[3], descending) || (args[1] != Py_None && !as_flag(args[1], stable))) return nullptr;
    return with_key(x, descending, [=](auto key) { return sorted(x, axis, key); });
}

// ---- topk ----------------------------------------------------------------------------------------------------------
// The `count` entries of the least keys, of equal ones the first: candidates are gathered, and thinned out when there
// are twice as many.
template <class Bits> class Least {
public:
    explicit Least(npy_intp count) : count_(static_cast<size_t>(count)), entries_(2 * count_ + 64) {}

    template <class Key> const Entry<Bits>* find(Key key, const Bits* x, npy_intp length, npy_intp step) {
        return count_ <= few ? insert(key, x, length, step) : gather(key, x, length, step);
    }

private:
    static constexpr npy_intp block = 64;
    static constexpr size_t few = 32;

    // Few are kept in order.
    template <class Key> const Entry<Bits>* insert(Key key, const Bits* x, npy_intp length, npy_intp step) {
        Entry<Bits>* kept = entries_.data();
        size_t have = 0;
        for (npy_intp begin = 0; begin < length; begin += block) {
            const npy_intp end = std::min(begin + block, length);
            if (have == count_ && step == 1 && end - begin == block && !any_below(key, x + begin, kept[count_ - 1].key))
                continue;
            for (npy_intp i = begin; i < end; ++i) {
                const Bits value_key = key(x[i * step]);
                if (have == count_ && value_key >= kept[count_ - 1].key) continue;
                size_t at = have < count_ ? have++ : count_ - 1;
                for (; at > 0 && kept[at - 1].key > value_key; --at) kept[at] = kept[at - 1];
                kept[at] = {value_key, static_cast<uint32_t>(i)};
            }
        }
        return kept;
    }

    template <class Key> const Entry<Bits>* gather(Key key, const Bits* x, npy_intp length, npy_intp step) {
        size_t have = 0;
        bool full = false;
        Bits limit = 0;
        for (npy_intp begin = 0; begin < length; begin += block) {
            const npy_intp end = std::min(begin + block, length);
            if (full && step == 1 && end - begin == block && !any_below(key, x + begin, limit)) continue;
            for (npy_intp i = begin; i < end; ++i) {
                const Bits value_key = key(x[i * step]);
                if (full && value_key >= limit) continue;
                entries_[have++] = {value_key, static_cast<uint32_t>(i)};
                if (have < entries_.size()) continue;
                thin(have);
                have = count_, full = true, limit = entries_[count_ - 1].key;
            }
        }
        if (have > count_) thin(have);
        std::sort(entries_.begin(), entries_.begin() + static_cast<npy_intp>(count_), before);
        return entries_.data();
    }

    template <class Key> static bool any_below(Key key, const Bits* x, Bits limit) {
        Bits any = 0;
        for (npy_intp i = 0; i < block; ++i) any |= static_cast<Bits>(key(x[i]) < limit ? ~Bits(0) : Bits(0));
        return any != 0;
    }
    static bool before(const Entry<Bits>& a, const Entry<Bits>& b) {
        return a.key != b.key ? a.key < b.key : a.at < b.at;
    }
    void thin(size_t have) {
        std::nth_element(entries_.begin(), entries_.begin() + static_cast<npy_intp>(count_) - 1,
                         entries_.begin() + static_cast<npy_intp>(have), before);
    }
    size_t count_;
    std::vector<Entry<Bits>> entries_;
};

template <class Key> PyObject* topmost(PyArrayObject* array, int axis, npy_intp count, Key key) {
    using Bits = typename Key::Bits;
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < PyArray_NDIM(array); ++i) shape[i] = i == axis ? count : PyArray_DIM(array, i);
    Owned results[2] = {Owned(new_array(PyArray_DESCR(array), PyArray_NDIM(array), shape)),
                        Owned(new_array(int64_descr, PyArray_NDIM(array), shape))};
    if (!results[0] || !results[1]) return nullptr;
    const Line line = line_of(PyArray_DIMS(array), PyArray_NDIM(array), axis);
    const Bits* x = data_of<Bits>(array);
    Bits* values = data_of<Bits>(results[0].get());
    int64_t* positions = data_of<int64_t>(results[1].get());
    {
        ReleaseGil unlocked(PyArray_SIZE(array) >= 1024);
        for_each_line(
            line, count, 4, [=] { return Least<Bits>(count); },
            [=](auto& least, npy_intp from, npy_intp to) {
                const Entry<Bits>* entries = least.find(key, x + from, line.length, line.inner);
                for (npy_intp i = 0; i < count; ++i) {
                    values[to + i * line.inner] = x[from + static_cast<npy_intp>(entries[i].at) * line.inner];
                    positions[to + i * line.inner] = entries[i].at;
                }
            });
    }
    return give_tuple(results, 2);
}

// topk_along(self, k, dim, largest, sorted)
PyObject* topk_card(Call args) {
    int axis = 0;
    npy_intp count = 0;
    bool largest = false;
    PyArrayObject* x = with_axis(args[0], args[2], axis);
    if (!x || PyArray_TYPE(x) == NPY_BOOL || !as_index(args[1], count) || !as_flag(args[3], largest)) return nullptr;
    if (bool sorted = false; !as_flag(args[4], sorted)) return nullptr;
    const int type = PyArray_TYPE(x);
    if (PyTypeNum_ISUNSIGNED(type) && PyArray_ITEMSIZE(x) > 1) return nullptr;  // refused by the body
    if (count < 1 || count > PyArray_DIM(x, axis)) return nullptr;
    return with_key(x, largest, [=](auto key) { return topmost(x, axis, count, key); });
}

// ---- distinct elements ---------------------------------------------------------------------------------------------
// The runs of equal keys, in order: `firsts` are the entries that begin them.
template <class Key, class Entries>
PyObject* runs(PyArrayObject* array, Key key, Entries entries, typename Key::Bits low) {
    using Bits = typename Key::Bits;
    const npy_intp count = PyArray_SIZE(array);
    std::vector<npy_intp> firsts;
    Owned results[3] = {Owned(), Owned(new_array(int64_descr, PyArray_NDIM(array), PyArray_DIMS(array))), Owned()};
    if (!results[1]) return nullptr;
    int64_t* inverse = data_of<int64_t>(results[1].get());
    for (npy_intp i = 0; i < count; ++i) {
        if (i == 0 || entries[i].key != entries[i - 1].key || key.is_nan(static_cast<Bits>(entries[i].key + low)))
            firsts.push_back(i);
        inverse[entries[i].at] = static_cast<int64_t>(firsts.size()) - 1;
    }
    const npy_intp distinct = static_cast<npy_intp>(firsts.size());
    Owned values(new_array(PyArray_DESCR(array), 1, &distinct)), counts(new_array(int64_descr, 1, &distinct));
    if (!values || !counts) return nullptr;
    const Bits* x = data_of<Bits>(array);
    for (npy_intp i = 0; i < distinct; ++i) {
        const npy_intp first = firsts[static_cast<size_t>(i)];
        data_of<Bits>(values.get())[i] = x[entries[first].at];
        data_of<int64_t>(counts.get())[i] = (i + 1 < distinct ? firsts[static_cast<size_t>(i) + 1] : count) - first;
    }
    Owned all[3] = {Owned(reinterpret_cast<PyArrayObject*>(values.give())),
                    Owned(reinterpret_cast<PyArrayObject*>(results[1].give())),
                    Owned(reinterpret_cast<PyArrayObject*>(counts.give()))};
    return give_tuple(all, 3);
}

// Runs of equal elements in the order of the array; without inverse and counts where these are not needed.
template <class Key> struct Consecutive {
    using Bits = typename Key::Bits;
    Key key;
    const Bits* x;
    npy_intp count;

    bool begins(npy_intp i) const {
        const Bits value_key = key(x[i]);
        return i == 0 || value_key != key(x[i - 1]) || key.is_nan(value_key);
    }
    npy_intp runs() const {
        npy_intp total = 1;
        for (npy_intp i = 1; i < count; ++i) total += begins(i);
        return total;
    }
    // Writes the first element of each run, its position, and the run of each element; returns the number of runs, of
    // which no more than `room` are written: another thread may change the elements meanwhile.
    npy_intp collect(npy_intp room, Bits* values, int64_t* positions, int64_t* numbers) const {
        constexpr npy_intp block = 1024;
        int64_t firsts[block];
        npy_intp total = 0;
        for (npy_intp at = 0; at < count; at += block) {
            const npy_intp last = std::min(at + block, count), before = total;
            npy_intp held = 0;
            for (npy_intp i = at; i < last; ++i) {
                firsts[held] = i;
                held += begins(i);
                if (numbers) numbers[i] = before + held - 1;
            }
            total += held;
            for (npy_intp k = 0, fitting = std::min(held, room - before); k < fitting; ++k) {
                values[before + k] = x[firsts[k]];
                if (positions) positions[before + k] = firsts[k];
            }
        }
        return total;
    }
};
template <class Key> PyObject* consecutive_runs(PyArrayObject* array, Key key, bool inverse, bool counts) {
    using Bits = typename Key::Bits;
    const Consecutive<Key> elements = {key, data_of<Bits>(array), PyArray_SIZE(array)};
    const npy_intp many = [&] {
        ReleaseGil unlocked(elements.count >= thread_threshold);
        return elements.runs();
    }();
    const npy_intp none = 0;
    Owned results[3] = {Owned(new_array(PyArray_DESCR(array), 1, &many)),
                        Owned(inverse ? new_array(int64_descr, PyArray_NDIM(array), PyArray_DIMS(array))
                                      : new_array(int64_descr, 1, &none)),
                        Owned(new_array(int64_descr, 1, counts ? &many : &none))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    int64_t* const positions = counts ? data_of<int64_t>(results[2].get()) : nullptr;
    npy_intp written;
    {
        ReleaseGil unlocked(elements.count >= thread_threshold);
        written = elements.collect(many, data_of<Bits>(results[0].get()), positions,
                                   inverse ? data_of<int64_t>(results[1].get()) : nullptr);
        if (counts && written == many)
            for (npy_intp i = 0; i < many; ++i)
                positions[i] = (i + 1 < many ? positions[i + 1] : elements.count) - positions[i];
    }
    return written == many ? give_tuple(results, 3) : nullptr;
}

// distinct(self, dim, consecutive, inverse, counts), of all elements
PyObject* distinct_card(Call args) {
    PyArrayObject* x = plain(args[0]);
    bool consecutive = false, inverse = false, counts = false;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_SIZE(x) >= most_entries || args[1] != Py_None) return nullptr;
    if (!as_flag(args[2], consecutive) || !as_flag(args[3], inverse) || !as_flag(args[4], counts)) return nullptr;
    return with_key(x, false, [=](auto key) {
        using Bits = typename decltype(key)::Bits;
        if (consecutive) return consecutive_runs(x, key, inverse, counts);
        const npy_intp count = PyArray_SIZE(x);
        LineSorter<decltype(key)> sorter(key, count, pieces_of_row(count));
        std::optional<ReleaseGil> unlocked(count >= 1024);
        return sorter.sort(data_of<Bits>(x), 1, false, [&](const auto&, const auto* entries, Bits low) {
            unlocked.reset();
            return runs(x, key, entries, low);
        });
    });
}

Methods sorting_methods({
    WENGERT_ENTRY(sort_along, "(self, stable, dim, descending)", on_contiguous<direct<4, sort_card>, few_with_gaps>),
    WENGERT_ENTRY(topk_along, "(self, k, dim, largest, sorted)", on_contiguous<direct<5, topk_card>>),
    WENGERT_ENTRY(distinct, "(self, dim, consecutive, inverse, counts)", on_contiguous<direct<5, distinct_card>>),
});

}  // namespace
}  // namespace wengert
