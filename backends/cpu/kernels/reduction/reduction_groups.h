// Partitions a tensor's elements into groups; a reduction turns each group into one result.
#pragma once

#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/base/thread_pool.h"
#include "backends/cpu/kernels/reduction/row_extremes.h"
#include "backends/cpu/kernels/reduction/row_sums.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/base/shape.h"

#include <array>
#include <type_traits>
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

template <typename Reducer>
concept Idempotent = requires {
  Reducer::kIdempotent;
};

// Reduces `count` contiguous elements into kLanes independent totals, for speed and accuracy. As their number
// is fixed, results do not depend on the vector length. Needs at least kLanes elements.
template <typename Reducer, int64_t kLanes, typename T>
NNRT_INLINE void join_lanes(const T* x, int64_t count, typename Reducer::Total (&totals)[kLanes]) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      totals[lane] = Reducer::join(totals[lane], Reducer::first(x[i + lane]));
  if constexpr (Idempotent<Reducer>) {
    // The last lanes may overlap elements that were joined already.
    for (int64_t lane = 0; lane < kLanes && i < count; ++lane)
      totals[lane] = Reducer::join(totals[lane], Reducer::first(x[count - kLanes + lane]));
  } else {
    for (; i < count; ++i) totals[0] = Reducer::join(totals[0], Reducer::first(x[i]));
  }
}
template <typename Reducer, int64_t kLanes>
NNRT_INLINE typename Reducer::Total fold_lanes(typename Reducer::Total (&totals)[kLanes]) {
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      totals[lane] = Reducer::join(totals[lane], totals[lane + half]);
  return totals[0];
}
template <typename Reducer, int64_t kLanes, typename T>
NNRT_INLINE typename Reducer::Total reduce_lanes(const T* x, int64_t count) {
  typename Reducer::Total totals[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane) totals[lane] = Reducer::start();
  join_lanes<Reducer, kLanes>(x, count, totals);
  return fold_lanes<Reducer, kLanes>(totals);
}

// Runs of at least kShortRun elements use 8 totals, those of at least kLongRun 32. Idempotent reducers have
// no scalar tail, so 32 pay off earlier.
constexpr int64_t kShortRun = 8;
template <typename Reducer>
constexpr int64_t kLongRun = Idempotent<Reducer> ? 32 : 256;

// Several rows are joined at once if they are shorter; of longer ones, the lanes' own totals cost little.
constexpr int64_t kManyRowsRun = 256;

template <typename Reducer, typename T>
NNRT_INLINE typename Reducer::Total reduce_elements(const T* x, int64_t count) {
  if (count >= kLongRun<Reducer>) return reduce_lanes<Reducer, 32>(x, count);
  if (count >= kShortRun) return reduce_lanes<Reducer, 8>(x, count);
  auto total = Reducer::start();
  for (int64_t i = 0; i < count; ++i) total = Reducer::join(total, Reducer::first(x[i]));
  return total;
}

// Adds a run of `length` contiguous elements to each total; runs are `step` apart.
template <typename Reducer, typename T>
void reduce_runs(const T* x, int64_t step, int64_t length, int64_t count, typename Reducer::Total* totals) {
  int64_t done = 0;
  if constexpr (std::is_base_of_v<SumReducer, Reducer> && std::is_same_v<T, float>) {
    if (length >= kShortRun && length < kLongRun<Reducer>)
      done = add_row_sums({x, step, length, count}, std::is_base_of_v<SquareSumReducer, Reducer>, totals);
  }
  if constexpr (Idempotent<Reducer> && std::is_same_v<T, float>) {
    if (length >= kShortRun && length < kManyRowsRun)
      done = (Reducer::kIsMaximum ? join_row_maxima : join_row_minima)({x, step, length, count}, totals);
  }
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (int64_t i = done; i < count; ++i)
          totals[i] = Reducer::join(totals[i], reduce_elements<Reducer>(x + i * step, length));
      });
}

template <typename Reducer, typename T>
typename Reducer::Total reduce_run(const T* x, int64_t count) {
  typename Reducer::Total total = Reducer::start();
  reduce_runs<Reducer>(x, count, count, 1, &total);
  return total;
}

