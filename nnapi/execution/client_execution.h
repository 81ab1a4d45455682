// The computations of an execution, and their results. Asynchronous ones run on the execution's own thread.
#pragma once

#include "core/runtime/async_runner.h"
#include "nnapi/execution/bound_arguments.h"
#include "nnapi/execution/event_state.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nnrt::nnapi {

class ClientExecution {
 public:
  explicit ClientExecution(std::shared_ptr<const Compilation> compilation);
  ~ClientExecution();  // waits
  ClientExecution(const ClientExecution&) = delete;
  ClientExecution& operator=(const ClientExecution&) = delete;

  // bad state after the first computation has started.
  Outcome require_open() const;
  Outcome bind(bool is_input, int32_t index, const Binding& binding);
  Outcome enable_padding(bool enable);
  Outcome set_reusable(bool reusable);
  Outcome set_measure(bool measure);
  Outcome set_timeout(uint64_t duration);
  Outcome set_loop_timeout(uint64_t duration);

  Outcome compute();
  // `function` is named in the log if the computation fails.
  Outcome start(const char* function, std::shared_ptr<EventState> event);
  Outcome start_after(const char* function, std::vector<std::shared_ptr<EventState>> dependencies,
                      uint64_t duration, std::shared_ptr<EventState>& event);

  // Both return the result, but also fail, if the output was too small.
  Outcome output_rank(int32_t index, uint32_t& rank) const;
  Outcome output_dimensions(int32_t index, uint32_t* dimensions) const;
  Outcome duration(int32_t code, uint64_t& duration) const;

  const std::shared_ptr<const Compilation>& compilation() const { return compilation_; }

 private:
  enum class State : uint8_t { preparation, computing, completed };
  class Job;

  Outcome require_preparation() const;  // with the lock
  Outcome require_startable() const;    // with the lock
  Outcome begin();                      // with the lock
  Outcome launch(const char* function, std::shared_ptr<EventState> event,
                 std::vector<std::shared_ptr<EventState>> dependencies, uint64_t timeout);
  Outcome run(Deadline deadline);  // computes and completes
  Outcome run_on_devices(Deadline deadline, std::vector<OutputShape>& shapes);
  void complete(ResultCode code, std::vector<OutputShape> shapes);
  void fail(ResultCode code);                                           // completes without a result
  Outcome find_output(int32_t index, const OutputShape*& shape) const;  // with the lock

  const std::shared_ptr<const Compilation> compilation_;
  mutable std::mutex mutex_;  // guards the following members, which do not change during a computation
  mutable std::condition_variable completed_;
  State state_ = State::preparation;
  BoundArguments arguments_;
  bool reusable_ = false, measure_ = false;
  uint64_t timeout_ = 0;  // ns; 0: none
  std::chrono::nanoseconds loop_timeout_{2'000'000'000};
  ResultCode code_ = ANEURALNETWORKS_NO_ERROR;  // of the last computation
  std::vector<OutputShape> shapes_;
  std::chrono::nanoseconds on_device_{}, in_driver_{};
  AsyncRunner runner_;  // last member: its thread must end before the others are destroyed
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksExecution {
  explicit ANeuralNetworksExecution(std::shared_ptr<const nnrt::nnapi::Compilation> compilation)
      : execution(std::move(compilation)) {}

  nnrt::nnapi::ClientExecution execution;
};
