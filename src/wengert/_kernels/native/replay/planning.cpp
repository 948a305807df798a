// Which calls of a list are fused.
#include "replay/fusion.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "replay/calls.hpp"

namespace wengert {

// ---- what a call does ----------------------------------------------------------------------------------------------

namespace {

// The operand of a call that lies at an address; `of_nothing` if it is not known which.
int operand_at(const void* data, PyObject* const* registers, const Operands& operands) {
    int found = ElementCall::of_nothing;
    for (size_t at = 0; at < operands.count; ++at) {
        if (PyArray_BYTES(as_array(registers[operands.places[at]])) != data) continue;
        if (found >= 0 && operands.places[found] != operands.places[at]) return ElementCall::of_nothing;
        if (found < 0) found = static_cast<int>(at);
    }
    return found;
}
// Whether the operands are arrays of numbers.
bool are_numbers(PyObject* const* registers, const Operands& operands) {
    for (size_t at = 0; at < operands.count; ++at) {
        PyObject* object = registers[operands.places[at]];
        if (!PyArray_CheckExact(object) || PyArray_NDIM(as_array(object)) > Memory::most_dims ||
            PyArray_DESCR(as_array(object)) != descr_of_number(as_array(object)))
            return false;
    }
    return operands.count > 0;
}
// Whether all operands of a call are those of its work.
bool are_used(const ElementCall& call, const Operands& operands) {
    for (size_t at = 0; at < operands.count; ++at) {
        bool used = false;
        for (int k = 0; k < call.work.operand_count && !used; ++k)
            used = call.sources[k] >= 0 && operands.places[call.sources[k]] == operands.places[at];
        if (!used) return false;
    }
    return true;
}
// Whether the result is a new array of all elements in row-major order, the first operand, or a sum.
bool has_usual_result(const ElementCall& call, const Call& listed, PyArrayObject* result) {
    const ElementNotes& work = call.work;
    if (work.kind != ElementNotes::MAP)
        return listed.kind == (work.kind == ElementNotes::TEST ? COMPARES_RESULT : RETURNS);
    const Elements& last = work.operands[work.operand_count - 1];
    const int source = call.sources[work.operand_count - 1];
    if (listed.kind == WRITES) return source == 0 && last.step > 0;
    return listed.kind == RETURNS && source == ElementCall::of_result && is_row_major(result) &&
           PyArray_SIZE(result) == work.count && PyArray_ITEMSIZE(result) == last.step;
}

}  // namespace

std::shared_ptr<const ElementCall> element_call(const Call& call, const WorkNotes& notes, PyObject* const* registers,
                                                const Operands& operands, PyArrayObject* result) {
    const bool alone = notes.work_count == (notes.elements.kind == ElementNotes::TEST ? 0 : 1);
    if (!notes.complete || !alone || !are_numbers(registers, operands)) return nullptr;
    auto known = std::make_shared<ElementCall>();
    known->work = notes.elements;
    for (int k = 0; k < notes.elements.operand_count; ++k) {
        const void* data = notes.elements.operands[k].data;
        const bool is_result = result && call.kind == RETURNS && data == PyArray_BYTES(result);
        known->sources[k] = is_result ? ElementCall::of_result : ElementCall::of_nothing;
        if (!data || is_result) continue;
        known->sources[k] = operand_at(data, registers, operands);
        if (known->sources[k] < 0) return nullptr;
    }
    if (!are_used(*known, operands) || !has_usual_result(*known, call, result)) return nullptr;
    if (result && operand_at(PyArray_BYTES(result), registers, operands) >= 0) return nullptr;
    for (size_t at = 0; at < operands.count; ++at)
        known->operands.emplace_back(as_array(registers[operands.places[at]]));
    return known;
}

// ---- which calls belong together -----------------------------------------------------------------------------------

namespace {

constexpr size_t most_parts = 128, most_others = 64;
constexpr npy_intp least_work = 8192;  // elements of all parts together, below which it takes longer to begin

// All registers that a call reads, those in sequences among them.
std::vector<int32_t> places_of(const Calls& calls, size_t number) {
    const Step& step = calls.steps[number];
    std::vector<int32_t> places(calls.places.begin() + step.operands, calls.places.begin() + step.frees);
    for (const Argument& argument : calls.call_of(step).arguments)
        if (argument.elements)
            for (const Argument& element : *argument.elements)
                if (element.place >= 0) places.push_back(element.place);
    return places;
}
npy_intp bytes_of(const Calls& calls, size_t number) {
    const Call& call = calls.call_at(number);
    npy_intp bytes = 0;
    for (size_t at = 0; at < call.layouts.size(); ++at)
        if (calls.result_of(calls.steps[number], at).place >= 0)
            bytes += PyArray_NBYTES(as_array(call.layouts[at].get()));
    return bytes;
}

// A stretch of calls, of which those in `parts` may be fused, if the others are called before or after them.
class Window {
public:
    // `bytes`: of the register's arrays.
    Window(const Calls& calls, size_t first, const std::vector<npy_intp>& bytes)
        : calls_(calls), first_(first), bytes_(bytes) {
        while (first_ + roles_.size() < calls.steps.size() && add(first_ + roles_.size())) {}
    }
    // The fusion of as many calls as possible; null if there is none.
    std::shared_ptr<Fusion> fusion() const {
        for (size_t end = ends_.size(); end >= 2; --end)
            if (std::shared_ptr<Fusion> known = up_to(ends_[end - 1])) return known;
        return nullptr;
    }

private:
    enum Role { PART, BEFORE, AFTER };
    // What is known of a register in the window.
    struct Register {
        bool defined = false, by_part = false;               // by a call of the window; by one that is fused
        bool read = false, late = false, read_late = false;  // late: it depends on parts, and is no part
        npy_intp step = 0;                                   // bytes of an element of a part's result
    };

