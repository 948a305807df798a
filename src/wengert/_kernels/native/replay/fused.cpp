// The loop over blocks.
#include "replay/fusion.hpp"

#include "base/scratch.hpp"
#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace wengert {
namespace {

constexpr npy_intp sum_unit = 65536;                // elements that a sum of a whole array adds up first
constexpr npy_intp plain_unit = 8 * Fusion::block;  // elements that are worth preparing buffers for

class Blocks {
public:
    Blocks(const Fusion& fusion, PyObject* const* registers, char* const* results)
        : fusion_(fusion),
          unit_(fusion.sums ? sum_unit : plain_unit),
          units_((fusion.count - 1) / unit_ + 1),
          bases_(fusion.operands.size()),
          unit_totals_(static_cast<size_t>(units_) * static_cast<size_t>(fusion.sums)),
          answers_(new std::atomic<bool>[static_cast<size_t>(fusion.tests)]) {
        for (int test = 0; test < fusion.tests; ++test) answers_[test].store(false);
        for (size_t at = 0; at < bases_.size(); ++at) {
            const FusedOperand& operand = fusion.operands[at];
            if (operand.kind == FusedOperand::OUTSIDE) bases_[at] = PyArray_BYTES(as_array(registers[operand.number]));
            if (operand.kind == FusedOperand::RESULT) bases_[at] = results[operand.number];
        }
    }
    bool run() {
        parallel_for(units_, unit_ * fusion_.cost, [this](npy_intp begin, npy_intp end) { run_units(begin, end); });
        if (refused_.load()) return false;
        for (const FusedPart& part : fusion_.parts)
            if (part.test >= 0 && answers_[part.test].load() != part.expected) return false;
        return true;
    }
    // The sums of pieces are added in their order, as by `in_pieces`.
    double total(int sum) const {
        const auto at = [=](npy_intp unit) { return static_cast<size_t>(unit * fusion_.sums + sum); };
        if (units_ == 1) return unit_totals_[at(0)];
        double total = 0;
        for (npy_intp unit = 0; unit < units_; ++unit) total += unit_totals_[at(unit)];
        return total;
    }

private:
    // Where the operands begin for one thread: the buffers are its own.
    struct Memory {
        std::vector<char*> bases;
        std::vector<double> sums;
        Scratch<char> buffers;
    };
    Memory memory() const {
        constexpr uintptr_t line = 64;
        const npy_intp size = Fusion::block * fusion_.itemsize;
        Memory own{bases_, std::vector<double>(static_cast<size_t>(fusion_.sums) * row_part_sums),
                   scratch<char>(fusion_.buffers * size + static_cast<npy_intp>(line))};
        const auto address = reinterpret_cast<uintptr_t>(own.buffers.get());
        char* const first = own.buffers.get() + (line - address % line) % line;
        for (size_t at = 0; at < own.bases.size(); ++at) {
            const FusedOperand& operand = fusion_.operands[at];
            if (operand.kind == FusedOperand::BUFFER) own.bases[at] = first + operand.number * size;
            if (operand.kind == FusedOperand::SUMS)
                own.bases[at] = reinterpret_cast<char*>(own.sums.data() + operand.number * row_part_sums);
        }
        return own;
    }
    void run_units(npy_intp begin, npy_intp end) {
        Memory own = memory();
        for (npy_intp unit = begin; unit < end && !refused_.load(std::memory_order_relaxed); ++unit) {
            std::fill(own.sums.begin(), own.sums.end(), 0.0);
            const npy_intp last = std::min((unit + 1) * unit_, fusion_.count);
            for (npy_intp at = unit * unit_; at < last; at += Fusion::block)
                if (!run_block(own, at, std::min(Fusion::block, last - at))) {
                    refused_.store(true, std::memory_order_relaxed);
                    return;
                }
            keep_totals(own, unit);
        }
    }
    // False if a test has another answer than that expected.
    bool run_block(const Memory& own, npy_intp begin, npy_intp count) {
        for (const FusedPart& part : fusion_.parts) {
            const ElementNotes& work = part.call->work;
            char* at[ElementNotes::most_operands];
            for (int k = 0; k < ElementNotes::most_operands; ++k) {
                const int number = part.operands[k];
                at[k] = number < 0 ? nullptr
                                   : own.bases[static_cast<size_t>(number)] +
                                         begin * fusion_.operands[static_cast<size_t>(number)].step;
            }
            if (!work.run(work.function, at, count)) continue;
            if (!part.expected) return false;
            answers_[part.test].store(true, std::memory_order_relaxed);
        }
        return true;
    }
    void keep_totals(const Memory& own, npy_intp unit) {
        for (const FusedResult& result : fusion_.results) {
            if (result.sum < 0) continue;
            const ElementNotes& work = result.summed->work;
            unit_totals_[static_cast<size_t>(unit * fusion_.sums + result.sum)] =
                work.total(work.function, own.sums.data() + result.sum * row_part_sums);
        }
    }

    const Fusion& fusion_;
    const npy_intp unit_, units_;
    std::vector<char*> bases_;
    std::vector<double> unit_totals_;
    std::unique_ptr<std::atomic<bool>[]> answers_;
    std::atomic<bool> refused_{false};
};

}  // namespace

bool run_blocks(const Fusion& fusion, PyObject* const* registers, char* const* results, double* totals) {
    Blocks blocks(fusion, registers, results);
    const ReleaseGil unlocked(true);
    if (!blocks.run()) return false;
    for (int sum = 0; sum < fusion.sums; ++sum) totals[sum] = blocks.total(sum);
    return true;
}

}  // namespace wengert
