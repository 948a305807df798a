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
constexpr npy_intp plain_unit = 8 * Fusion::block;  // elements that are worth a thread

}  // namespace

// Where the operands begin for one thread, and its own memory: buffers, and sums of parts.
class BlockMemory {
public:
    explicit BlockMemory(const Fusion& fusion)
        : bases(fusion.operands.size()), sums(static_cast<size_t>(fusion.sums) * row_part_sums) {
        constexpr uintptr_t line = 64;
        const npy_intp size = std::min(Fusion::block, (fusion.count + 63) / 64 * 64) * fusion.itemsize;
        size_ = fusion.buffers * size + static_cast<npy_intp>(line);
        buffers_ = scratch<char>(size_);
        const auto address = reinterpret_cast<uintptr_t>(buffers_.get());
        char* const first = buffers_.get() + (line - address % line) % line;
        for (size_t at = 0; at < bases.size(); ++at) {
            const FusedOperand& operand = fusion.operands[at];
            if (operand.kind == FusedOperand::BUFFER) bases[at] = first + operand.number * size;
            if (operand.kind == FusedOperand::SUMS)
                bases[at] = reinterpret_cast<char*>(sums.data() + operand.number * row_part_sums);
        }
    }
    // Whether to keep it for the next run: larger memory comes from the reserve.
    bool is_kept() const { return size_ < static_cast<npy_intp>(least_kept); }

    std::vector<char*> bases;
    std::vector<double> sums;

private:
    npy_intp size_;
    Scratch<char> buffers_;
};

KeptMemory::~KeptMemory() { delete memory_.load(); }

namespace {

// The memory of one thread while it runs: that of the last run, if no other thread has it.
class OwnMemory {
public:
    explicit OwnMemory(const Fusion& fusion) : kept_(fusion.memory), memory_(kept_.take()) {
        if (!memory_) memory_.reset(new BlockMemory(fusion));
    }
    ~OwnMemory() {
        if (memory_->is_kept()) kept_.put(memory_.release());
    }
    OwnMemory(const OwnMemory&) = delete;
    OwnMemory& operator=(const OwnMemory&) = delete;
    BlockMemory* operator->() const { return memory_.get(); }

private:
    KeptMemory& kept_;
    std::unique_ptr<BlockMemory> memory_;
};

class Blocks {
public:
    Blocks(const Fusion& fusion, PyObject* const* registers, char* const* results)
        : fusion_(fusion),
          unit_(fusion.sums ? sum_unit : plain_unit),
          units_((fusion.count - 1) / unit_ + 1),
          bases_(fusion.operands.size()),
          unit_totals_(static_cast<size_t>(units_) * static_cast<size_t>(fusion.sums)) {
        if (fusion.tests) answers_.reset(new std::atomic<bool>[static_cast<size_t>(fusion.tests)]);
        for (int test = 0; test < fusion.tests; ++test) answers_[static_cast<size_t>(test)].store(false);
        for (const int number : fusion.moving) {
            const FusedOperand& operand = fusion.operands[static_cast<size_t>(number)];
            bases_[static_cast<size_t>(number)] = operand.kind == FusedOperand::RESULT
                                                      ? results[operand.number]
                                                      : PyArray_BYTES(as_array(registers[operand.number]));
        }
    }
    bool run() {
        parallel_for(units_, unit_ * fusion_.cost, [this](npy_intp begin, npy_intp end) { run_units(begin, end); });
        if (refused_.load()) return false;
        for (const FusedPart& part : fusion_.parts)
            if (part.test >= 0 && answers_[static_cast<size_t>(part.test)].load() != part.expected) return false;
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
    void run_units(npy_intp begin, npy_intp end) {
        const OwnMemory own(fusion_);
        for (npy_intp unit = begin; unit < end && !refused_.load(std::memory_order_relaxed); ++unit) {
            std::fill(own->sums.begin(), own->sums.end(), 0.0);
            const npy_intp first = unit * unit_, last = std::min(first + unit_, fusion_.count);
            for (const int number : fusion_.moving) {
                const auto at = static_cast<size_t>(number);
                own->bases[at] = bases_[at] + first * fusion_.operands[at].step;
            }
            for (npy_intp at = first; at < last; at += Fusion::block) {
                if (!run_block(own->bases.data(), std::min(Fusion::block, last - at))) {
                    refused_.store(true, std::memory_order_relaxed);
                    return;
                }
                for (const int number : fusion_.moving)
                    own->bases[static_cast<size_t>(number)] +=
                        Fusion::block * fusion_.operands[static_cast<size_t>(number)].step;
            }
            keep_totals(own->sums.data(), unit);
        }
    }
    // False if a test has another answer than that expected.
    bool run_block(char* const* bases, npy_intp count) {
        for (const FusedPart& part : fusion_.parts) {
            const ElementNotes& work = part.call->work;
            char* at[ElementNotes::most_operands];
            for (int k = 0; k < ElementNotes::most_operands; ++k) at[k] = bases[part.operands[k]];
            if (!work.run(work.function, at, count)) continue;
            if (!part.expected) return false;
            answers_[static_cast<size_t>(part.test)].store(true, std::memory_order_relaxed);
        }
        return true;
    }
    void keep_totals(const double* sums, npy_intp unit) {
        for (const FusedResult& result : fusion_.results) {
            if (result.sum < 0) continue;
            const ElementNotes& work = result.summed->work;
            unit_totals_[static_cast<size_t>(unit * fusion_.sums + result.sum)] =
                work.total(work.function, sums + result.sum * row_part_sums);
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
    const ReleaseGil unlocked(fusion.count >= thread_threshold);
    if (!blocks.run()) return false;
    for (int sum = 0; sum < fusion.sums; ++sum) totals[sum] = blocks.total(sum);
    return true;
}

}  // namespace wengert
