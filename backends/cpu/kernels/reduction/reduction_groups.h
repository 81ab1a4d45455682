// Partitions a tensor's elements into groups; a reduction turns each group into one result.
#pragma once

#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/base/thread_pool.h"
#include "core/base/shape.h"

#include <array>
#include <vector>

namespace nnrt::cpu {

struct Groups {
  Collapsed kept, reduced;  // input dimensions with their strides
  int64_t count = 1;        // number of groups, in C order of the kept dimensions
  int64_t size = 1;         // elements per group

  // True if elements of a group are contiguous.
  bool has_rows() const { return reduced.strides[0].back() == 1; }
};

// Groups with rows can be read one at a time; otherwise several are read together, element by element.
enum class ReduceOrder : uint8_t { rows, columns };

Groups groups_of(const Shape& shape, std::span<const size_t> reduced_axes);

// Reduces `count` contiguous elements with several independent totals, for speed and accuracy.
template <typename Reducer, typename T>
typename Reducer::Total reduce_run(const T* x, int64_t count) {
  constexpr int64_t kLanes = 8;
  std::array<typename Reducer::Total, kLanes> totals;
  totals.fill(Reducer::start());
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      totals[size_t(lane)] = Reducer::join(totals[size_t(lane)], Reducer::first(x[i + lane]));
  for (; i < count; ++i) totals[0] = Reducer::join(totals[0], Reducer::first(x[i]));
  for (size_t lane = 1; lane < kLanes; ++lane) totals[0] = Reducer::join(totals[0], totals[lane]);
  return totals[0];
}

// Calls store(group, total) for each group. A Reducer has start(), the total of no elements; first(x), the
// total of one; and join(a, b).
template <typename Reducer, typename T, typename Store>
void reduce_groups(const Groups& groups, const T* x, ThreadPool& pool, ReduceOrder order, Store store) {
  constexpr int64_t kBlock = 64;
  const int64_t kept_step = groups.kept.strides[0].back();
  const int64_t reduced_step = groups.reduced.strides[0].back();

  // Adjacent groups are reduced together: if they are interleaved in memory, each cell is read once.
  const auto reduce_block = [&](const T* first, int64_t count, int64_t position) {
    std::array<typename Reducer::Total, kBlock> totals;
    totals.fill(Reducer::start());
    walk<1>(groups.reduced.shape, groups.reduced.strides, 0, groups.size,
            [&](int64_t, const std::array<int64_t, 1>& offsets, int64_t length) {
              const T* run = first + offsets[0];
              if (order == ReduceOrder::rows) {
                for (int64_t i = 0; i < count; ++i)
                  totals[size_t(i)] =
                      Reducer::join(totals[size_t(i)], reduce_run<Reducer>(run + i * kept_step, length));
                return;
              }
              for (int64_t k = 0; k < length; ++k, run += reduced_step)
                for (int64_t i = 0; i < count; ++i)
                  totals[size_t(i)] = Reducer::join(totals[size_t(i)], Reducer::first(run[i * kept_step]));
            });
    for (int64_t i = 0; i < count; ++i) store(position + i, totals[size_t(i)]);
  };

  pool.parallel_for(groups.count, 1 + (1 << 14) / groups.size, [&](int64_t begin, int64_t end) {
    walk<1>(groups.kept.shape, groups.kept.strides, begin, end,
            [&](int64_t position, const std::array<int64_t, 1>& offsets, int64_t length) {
              for (int64_t i = 0; i < length; i += kBlock)
                reduce_block(x + offsets[0] + i * kept_step, std::min(kBlock, length - i), position + i);
            });
  });
}

// Sums are accumulated in double, so neither the order nor a common offset affects a float result.
struct SumReducer {
  using Total = double;
  static Total start() { return 0; }
  static Total first(float x) { return double(x); }
  static Total join(Total a, Total b) { return a + b; }
};
struct SquareSumReducer : SumReducer {
  static Total first(float x) { return double(x) * double(x); }
};

}  // namespace nnrt::cpu
