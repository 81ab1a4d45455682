#include "core/runtime/parallel_executor.h"

#include "core/base/exceptions.h"
#include "core/placement/schedule.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace nnrt {

// State shared by the workers of one run.
class ParallelExecutor::Run {
 public:
  Run(const ParallelExecutor& workers, const RunPartition& run_partition)
      : workers_(workers), run_partition_(run_partition), is_over_(workers.waits_.size(), false) {}

  void run_worker(const Worker& worker) noexcept {
    for (const size_t partition : worker.partitions) {
      if (!wait_for(partition)) break;
      // Exceptions must not cross threads.
      end(partition, catching([&] { return run_partition_(partition); }));
    }
    const std::lock_guard lock(mutex_);
    ++workers_over_;
    changed_.notify_all();  // under the lock: the run is destroyed when all workers are done
  }

  // Marks this number of workers as not running.
  void give_up(size_t workers, Error error) {
    const std::lock_guard lock(mutex_);
    workers_over_ += workers;
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }

  Status wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return workers_over_ == workers_.workers_.size(); });
    if (error_) return *std::move(error_);
    return {};
  }

 private:
  bool wait_for(size_t partition) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] {
      return error_.has_value() ||
             std::ranges::all_of(workers_.waits_[partition], [&](size_t before) { return is_over_[before]; });
    };
    changed_.wait(lock, ready);
    return !error_.has_value();
  }

  void end(size_t partition, Status status) {
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      is_over_[partition] = true;
    } else if (!error_ || partition < failed_partition_) {
      error_ = std::move(status).error();
      failed_partition_ = partition;
    }
    changed_.notify_all();
  }

  const ParallelExecutor& workers_;
  const RunPartition& run_partition_;
  std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  std::vector<bool> is_over_;
  size_t workers_over_ = 0;
  std::optional<Error> error_;
  size_t failed_partition_ = 0;
};

ParallelExecutor::ParallelExecutor(const CompiledModel& model)
    : waits_(find_dependencies(*model.lowered, model.scheduled_partitions())) {
  for (size_t partition = 0; partition < model.partitions.size(); ++partition) {
    const Device* const device = model.partitions[partition].device;
    auto worker = std::ranges::find(workers_, device, &Worker::device);
    if (worker == workers_.end()) worker = workers_.insert(workers_.end(), Worker{device, {}, nullptr});
    worker->partitions.push_back(partition);
  }
  // The CPU's threads include the calling one.
  const auto cpu =
      std::ranges::find_if(workers_, [](const Worker& worker) { return is_own_cpu(*worker.device); });
  if (cpu != workers_.end()) std::rotate(cpu, cpu + 1, workers_.end());
  for (size_t worker = 0; worker + 1 < workers_.size(); ++worker)
    workers_[worker].runner = std::make_unique<AsyncRunner>();
}

Status ParallelExecutor::run(const RunPartition& run_partition) {
  class WorkerJob final : public AsyncRunner::Job {
   public:
    WorkerJob(Run& run, const Worker& worker) : run_(run), worker_(worker) {}
    void run() noexcept override { run_.run_worker(worker_); }

   private:
    Run& run_;
    const Worker& worker_;
  };

  // Workers use this frame until they are done, so nothing may be thrown out of it earlier.
  Run run(*this, run_partition);
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].runner == nullptr) {
      run.run_worker(workers_[i]);
      continue;
    }
    Status started =
        catching([&] { return workers_[i].runner->start(std::make_unique<WorkerJob>(run, workers_[i])); });
    if (started.ok()) continue;
    run.give_up(workers_.size() - i, std::move(started).error());
    break;
  }
  return run.wait_for_all();
}

}  // namespace nnrt
