#include "core/step_lanes.h"

#include "core/schedule.h"
#include "core/text.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>

namespace nnrt {

// What the lanes of one run share.
class StepLanes::Run {
 public:
  Run(const StepLanes& lanes, const RunStep& run_step)
      : lanes_(lanes), run_step_(run_step), is_over_(lanes.waits_.size(), false) {}

  void run_lane(const Lane& lane) noexcept {
    for (const size_t step : lane.steps) {
      if (!wait_for(step)) break;
      end(step, run_one(step));
    }
    const std::lock_guard lock(mutex_);
    ++lanes_over_;
    changed_.notify_all();  // under the lock, for this run goes when all lanes are over
  }

  // So many lanes do not run.
  void give_up(size_t lanes, Error error) {
    const std::lock_guard lock(mutex_);
    lanes_over_ += lanes;
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }

  Status wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lanes_over_ == lanes_.lanes_.size(); });
    if (error_) return *std::move(error_);
    return {};
  }

 private:
  bool wait_for(size_t step) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] {
      return error_.has_value() ||
             std::ranges::all_of(lanes_.waits_[step], [&](size_t before) { return is_over_[before]; });
    };
    changed_.wait(lock, ready);
    return !error_.has_value();
  }

  // Nothing is thrown across a thread.
  Status run_one(size_t step) noexcept {
    try {
      return run_step_(step);
    } catch (const std::bad_alloc&) {
      return Error{Code::memory, "There is no memory for the run."};
    } catch (const std::exception& error) {
      return Error{Code::failed, error.what()};
    }
  }

  void end(size_t step, Status status) {
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      is_over_[step] = true;
    } else if (!error_ || step < failed_step_) {
      error_ = std::move(status).error();
      failed_step_ = step;
    }
    changed_.notify_all();
  }

  const StepLanes& lanes_;
  const RunStep& run_step_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<bool> is_over_;
  size_t lanes_over_ = 0;
  std::optional<Error> error_;
  size_t failed_step_ = 0;
};

StepLanes::StepLanes(const CompiledModel& model) : waits_(find_waits(*model.lowered, model.parts())) {
  for (size_t step = 0; step < model.steps.size(); ++step) {
    const Device* const device = model.steps[step].device;
    auto lane = std::ranges::find(lanes_, device, &Lane::device);
    if (lane == lanes_.end()) lane = lanes_.insert(lanes_.end(), Lane{device, {}, nullptr});
    lane->steps.push_back(step);
  }
  // The CPU's threads include the calling one.
  const auto cpu = std::ranges::find_if(
      lanes_, [](const Lane& lane) { return lane.device->info().type == DeviceType::cpu; });
  if (cpu != lanes_.end()) std::rotate(cpu, cpu + 1, lanes_.end());
  for (size_t lane = 0; lane + 1 < lanes_.size(); ++lane)
    lanes_[lane].runner = std::make_unique<AsyncRunner>();
}

Status StepLanes::run(const RunStep& run_step) {
  class LaneJob final : public AsyncRunner::Job {
   public:
    LaneJob(Run& run, const Lane& lane) : run_(run), lane_(lane) {}
    void run() noexcept override { run_.run_lane(lane_); }

   private:
    Run& run_;
    const Lane& lane_;
  };

  const auto start = [](AsyncRunner& runner, std::unique_ptr<LaneJob> job) -> Status {
    try {
      return runner.start(std::move(job));
    } catch (const std::system_error& error) {
      return Error{Code::memory, cat("There can be no thread for the run: ", error.what(), ".")};
    }
  };

  Run run(*this, run_step);
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].runner == nullptr) {
      run.run_lane(lanes_[i]);
      continue;
    }
    Status started = start(*lanes_[i].runner, std::make_unique<LaneJob>(run, lanes_[i]));
    if (started.ok()) continue;
    run.give_up(lanes_.size() - i, std::move(started).error());
    break;
  }
  return run.wait_for_all();
}

}  // namespace nnrt