    const ElementCall* work_of(size_t at) const { return calls_.elements_at(at); }
    std::vector<int32_t> operands_of(size_t at) const {
        const Step& step = calls_.steps[at];
        return {calls_.places.begin() + step.operands, calls_.places.begin() + step.frees};
    }
    // False if the call ends the window.
    bool add(size_t at) {
        const Call& call = calls_.call_at(at);
        for (size_t number = 0; number < call.layouts.size(); ++number) {
            const int32_t place = calls_.result_of(calls_.steps[at], number).place;
            if (place >= 0 && (registers_[place].defined || registers_[place].read)) return false;
        }
        if (is_part(at)) {
            if (++part_count_ > most_parts) return false;
            add_part(at);
            return true;
        }
        const bool is_movable = call.callable.get() && call.is_movable && call.kind != WRITES;
        if (!is_movable || roles_.empty() || roles_.size() - part_count_ >= most_others) return false;
        add_other(at);
        return true;
    }
    bool is_part(size_t at) {
        const ElementCall* work = work_of(at);
        if (!work || (!roles_.empty() && work->work.count != work_of(first_)->work.count)) return false;
        const std::vector<int32_t> places = operands_of(at);
        for (size_t k = 0; k < places.size(); ++k)
            if (registers_[places[k]].late) return false;
        for (int k = 0; k < work->work.operand_count; ++k) {
            const int source = work->sources[k];
            const Register* known = source >= 0 ? &registers_[places[static_cast<size_t>(source)]] : nullptr;
            if (known && known->by_part && known->step != work->work.operands[k].step) return false;
        }
        if (calls_.call_at(at).kind != WRITES) return true;
        const Register& target = registers_[places[0]];
        return target.by_part && !target.read_late;
    }
    void add_part(size_t at) {
        const Call& call = calls_.call_at(at);
        const ElementNotes& work = work_of(at)->work;
        for (const int32_t place : operands_of(at)) registers_[place].read = true;
        if (call.kind == RETURNS) {
            Register& result = registers_[calls_.steps[at].place];
            result.defined = true;
            // Of a sum nothing is known before the end.
            result.by_part = work.kind == ElementNotes::MAP, result.late = !result.by_part;
            result.step = work.operands[work.operand_count - 1].step;
        }
        roles_.push_back(PART);
        ends_.push_back(first_ + roles_.size());
    }
    void add_other(size_t at) {
        const std::vector<int32_t> places = places_of(calls_, at);
        bool late = false;
        for (const int32_t place : places) late = late || registers_[place].late || registers_[place].by_part;
        for (const int32_t place : places) {
            registers_[place].read = true;
            registers_[place].read_late = registers_[place].read_late || late;
        }
        for (size_t number = 0; number < calls_.call_at(at).layouts.size(); ++number) {
            const int32_t place = calls_.result_of(calls_.steps[at], number).place;
            if (place >= 0) registers_[place].defined = true, registers_[place].late = late;
        }
        roles_.push_back(late ? AFTER : BEFORE);
    }
    std::shared_ptr<Fusion> up_to(size_t end) const;