// `rows` rows of contiguous elements, `row_step` apart.
template <typename Reducer, typename T>
NNRT_INLINE void add_rows(const T* x, int64_t row_step, int64_t rows, int64_t count,
                          typename Reducer::Total* totals) {
  const auto joined = [](auto total, T element) __attribute__((always_inline)) {
    return Reducer::join(total, Reducer::first(element));
  };
  for (; rows >= 4; rows -= 4, x += 4 * row_step)
    for (int64_t i = 0; i < count; ++i) {
      const auto half = joined(joined(totals[i], x[i]), x[i + row_step]);
      totals[i] = joined(joined(half, x[i + 2 * row_step]), x[i + 3 * row_step]);
    }
  for (; rows > 0; --rows, x += row_step)
    for (int64_t i = 0; i < count; ++i) totals[i] = joined(totals[i], x[i]);
}

// Adds an element of each of `rows` rows to each total; elements are `step` apart.
template <typename Reducer, typename T>
void reduce_across(const T* x, int64_t step, int64_t row_step, int64_t rows, int64_t count,
                   typename Reducer::Total* totals) {
  if (step == 1) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) {
          add_rows<Reducer>(x, row_step, rows, count, totals);
        });
    return;
  }
  for (; rows > 0; --rows, x += row_step)
    for (int64_t i = 0; i < count; ++i) totals[i] = Reducer::join(totals[i], Reducer::first(x[i * step]));
}

// Parts of a long run on several threads. Each lane joins the same elements in the same order as in one run.
constexpr int64_t kPartOfRun = 1 << 15;
template <typename Reducer, typename T>
typename Reducer::Total reduce_parts(const T* x, int64_t count, ThreadPool& pool) {
  constexpr int64_t kLanes = kLongRun<Reducer>;
  static_assert(Idempotent<Reducer> && kPartOfRun % kLanes == 0);
  struct Lanes {
    typename Reducer::Total totals[kLanes];
  };
  const int64_t parts = count / kPartOfRun;  // the last part also takes the rest
  std::vector<Lanes> each(static_cast<size_t>(parts));
  pool.parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) {
          for (int64_t part = begin; part < end; ++part) {
            Lanes lanes;
            for (auto& total : lanes.totals) total = Reducer::start();
            const int64_t first = part * kPartOfRun, length = part + 1 < parts ? kPartOfRun : count - first;
            join_lanes<Reducer, kLanes>(x + first, length, lanes.totals);
            each[size_t(part)] = lanes;
          }
        });
  });
  for (int64_t part = 1; part < parts; ++part)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      each[0].totals[lane] = Reducer::join(each[0].totals[lane], each[size_t(part)].totals[lane]);
  return Reducer::join(Reducer::start(), fold_lanes<Reducer, kLanes>(each[0].totals));
}

// Calls store(group, total) for each group. A Reducer has start(), the total of no elements; first(x), the
// total of one; and join(a, b).
template <typename Reducer, typename T, typename Store>
void reduce_groups(const Groups& groups, const T* x, ThreadPool& pool, ReduceOrder order, Store store) {
  constexpr int64_t kBlock = 1024;
  if constexpr (Idempotent<Reducer>) {
    const bool is_run = groups.count == 1 && groups.has_rows() && groups.reduced.shape.size() == 1;
    if (is_run && groups.size >= 2 * kPartOfRun) return store(0, reduce_parts<Reducer>(x, groups.size, pool));
  }
  const int64_t kept_step = groups.kept.strides[0].back();
  const int64_t reduced_step = groups.reduced.strides[0].back();

  // Adjacent groups are reduced together: if they are interleaved in memory, each cell is read once.
  const auto reduce_block = [&](const T* first, int64_t count, int64_t position) {
    std::array<typename Reducer::Total, kBlock> totals;
    std::fill_n(totals.begin(), count, Reducer::start());
    walk<1>(groups.reduced.shape, groups.reduced.strides, 0, groups.size,
            [&](int64_t, const std::array<int64_t, 1>& offsets, int64_t length) {
              const T* run = first + offsets[0];
              if (order == ReduceOrder::rows)
                return reduce_runs<Reducer>(run, kept_step, length, count, totals.data());
              reduce_across<Reducer>(run, kept_step, reduced_step, length, count, totals.data());
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

}  // namespace nnrt::cpu
