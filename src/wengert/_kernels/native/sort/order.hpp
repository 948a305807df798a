// Elements in order: each dtype as unsigned numbers of the same order (its keys), and a stable radix sort of such
// numbers. NaN counts as larger than all numbers, zeros of both signs as equal.
#pragma once

#include "binding/direct.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace wengert {

// `flip` is all ones for the opposite order.
template <class Word> struct IntegerKey {
    using Bits = Word;
    Word flip, sign;
    Word operator()(Word stored) const { return static_cast<Word>(stored ^ sign ^ flip); }
    bool is_nan(Word) const { return false; }
};
template <class Word, Word infinity> struct FloatKey {
    using Bits = Word;
    static constexpr Word sign = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1)),
                          all = static_cast<Word>(~Word(0));
    Word flip;
    Word operator()(Word stored) const {
        const Word magnitude = static_cast<Word>(stored & ~sign);
        const Word negative = stored & sign ? all : Word(0);
        const Word key = static_cast<Word>(
            sign + static_cast<Word>((magnitude ^ negative) - negative));  // sign + magnitude, or minus
        return static_cast<Word>((magnitude > infinity ? all : key) ^ flip);
    }
    bool is_nan(Word key) const { return (key ^ flip) == all; }
};

// use(key) with the key of an array's dtype; null for one without.
template <class Use> PyObject* with_key(PyArrayObject* array, bool descending, const Use& use) {
    const int type = PyArray_TYPE(array);
    const auto integer = [&](auto word) -> PyObject* {
        using Word = decltype(word);
        const Word flip = static_cast<Word>(descending ? ~Word(0) : Word(0));
        const Word sign = static_cast<Word>(PyTypeNum_ISSIGNED(type) ? Word(1) << (8 * sizeof(Word) - 1) : Word(0));
        return use(IntegerKey<Word>{flip, sign});
    };
    if (type == NPY_FLOAT) return use(FloatKey<uint32_t, 0x7f800000u>{descending ? ~uint32_t(0) : 0});
    if (type == NPY_DOUBLE) return use(FloatKey<uint64_t, 0x7ff0000000000000u>{descending ? ~uint64_t(0) : 0});
    if (type == NPY_HALF) return use(FloatKey<uint16_t, 0x7c00u>{static_cast<uint16_t>(descending ? 0xffff : 0)});
    if (!PyTypeNum_ISINTEGER(type) && type != NPY_BOOL) return nullptr;
    switch (PyArray_ITEMSIZE(array)) {
        case 1: return integer(uint8_t{});
        case 2: return integer(uint16_t{});
        case 4: return integer(uint32_t{});
        case 8: return integer(uint64_t{});
    }
    return nullptr;
}

constexpr npy_intp most_entries = npy_intp(1) << 31;  // places are kept in 32 bits

template <class Bits> struct Entry {
    Bits key;
    uint32_t at;
};

// At most `most_ranked` keys, and how many of them stand before each in order, of equal ones the earlier.
template <class Bits> class Ranks {
public:
    void put(npy_intp i, Bits key) {
        keys_[i] = static_cast<Word>(key ^ (std::make_unsigned_t<Word>(1) << (8 * sizeof(Word) - 1)));
    }
    void find(npy_intp count) { loops<Real>().ranks(keys_, count, ranks_); }
    npy_intp of(npy_intp i) const { return static_cast<npy_intp>(ranks_[i]); }

private:
    using Real = std::conditional_t<sizeof(Bits) == 8, double, float>;
    using Word = typename SameSize<Real>::Type;
    Word keys_[most_ranked] = {}, ranks_[most_ranked];
};

