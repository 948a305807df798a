#include "base/threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <system_error>
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

// WebAssembly has no threads unless a program is built for them: starting one would end it.
#if (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)) || (defined(__wasi__) && !defined(_REENTRANT))
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

constexpr int most_threads = 256;         // that share a kernel
constexpr int waits_before_yield = 2000;  // for the last pieces of a job
// How long a thread without work stays awake: as long as it takes from one kernel of a training step to the next. At
// first it keeps its core; then it lets others have it, if there are any, and notices a job a little later.
constexpr auto time_alert = std::chrono::microseconds(30), time_awake = std::chrono::microseconds(200);

using Clock = std::chrono::steady_clock;

class Pool {
public:
    // As many helpers as there are pieces for, and as the budget leaves to the threads that call at the same time.
    bool run(PieceFunction body, void* context, index_t pieces, int threads) {
        const Caller caller(callers_);
        const int helpers = least_of(threads - caller.number, pieces - 1);
        if (helpers < 1) return run_alone(body, context, pieces);
        std::unique_lock<std::mutex> lock(job_lock_, std::try_to_lock);
        if (lock.owns_lock()) start_workers(helpers);
        if (!lock.owns_lock() || workers_ == 0) return run_alone(body, context, pieces);
        body_ = body, context_ = context, pieces_ = pieces;
        shares_ = helpers + 1;
        for (int share = 0; share < shares_; ++share) next_[share].position.store(begin_of(share));
        refused_.store(false);
        allowed_.store(helpers);
        open_.store(true);
        generation_.fetch_add(1);
        wake_below(0);
        take_pieces(0);
        open_.store(false);
        for (int waits = 0; inside_.load() > 0; ++waits) {
            if (waits < waits_before_yield)
                pause_briefly();
            else
                std::this_thread::yield();
        }
        return !refused_.load();
    }

private:
    // Counts a thread of the program among those that are in here, itself included.
    struct Caller {
        explicit Caller(std::atomic<int>& callers) : all(callers), number(callers.fetch_add(1) + 1) {}
        ~Caller() { all.fetch_sub(1); }
        Caller(const Caller&) = delete;
        Caller& operator=(const Caller&) = delete;
        std::atomic<int>& all;
        const int number;
    };

    static int least_of(int allowed, index_t wanted) {
        const int most = allowed < most_threads ? allowed : most_threads - 1;
        return wanted < most ? static_cast<int>(wanted) : most;
    }

    static bool run_alone(PieceFunction body, void* context, index_t pieces) {
        try {
            for (index_t piece = 0; piece < pieces; ++piece) body(context, piece);
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    index_t begin_of(int share) const { return pieces_ * share / shares_; }

    // Its own share first, then what is left of the others': from kernel to kernel a thread meets the same part of an
    // array, which its core's cache may hold.
    void take_pieces(int number) {
        for (int step = 0; step < shares_; ++step) {
            const int share = (number + step) % shares_;
            std::atomic<index_t>& next = next_[share].position;
            const index_t end = begin_of(share + 1);
            while (next.load(std::memory_order_relaxed) < end) {
                const index_t piece = next.fetch_add(1);
                if (piece >= end) break;
                try {
                    body_(context_, piece);
                } catch (const std::bad_alloc&) {  // an exception must not leave a thread
                    refused_.store(true);
                }
            }
        }
    }

    void start_workers(int wanted) {
        if (!has_threads) return;
        for (; workers_ < wanted; ++workers_) {
            try {
                std::thread(&Pool::work, this, workers_ + 1).detach();
            } catch (const std::system_error&) {  // no more threads to be had: do with those that run
                return;
            }
        }
    }

    // Threads form a tree with the caller as its root: each wakes the two below it, so that no thread wakes all others.
    void wake_below(int number) {
        for (int below = 2 * number + 1; below <= 2 * number + 2 && below <= allowed_.load(); ++below) {
            Bed& bed = beds_[below];
            if (!bed.taken.load()) continue;
            { std::lock_guard<std::mutex> lock(bed.lock); }
            bed.wake.notify_one();
        }
    }

    // Thread `number`, from 1 on.
    void work(int number) {
        std::uint64_t seen = 0;
        Clock::time_point idle_since = Clock::now();
        for (;;) {
            wait_for_job(number, seen, idle_since);
            seen = generation_.load();
            if (!open_.load() || number > allowed_.load()) continue;
            wake_below(number);
            // A thread that is counted inside before the job is closed is waited for; a later one finds the job closed.
            inside_.fetch_add(1);
            if (open_.load() && number <= allowed_.load()) take_pieces(number), idle_since = Clock::now();
            inside_.fetch_sub(1);
        }
    }

    // A thread that no job needs goes to sleep, though jobs go by.
    void wait_for_job(int number, std::uint64_t seen, Clock::time_point idle_since) {
        for (;;) {
            if (generation_.load() != seen) return;
            const auto idle = Clock::now() - idle_since;
            if (idle >= time_awake) break;
            if (idle < time_alert)
                pause_briefly();
            else
                std::this_thread::yield();
        }
        Bed& bed = beds_[number];
        std::unique_lock<std::mutex> lock(bed.lock);
        bed.taken.store(true);
        bed.wake.wait(lock, [&] { return generation_.load() != seen; });
        bed.taken.store(false);
    }

    std::mutex job_lock_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> inside_{0}, allowed_{0}, callers_{0};
    std::atomic<bool> open_{false}, refused_{false};
    struct Bed {  // where a thread sleeps
        std::mutex lock;
        std::condition_variable wake;
        std::atomic<bool> taken{false};
    };
    Bed beds_[most_threads];
    struct alignas(64) Next {  // a line of the cache for each
        std::atomic<index_t> position{0};
    };
    Next next_[most_threads];
    PieceFunction body_ = nullptr;
    void* context_ = nullptr;
    index_t pieces_ = 0;
    int workers_ = 0, shares_ = 1;
};

std::atomic<Pool*> pool{nullptr};
std::atomic<int> count{0};

// A forked child has the pool's memory but not its threads: it makes itself a new pool when it needs one. Registered
// when the library is loaded: if it were done on first use, another thread might be in the middle of that at the fork.
void after_fork_in_child() { pool.store(nullptr); }

#if defined(__unix__) || defined(__APPLE__)
const int fork_handlers = pthread_atfork(nullptr, nullptr, after_fork_in_child);
#endif

// Never destroyed: its threads may be asleep on it when the process ends.
Pool& the_pool() {
    Pool* current = pool.load();
    if (current) return *current;
    Pool* created = new Pool;
    if (pool.compare_exchange_strong(current, created)) return *created;
    delete created;
    return *current;
}

int default_count() {
    const char* wanted = std::getenv("OMP_NUM_THREADS");
    const long number = wanted ? std::strtol(wanted, nullptr, 10) : 0;
    if (number > 0) return number < 4096 ? static_cast<int>(number) : 4096;
    if (!has_threads) return 1;
    const unsigned available = std::thread::hardware_concurrency();
    return available ? static_cast<int>(available) : 1;
}

}  // namespace

int thread_count() {
    const int known = count.load(std::memory_order_relaxed);
    if (known) return known;
    const int wanted = default_count();
    count.store(wanted, std::memory_order_relaxed);
    return wanted;
}

void set_thread_count(int wanted) { count.store(wanted); }

bool run_pieces(PieceFunction body, void* context, index_t pieces) {
    return the_pool().run(body, context, pieces, thread_count());
}

}  // namespace wengert
