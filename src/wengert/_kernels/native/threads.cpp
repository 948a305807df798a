#include "threads.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace wengert {
namespace {

inline void pause_briefly() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

constexpr int waits_before_sleep = 2000;  // some 20 to 50 microseconds: the time between the kernels of a training step

class Pool {
public:
    bool run(PieceFunction body, void* context, index_t pieces, int threads) {
        std::unique_lock<std::mutex> turn(one_job_, std::try_to_lock);
        if (turn.owns_lock()) start_workers(threads - 1);
        if (!turn.owns_lock() || workers_ == 0) return run_alone(body, context, pieces);
        body_ = body, context_ = context, pieces_ = pieces;
        next_.store(0);
        refused_.store(false);
        allowed_.store(threads - 1);
        open_.store(true);
        generation_.fetch_add(1);
        if (sleeping_.load() > 0) {
            { std::lock_guard<std::mutex> lock(sleep_); }
            wake_.notify_all();
        }
        take_pieces();
        open_.store(false);
        for (int waits = 0; inside_.load() > 0; ++waits) {
            if (waits < waits_before_sleep)
                pause_briefly();
            else
                std::this_thread::yield();
        }
        return !refused_.load();
    }

private:
    static bool run_alone(PieceFunction body, void* context, index_t pieces) {
        try {
            for (index_t piece = 0; piece < pieces; ++piece) body(context, piece);
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    void take_pieces() {
        for (index_t piece = next_.fetch_add(1); piece < pieces_; piece = next_.fetch_add(1)) {
            try {
                body_(context_, piece);
            } catch (const std::bad_alloc&) {  // an exception must not leave a thread
                refused_.store(true);
            }
        }
    }

    void start_workers(int wanted) {
        for (; workers_ < wanted; ++workers_) {
            try {
                std::thread(&Pool::work, this, workers_).detach();
            } catch (const std::system_error&) {  // no more threads to be had: do with those that run
                return;
            }
        }
    }

    void work(int number) {
        std::uint64_t seen = 0;
        for (;;) {
            wait_for_job(seen);
            seen = generation_.load();
            // Whoever is counted inside before the job is closed is waited for; whoever comes later finds it closed.
            inside_.fetch_add(1);
            if (open_.load() && number < allowed_.load()) take_pieces();
            inside_.fetch_sub(1);
        }
    }

    void wait_for_job(std::uint64_t seen) {
        for (int waits = 0; waits < waits_before_sleep; ++waits) {
            if (generation_.load() != seen) return;
            pause_briefly();
        }
        std::unique_lock<std::mutex> lock(sleep_);
        sleeping_.fetch_add(1);
        wake_.wait(lock, [&] { return generation_.load() != seen; });
        sleeping_.fetch_sub(1);
    }

    std::mutex one_job_, sleep_;
    std::condition_variable wake_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> sleeping_{0}, inside_{0}, allowed_{0};
    std::atomic<bool> open_{false}, refused_{false};
    std::atomic<index_t> next_{0};
    PieceFunction body_ = nullptr;
    void* context_ = nullptr;
    index_t pieces_ = 0;
    int workers_ = 0;
};

std::atomic<Pool*> pool{nullptr};
std::atomic<int> count{0};

// A forked child has the pool's memory but not its threads: it makes itself a new pool when it needs one. Asked for when
// the library is loaded: what is done once, on first use, another thread may be in the middle of at the fork.
void after_fork_in_child() { pool.store(nullptr); }

#if defined(__unix__) || defined(__APPLE__)
const int asked_for = pthread_atfork(nullptr, nullptr, after_fork_in_child);
#endif

// Never destroyed: its threads may be asleep on it when the process ends.
Pool& the_pool() {
    Pool* found = pool.load();
    if (found) return *found;
    Pool* made = new Pool;
    if (pool.compare_exchange_strong(found, made)) return *made;
    delete made;
    return *found;
}

int default_count() {
    const char* wanted = std::getenv("OMP_NUM_THREADS");
    const long number = wanted ? std::strtol(wanted, nullptr, 10) : 0;
    if (number > 0) return number < 4096 ? static_cast<int>(number) : 4096;
    const unsigned available = std::thread::hardware_concurrency();
    return available ? static_cast<int>(available) : 1;
}

}  // namespace

int thread_count() {
    const int known = count.load(std::memory_order_relaxed);
    if (known) return known;
    const int found = default_count();
    count.store(found, std::memory_order_relaxed);
    return found;
}

void set_thread_count(int wanted) { count.store(wanted); }

bool run_pieces(PieceFunction body, void* context, index_t pieces) {
    return the_pool().run(body, context, pieces, thread_count());
}

}  // namespace wengert