// Entries that are sorted, in one row or in pieces that threads share, and the memory that this takes.
template <class Bits> class Sorter {
public:
    // `pieces` above 1: threads share the work of a row.
    Sorter(npy_intp count, npy_intp pieces)
        : count_(count),
          pieces_(pieces),
          memory_(new Entry<Bits>[2 * static_cast<size_t>(count)]),
          from_(memory_.get()),
          to_(from_ + count) {}

    Entry<Bits>* entries() { return from_; }

    // Equal keys keep the order in which they stand. `largest`: of the keys, or more.
    const Entry<Bits>* sort(Bits largest) {
        if (count_ <= few) return insert(), from_;
        if (count_ <= most_ranked) return rank(), from_;
        for (digits_ = 0; digits_ < static_cast<int>(8 * sizeof(Bits)) && largest >> digits_;) ++digits_;
        count_ >= many && sizeof(Bits) >= 4 ? run<11>() : run<8>();
        return from_;
    }

    // body(begin, end) over the row, by all threads that share it
    template <class Body> void spread(npy_intp cost, const Body& body) const {
        if (pieces_ == 1) return body(npy_intp{0}, count_);
        parallel_for(pieces_, cost * (count_ / pieces_), [&](npy_intp begin, npy_intp end) {
            for (npy_intp piece = begin; piece < end; ++piece) body(first_of(piece), first_of(piece + 1));
        });
    }

private:
    static constexpr npy_intp few = 8, many = 1 << 15;

    npy_intp first_of(npy_intp piece) const {
        return count_ / pieces_ * piece + (piece == pieces_ ? count_ % pieces_ : 0);
    }

    void insert() {
        for (npy_intp i = 1; i < count_; ++i) {
            const Entry<Bits> moved = from_[i];
            npy_intp at = i;
            for (; at > 0 && from_[at - 1].key > moved.key; --at) from_[at] = from_[at - 1];
            from_[at] = moved;
        }
    }

    void rank() {
        Ranks<Bits> ranks;
        for (npy_intp i = 0; i < count_; ++i) ranks.put(i, from_[i].key);
        ranks.find(count_);
        for (npy_intp i = 0; i < count_; ++i) to_[ranks.of(i)] = from_[i];
        std::swap(from_, to_);
    }

    template <int digit> void run() {
        constexpr size_t bins = size_t(1) << digit;
        starts_.resize(bins * static_cast<size_t>(pieces_));
        for (int shift = 0; shift < digits_; shift += digit) {
            count_digits<digit>(shift);
            if (!find_starts(bins)) continue;
            move<digit>(shift);
            std::swap(from_, to_);
        }
    }

    template <int digit, class Body> void for_each_piece(npy_intp cost, const Body& body) {
        constexpr size_t bins = size_t(1) << digit;
        const auto run_piece = [&](npy_intp piece) {
            body(starts_.data() + static_cast<size_t>(piece) * bins, first_of(piece), first_of(piece + 1));
        };
        if (pieces_ == 1) return run_piece(0);
        parallel_for(pieces_, cost * (count_ / pieces_), [&](npy_intp begin, npy_intp end) {
            for (npy_intp piece = begin; piece < end; ++piece) run_piece(piece);
        });
    }

    template <int digit> void count_digits(int shift) {
        for_each_piece<digit>(1, [=](uint32_t* counts, npy_intp begin, npy_intp end) {
            constexpr size_t bins = size_t(1) << digit;
            std::fill(counts, counts + bins, 0);
            for (npy_intp i = begin; i < end; ++i) ++counts[(from_[i].key >> shift) & (bins - 1)];
        });
    }

    // Counts become the places where each piece begins to write each digit; false if all digits are equal.
    bool find_starts(size_t bins) {
        uint32_t before = 0;
        for (size_t bin = 0; bin < bins; ++bin) {
            const uint32_t begin = before;
            for (size_t at = bin; at < starts_.size(); at += bins) {
                const uint32_t counted = starts_[at];
                starts_[at] = before;
                before += counted;
            }
            if (before - begin == static_cast<uint32_t>(count_)) return false;
        }
        return true;
    }

    template <int digit> void move(int shift) {
        for_each_piece<digit>(4, [=](uint32_t* starts, npy_intp begin, npy_intp end) {
            constexpr size_t bins = size_t(1) << digit;
            for (npy_intp i = begin; i < end; ++i) to_[starts[(from_[i].key >> shift) & (bins - 1)]++] = from_[i];
        });
    }

    npy_intp count_, pieces_;
    std::unique_ptr<Entry<Bits>[]> memory_;
    Entry<Bits>*from_, *to_;
    int digits_ = 0;  // in base 2
    std::vector<uint32_t> starts_;
};

// How many pieces a single row is worth.
inline npy_intp pieces_of_row(npy_intp count) { return count >= 4 * thread_grain ? thread_count() : 1; }

}  // namespace wengert
