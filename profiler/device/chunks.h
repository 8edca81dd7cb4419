// Work on the elements of large tensors, spread over the processor's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tw::device {

// Elements of one piece: some tenths of a millisecond. A multiple of 8, so that pieces of packed types begin at whole bytes.
inline constexpr std::int64_t kChunk = 1 << 16;

// Calls `work(chunk, begin, end)` once for each piece [begin, end) of [0, n), chunk = begin / kChunk, from several threads at once.
// The pieces are the same on every machine, so what is made of each by itself is, too. `work` must not throw.
template <class Work>
void inChunks(std::int64_t n, const Work& work)
{
    const std::int64_t chunks = (n + kChunk - 1) / kChunk;
    std::atomic<std::int64_t> next = 0;
    const auto run = [&] {
        for (std::int64_t c; (c = next++) < chunks;)
            work(c, c * kChunk, std::min(n, (c + 1) * kChunk));
    };
    const std::int64_t others = std::min<std::int64_t>(chunks, std::thread::hardware_concurrency()) - 1;
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < others; ++t)
        threads.emplace_back(run);
    run();
}

}  // namespace tw::device
