// Runs the partitions of a model on several devices in parallel.
#pragma once

#include "core/runtime/async_runner.h"
#include "core/runtime/compile.h"

#include <functional>
#include <memory>
#include <vector>

namespace nnrt {

// Each device runs its partitions in order, after those they depend on: the CPU on the calling thread, other
// devices each on their own thread, which persists between runs. One run at a time.
class ParallelExecutor {
 public:
  using RunPartition = std::function<Status(size_t partition)>;

  explicit ParallelExecutor(const CompiledModel& model);

  // Returns the error of the first partition that failed. After an error no partition starts; those in
  // progress are completed.
  Status run(const RunPartition& run_partition);

 private:
  struct Worker {
    const Device* device;
    std::vector<size_t> partitions;
    std::unique_ptr<AsyncRunner> runner;  // null: the calling thread
  };
  class Run;

  std::vector<std::vector<size_t>> waits_;  // by partition
  std::vector<Worker> workers_;
};

}  // namespace nnrt
