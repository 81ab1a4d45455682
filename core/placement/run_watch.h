// Compares the time of a partition's runs with what the costs of its device say, and corrects these.
#pragma once

#include "core/device/device.h"

#include <atomic>
#include <mutex>
#include <span>

namespace nnrt {

// Microseconds of a run of a part of a graph.
struct ExpectedTime {
  double entry = 0;  // into the partition, and the wait for its end
  double work = 0;   // its nodes, and the tensors that cross its border

  double sum() const { return entry + work; }
};
ExpectedTime expected_time(const DeviceCosts& costs, const Graph& graph, std::span<const NodeId> nodes,
                           std::span<const TensorId> inputs, std::span<const TensorId> outputs);

// Returns whether one is more than 1.5 times the other.
bool is_missed(const ExpectedTime& expected, double observed);

// The costs by which the runs would have been expected to take that time: all but the entry, which was
// measured alone, becomes as many times what it is; four times or a quarter at most, for one model is not
// all.
DeviceCosts corrected(const DeviceCosts& costs, const ExpectedTime& expected, double observed);

// Watches one partition. Safe to use from several threads.
class RunWatch {
 public:
  static constexpr int kRuns = 8;  // runs that are watched; the first does not count

  RunWatch(Device& device, const DeviceCosts& costs, const ExpectedTime& expected, size_t operations)
      : device_(device), costs_(costs), expected_(expected), operations_(operations) {}

  // Nothing more is to be learned: the others need not be measured.
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  // The last of them decides by the shortest. What was missed is logged once, and stored_costs() are
  // corrected, unless another model has done so since this one was built.
  void add(Clock::duration run);

 private:
  void decide(double shortest) const;

  Device& device_;
  const DeviceCosts costs_;  // the placement was made by these
  const ExpectedTime expected_;
  const size_t operations_;
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;  // guards what follows
  int runs_ = 0;
  double shortest_ = 0;
};

}  // namespace nnrt
