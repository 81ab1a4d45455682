// Compares measured partition times with the device's costs, and corrects these.
#pragma once

#include "core/device/device.h"

#include <atomic>
#include <mutex>
#include <span>

namespace nnrt {

// Microseconds per run of a partition.
struct ExpectedTime {
  double entry = 0;  // entering the partition and waiting for its end
  double work = 0;   // nodes and transfers

  double sum() const { return entry + work; }
};
ExpectedTime expected_time(const DeviceCosts& costs, const Graph& graph, std::span<const NodeId> nodes,
                           std::span<const TensorId> inputs, std::span<const TensorId> outputs);

// Returns whether they differ by more than a factor of 1.5.
bool is_missed(const ExpectedTime& expected, double observed);

// Costs that would have predicted the observed time: everything except the entry, which was measured
// separately, is scaled, by a factor of four at most, because one model is not representative.
DeviceCosts corrected(const DeviceCosts& costs, const ExpectedTime& expected, double observed);

// Watches one partition. Thread-safe.
class RunWatch {
 public:
  static constexpr int kRuns = 8;  // runs to watch; the first is a warm-up

  RunWatch(Device& device, const DeviceCosts& costs, const ExpectedTime& expected, size_t operations)
      : device_(device), costs_(costs), expected_(expected), operations_(operations) {}

  // True once enough runs have been measured.
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  // Decides after the last run, by the shortest. A wrong estimate is logged once, and stored_costs() are
  // corrected unless another model has done so since this one was built.
  void add(Clock::duration run);

 private:
  void decide(double shortest) const;

  Device& device_;
  const DeviceCosts costs_;  // used for the placement
  const ExpectedTime expected_;
  const size_t operations_;
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;  // guards the following members
  int runs_ = 0;
  double shortest_ = 0;
};

}  // namespace nnrt
