// The steps of a model on several devices at the same time.
#pragma once

#include "core/platform/async_runner.h"
#include "core/runtime/compile.h"

#include <functional>
#include <memory>
#include <vector>

namespace nnrt {

// Each device's steps run in their order, each of them after those that write what it reads: the CPU's on the
// calling thread, those of another device on a thread of its own, which waits between runs. One run at a
// time.
class ParallelExecutor {
 public:
  using RunPartition = std::function<Status(size_t partition)>;

  explicit ParallelExecutor(const CompiledModel& model);

  // Returns the error of the first step that failed. No step begins after an error; all that began are over.
  Status run(const RunPartition& run_partition);

 private:
  struct Worker {
    const Device* device;
    std::vector<size_t> partitions;
    std::unique_ptr<AsyncRunner> runner;  // null: the calling thread
  };
  class Run;

  std::vector<std::vector<size_t>> waits_;  // by step
  std::vector<Worker> workers_;
};

}  // namespace nnrt