    const Calls& calls_;
    const size_t first_;
    const std::vector<npy_intp>& bytes_;
    std::vector<Role> roles_;
    std::vector<size_t> ends_;  // behind the parts
    size_t part_count_ = 0;
    std::map<int32_t, Register> registers_;
    friend class Plan;
};

// The plan of a fusion of the calls from `first` up to `end`.
class Plan {
public:
    Plan(const Window& window, size_t end) : window_(window), calls_(window.calls_), end_(end) {}
    std::shared_ptr<Fusion> fusion() {
        look_at_uses();
        find_needed();
        plan_->first = static_cast<uint32_t>(window_.first_), plan_->end = static_cast<uint32_t>(end_);
        plan_->count = window_.work_of(window_.first_)->work.count;
        const bool is_worth_it =
            needed_.size() >= 2 && static_cast<npy_intp>(needed_.size()) * plan_->count >= least_work;
        if (!is_worth_it || !saves_memory()) return nullptr;
        for (size_t at = window_.first_; at < end_; ++at) {
            if (role(at) == Window::BEFORE) plan_->before.push_back(static_cast<uint32_t>(at));
            if (role(at) == Window::AFTER) plan_->after.push_back(static_cast<uint32_t>(at));
        }
        for (const size_t at : needed_) add_part(at);
        return plan_;
    }

private:
    struct Use {
        bool freed = false, by_others = false;
        size_t last = 0;  // the last part that is needed and uses it
    };

    Window::Role role(size_t at) const { return window_.roles_[at - window_.first_]; }
    void look_at_uses() {
        for (size_t at = window_.first_; at < end_; ++at) {
            const Step& step = calls_.steps[at];
            for (uint32_t k = step.frees; k < step.end; ++k) uses_[calls_.places[k]].freed = true;
            if (role(at) == Window::PART) continue;
            for (const int32_t place : places_of(calls_, at)) uses_[place].by_others = true;
        }
    }
    // Whether somebody reads a register that is no part of the fusion.
    bool is_kept(int32_t place) const {
        const auto known = uses_.find(place);
        return known == uses_.end() || !known->second.freed || known->second.by_others;
    }
    // The register that a part writes to; -1 for a test.
    int32_t target_of(size_t at) const {
        const Call& call = calls_.call_at(at);
        if (call.kind == WRITES) return window_.operands_of(at)[0];
        return call.kind == RETURNS ? calls_.steps[at].place : -1;
    }
    // The parts without which a result, or a test, would not be what it is.
    void find_needed() {
        std::map<int32_t, bool> used;
        for (size_t at = end_; at-- > window_.first_;) {
            if (role(at) != Window::PART) continue;
            const int32_t target = target_of(at);
            if (target >= 0 && !is_kept(target) && !used[target]) continue;
            needed_.push_back(at);
            for (const int32_t place : window_.operands_of(at)) {
                used[place] = true;
                uses_[place].last = std::max(uses_[place].last, at);
            }
            if (target >= 0) uses_[target].last = std::max(uses_[target].last, at);
        }
        std::reverse(needed_.begin(), needed_.end());
    }
    // Whether all arrays that are kept until the end take no more memory than those that the calls would have had at
    // some time.
    bool saves_memory() const {
        npy_intp now = 0, most = 0, fused = 0;
        for (size_t at = window_.first_; at < end_; ++at) {
            const npy_intp bytes = bytes_of(calls_, at);
            now += bytes;
            most = std::max(most, now);
            const bool in_buffer = role(at) == Window::PART && target_of(at) >= 0 && !is_kept(target_of(at));
            if (!in_buffer) fused += bytes;
            for (uint32_t k = calls_.steps[at].frees; k < calls_.steps[at].end; ++k)
                now -= window_.bytes_[static_cast<size_t>(calls_.places[k])];
        }
        return fused <= most;
    }

