// Splits the groups of units of a recurrent layer among the threads.
#pragma once

#include "backends/cpu/base/thread_pool.h"

#include <algorithm>

namespace nnrt::cpu {

// Calls f(begin, end) for ranges of [0, groups); `products` is the work of a group. A thread gets the same
// few large ranges in each step, so that their weights stay in its cache: a stolen range is slow in the step
// that steals it and evicts the thief's own weights.
template <typename F>
void for_unit_groups(ThreadPool& pool, int64_t groups, int64_t products, const F& f) {
  constexpr int64_t kGrain = int64_t{16} * 1024;  // products worth a range
  constexpr int64_t kRangesPerThread = 2;
  const int64_t threads = pool.threads();
  int64_t ranges = std::min({groups * products / kGrain, groups, kRangesPerThread * threads});
  ranges = ranges > threads ? ranges / threads * threads : std::max<int64_t>(ranges, 1);
  pool.parallel_for(ranges, 1,
                    [&](int64_t begin, int64_t end) { f(groups * begin / ranges, groups * end / ranges); });
}

}  // namespace nnrt::cpu
