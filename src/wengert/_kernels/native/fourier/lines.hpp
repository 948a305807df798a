// Fourier transforms along one dimension of any array: of a vector of lines at a time, or of one long line in two
// steps, of its columns and of its rows. No Python here.
#pragma once

#include <memory>
#include <vector>

#include "fourier/plan.hpp"
#include "base/threads.hpp"

namespace wengert {

// One side of the transform of a line: number k begins at data[k * step], its imaginary part lies `part` behind.
template <class T> struct FourierSide {
    T* data;
    index_t step, part;
    FourierLines<T> lines(const index_t* at, index_t used) const { return {data, at, used, step, part}; }
};
// With real and imaginary parts exchanged, which makes an inverse transform of a forward one.
template <class T> FourierSide<T> swapped(FourierSide<T> side) {
    return {side.data + side.part, side.step, -side.part};
}

// Scratch for a vector of lines, and as much again for the passes.
template <class T> struct FourierScratch {
    explicit FourierScratch(index_t count) {
        const size_t room = static_cast<size_t>(2 * (count + 1) * loops<T>().lanes);
        memory.reset(new T[2 * room + 16]);
        points = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64) % 64 / sizeof(T);
        spare = points + room;
    }
    std::unique_ptr<T[]> memory;
    T *points, *spare;
};

constexpr index_t longest_line = 4096;  // points of a line whose scratch stays in a processor's second cache
constexpr index_t most_lanes = 16;

// Gives body the first line, the number of lines and scratch of each vector of lines, on any threads.
template <class T, class Body> void over_groups(index_t lines, index_t length, const Body& body) {
    const index_t lanes = loops<T>().lanes;
    parallel_for((lines + lanes - 1) / lanes, (Size(64) * length).value_or_most(), [&](index_t begin, index_t end) {
        FourierScratch<T> scratch(length);
        for (index_t group = begin; group < end; ++group)
            body(group * lanes, lines - group * lanes < lanes ? lines - group * lanes : lanes, scratch);
    });
}

// ---- one long line -------------------------------------------------------------------------------------------------
// count = rows * columns: the columns are transformed, turned, and then the rows (D. H. Bailey, FFTs in external or
// hierarchical memory, 1990).
template <class T> class LongLine {
public:
    explicit LongLine(index_t count)
        : count_(count),
          rows_(part_of(count)),
          columns_(count / rows_),
          circle_(count),
          down_(rows_),
          across_(columns_) {}
    // Whether two factors are good: enough columns for a vector, whose lengths passes know and scratch holds.
    static bool knows(index_t count) {
        const index_t rows = part_of(count), columns = count / rows;
        return rows >= loops<T>().lanes && columns <= longest_line && !radices_of(count).empty();
    }
    void transform(FourierSide<const T> from, FourierSide<T> to, T weight) const {
        std::unique_ptr<T[]> middle(new T[static_cast<size_t>(2 * count_)]);
        over_groups<T>(columns_, rows_, [&](index_t first, index_t used, FourierScratch<T>& scratch) {
            const FourierSide<const T> columns = {from.data, from.step * columns_, from.part};
            T* points = passed(down_, columns, first * from.step, from.step, used, scratch);
            transpose_pass(points, first);
            write(points, rows_, T(1), {middle.get(), 2 * columns_, 1}, 2 * first, 2, used);
        });
        over_groups<T>(rows_, columns_, [&](index_t first, index_t used, FourierScratch<T>& scratch) {
            const T* points = passed(across_, {middle.get(), 2, 1}, 2 * columns_ * first, 2 * columns_, used, scratch);
            write(points, columns_, weight, {to.data, to.step * rows_, to.part}, first * to.step, to.step, used);
        });
    }

private:
    // The factor that is nearest to the square root, from below.
    static index_t part_of(index_t count) {
        index_t best = 1;
        for (index_t part = 2; part * part <= count && part <= longest_line; ++part)
            if (count % part == 0) best = part;
        return best;
    }
    // Of lines that begin `line_step` from each other.
    static T* passed(const FourierPlan<T>& plan, FourierSide<const T> from, index_t begin, index_t line_step,
                     index_t used, FourierScratch<T>& scratch) {
        index_t at[most_lanes];
        for (index_t lane = 0; lane < used; ++lane) at[lane] = begin + lane * line_step;
        loops<T>().fourier_read(from.lines(at, used), plan.passes().count, scratch.points);
        return loops<T>().fourier_passes(plan.passes(), scratch.points, scratch.spare);
    }
    static void write(const T* points, index_t count, T weight, FourierSide<T> to, index_t begin, index_t line_step,
                      index_t used) {
        index_t at[most_lanes];
        for (index_t lane = 0; lane < used; ++lane) at[lane] = begin + lane * line_step;
        loops<T>().fourier_write(points, count, weight, weight, to.lines(at, used));
    }
    // Number k of the columns from `first` on, times the root of the column's number times k.
    void transpose_pass(T* points, index_t first) const {
        constexpr index_t fine_count = 32;
        const index_t lanes = loops<T>().lanes, blocks = (rows_ + fine_count - 1) / fine_count;
        std::vector<T> fine(static_cast<size_t>(2 * lanes * fine_count)),
            coarse(static_cast<size_t>(2 * lanes * blocks));
        const auto put = [&](std::vector<T>& table, index_t k, index_t step) {
            for (index_t lane = 0; lane < lanes; ++lane) {
                const Root root = circle_.at((first + lane) * step % count_);
                table[static_cast<size_t>(2 * lanes * k + lane)] = static_cast<T>(root.re);
                table[static_cast<size_t>(2 * lanes * k + lanes + lane)] = static_cast<T>(root.im);
            }
        };
        for (index_t k = 0; k < fine_count; ++k) put(fine, k, k);
        for (index_t k = 0; k < blocks; ++k) put(coarse, k, k * fine_count);
        loops<T>().multiply_by_roots(points, rows_, fine.data(), fine_count, coarse.data());
    }

    index_t count_, rows_, columns_;
    Circle circle_;
    FourierPlan<T> down_, across_;
};

}  // namespace wengert