    int add_operand(FusedOperand::Kind kind, int32_t number, npy_intp step) {
        const auto at = static_cast<int>(plan_->operands.size());
        plan_->operands.push_back({kind, number, step});
        if (kind == FusedOperand::OUTSIDE || kind == FusedOperand::RESULT) plan_->moving.push_back(at);
        return at;
    }
    // The operand for a register that a part fills.
    int add_target(size_t at, npy_intp size) {
        const int32_t place = target_of(at);
        if (is_kept(place)) {
            plan_->results.push_back({static_cast<uint32_t>(at), -1, nullptr});
            return add_operand(FusedOperand::RESULT, static_cast<int32_t>(plan_->results.size()) - 1, size);
        }
        int32_t buffer = plan_->buffers;
        if (free_buffers_.empty()) {
            ++plan_->buffers;
        } else {
            buffer = free_buffers_.back();
            free_buffers_.pop_back();
        }
        buffer_of_[place] = buffer;
        return add_operand(FusedOperand::BUFFER, buffer, 0);
    }
    int operand_of(const FusedPart& part, size_t at, int k) {
        const Elements& elements = part.call->work.operands[k];
        const int source = part.call->sources[k];
        if (source == ElementCall::of_nothing) return 0;
        if (source == ElementCall::of_result) return filled_[target_of(at)] = add_target(at, elements.step);
        const int32_t place = window_.operands_of(at)[static_cast<size_t>(source)];
        const auto filled = filled_.find(place);
        if (filled != filled_.end()) return filled->second;
        const auto known = outside_.find({place, elements.step});
        if (known != outside_.end()) return known->second;
        return outside_[{place, elements.step}] = add_operand(FusedOperand::OUTSIDE, place, elements.step);
    }
    void add_part(size_t at) {
        FusedPart part{calls_.elements[at], {}};
        const ElementNotes& work = part.call->work;
        for (int k = 0; k < work.operand_count; ++k) {
            part.operands[k] = operand_of(part, at, k);
            plan_->itemsize = std::max(plan_->itemsize, work.operands[k].step);
        }
        if (work.kind == ElementNotes::TEST)
            part.test = plan_->tests++, part.expected = calls_.call_at(at).expected.get() == Py_True;
        if (work.kind == ElementNotes::SUM) {
            plan_->results.push_back({static_cast<uint32_t>(at), plan_->sums, part.call});
            part.operands[1] = add_operand(FusedOperand::SUMS, plan_->sums++, 0);
        }
        plan_->cost += work.cost;
        plan_->parts.push_back(part);
        add_guards(at, part.call);
        for (auto buffer = buffer_of_.begin(); buffer != buffer_of_.end();)
            if (uses_[buffer->first].last == at) {
                free_buffers_.push_back(buffer->second);
                buffer = buffer_of_.erase(buffer);
            } else {
                ++buffer;
            }
    }
    // What was there before must be what the work was noted for; the results of parts are.
    void add_guards(size_t at, const std::shared_ptr<const ElementCall>& call) {
        const std::vector<int32_t> places = window_.operands_of(at);
        for (size_t k = 0; k < places.size(); ++k)
            if (filled_.find(places[k]) == filled_.end()) plan_->guards.push_back({places[k], call, k});
    }

    const Window& window_;
    const Calls& calls_;
    const size_t end_;
    std::shared_ptr<Fusion> plan_ = std::make_shared<Fusion>();
    std::map<int32_t, Use> uses_;
    std::vector<size_t> needed_;
    std::map<int32_t, int> filled_;                        // operands, by the registers that parts have filled
    std::map<std::pair<int32_t, npy_intp>, int> outside_;  // operands, by register and step
    std::map<int32_t, int32_t> buffer_of_;
    std::vector<int32_t> free_buffers_;
};

std::shared_ptr<Fusion> Window::up_to(size_t end) const { return Plan(*this, end).fusion(); }

}  // namespace

void plan_fusions(Calls& calls) {
    for (Step& step : calls.steps) step.fusion = -1;
    calls.fusions.clear();
    std::vector<npy_intp> bytes(static_cast<size_t>(calls.registers));
    for (const Step& step : calls.steps)
        for (size_t number = 0; number < calls.call_of(step).layouts.size(); ++number) {
            const int32_t place = calls.result_of(step, number).place;
            if (place < 0) continue;
            bytes[static_cast<size_t>(place)] = PyArray_NBYTES(as_array(calls.call_of(step).layouts[number].get()));
        }
    for (size_t at = 0; at < calls.steps.size();) {
        std::shared_ptr<Fusion> fusion;
        if (calls.elements_at(at) && calls.steps[at].kind != WRITES) fusion = Window(calls, at, bytes).fusion();
        if (fusion) {
            calls.steps[at].fusion = static_cast<int32_t>(calls.fusions.size());
            at = fusion->end;
            calls.fusions.push_back(std::move(fusion));
        } else {
            ++at;
        }
    }
}

}  // namespace wengert
