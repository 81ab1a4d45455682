#include "nnapi/execution/client_execution.h"

#include "core/base/call_error.h"
#include "nnapi/base/client_call.h"
#include "nnapi/model/operand_types.h"

#include <algorithm>
#include <limits>

namespace nnrt::nnapi {
namespace {

constexpr uint64_t kMaxLoopTimeout = 15'000'000'000;

}  // namespace

// A computation on the execution's thread.
class ClientExecution::Job final : public AsyncRunner::Job {
 public:
  Job(ClientExecution& execution, const char* function, std::shared_ptr<EventState> event,
      std::vector<std::shared_ptr<EventState>> dependencies, uint64_t timeout, Deadline deadline)
      : execution_(execution),
        function_(function),
        event_(std::move(event)),
        dependencies_(std::move(dependencies)),
        timeout_(timeout),
        deadline_(deadline) {}

  void run() noexcept override {
    ResultCode code = ANEURALNETWORKS_OP_FAILED;
    std::string message;
    try {
      Outcome outcome = compute();
      code = outcome.code();
      if (!outcome.ok()) {
        static_cast<void>(report(function_, outcome.error()));
        message = std::move(outcome).error().message;
      }
    } catch (...) {
      code = static_cast<ResultCode>(report_exception(function_));
      best_effort([&] { message = kept_call_error(); });
      execution_.fail(code);
    }
    event_->signal(code, std::move(message));
  }

 private:
  Outcome compute() {
    for (const auto& dependency : dependencies_) {
      if (dependency->wait() == ANEURALNETWORKS_NO_ERROR) continue;
      execution_.fail(ANEURALNETWORKS_OP_FAILED);
      return op_failed("A dependency of the computation has failed.");
    }
    Deadline deadline = deadline_after(timeout_);
    if (deadline_ && (!deadline || *deadline_ < *deadline)) deadline = deadline_;
    return execution_.run(deadline);
  }

  ClientExecution& execution_;
  const char* const function_;
  const std::shared_ptr<EventState> event_;
  const std::vector<std::shared_ptr<EventState>> dependencies_;
  const uint64_t timeout_;  // counted from when the dependencies are signaled
  const Deadline deadline_;
};

ClientExecution::ClientExecution(std::shared_ptr<const Compilation> compilation)
    : compilation_(std::move(compilation)), arguments_(compilation_) {}

ClientExecution::~ClientExecution() {
  runner_.finish();
  std::unique_lock lock(mutex_);  // another thread may be computing
  completed_.wait(lock, [this] { return state_ != State::computing; });
}

Outcome ClientExecution::require_preparation() const {
  if (state_ == State::preparation) return {};
  return bad_state("The execution has started.");
}

Outcome ClientExecution::require_startable() const {
  if (state_ == State::computing) return bad_state("The execution is running.");
  if (state_ == State::completed && !reusable_)
    return bad_state("The execution has already computed and is not reusable.");
  return {};
}

Outcome ClientExecution::require_open() const {
  const std::lock_guard lock(mutex_);
  return require_preparation();
}

Outcome ClientExecution::bind(bool is_input, int32_t index, const Binding& binding) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  return arguments_.bind(is_input, index, binding);
}

Outcome ClientExecution::enable_padding(bool enable) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  return arguments_.enable_padding(enable);
}

Outcome ClientExecution::set_reusable(bool reusable) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  reusable_ = reusable;
  return {};
}

Outcome ClientExecution::set_measure(bool measure) {
  NNRT_TRY(compilation_->require_one_device());
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  measure_ = measure;
  return {};
}

Outcome ClientExecution::set_timeout(uint64_t duration) {
  NNRT_TRY(compilation_->require_one_device());
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  timeout_ = duration;
  return {};
}

Outcome ClientExecution::set_loop_timeout(uint64_t duration) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(require_preparation());
  loop_timeout_ = std::chrono::nanoseconds(std::min(duration, kMaxLoopTimeout));
  return {};
}

Outcome ClientExecution::begin() {
  NNRT_TRY(require_startable());
  Outcome complete = arguments_.check_complete();
  if (!complete.ok()) {  // the computation failed before it ran
    state_ = State::completed;
    code_ = complete.code();
    return complete;
  }
  state_ = State::computing;
  return {};
}

Outcome ClientExecution::compute() {
  Deadline deadline;
  {
    const std::lock_guard lock(mutex_);
    NNRT_TRY(begin());
    deadline = deadline_after(timeout_);
  }
  try {
    return run(deadline);
  } catch (...) {
    fail(code_of_run(current_error().code));
    throw;
  }
}

Outcome ClientExecution::launch(const char* function, std::shared_ptr<EventState> event,
                                std::vector<std::shared_ptr<EventState>> dependencies, uint64_t timeout) {
  const Status started = catching([&] {
    return runner_.start(std::make_unique<Job>(*this, function, std::move(event), std::move(dependencies),
                                               timeout, deadline_after(timeout_)));
  });
  if (!started.ok()) fail(code_of_run(started.error().code));
  return started;
}

Outcome ClientExecution::start(const char* function, std::shared_ptr<EventState> event) {
  {
    const std::lock_guard lock(mutex_);
    NNRT_TRY(begin());
  }
  return launch(function, std::move(event), {}, 0);
}

Outcome ClientExecution::start_after(const char* function,
                                     std::vector<std::shared_ptr<EventState>> dependencies, uint64_t duration,
                                     std::shared_ptr<EventState>& event) {
  NNRT_TRY(EventState::with_fence(event));
  {
    const std::lock_guard lock(mutex_);
    NNRT_TRY(require_startable());
    if (arguments_.check_complete().ok()) {
      if (duration != 0) NNRT_TRY(compilation_->require_one_device());
      NNRT_TRY(arguments_.check_outputs_known());
    }
    NNRT_TRY(begin());
  }
  return launch(function, event, std::move(dependencies), duration);
}

Outcome ClientExecution::run_on_devices(Deadline deadline, std::vector<OutputShape>& shapes) {
  NNRT_TRY(arguments_.check_memories());
  RunOutcome outcome =
      compilation_->plan().run(arguments_.inputs(), arguments_.outputs(), {deadline, loop_timeout_});
  shapes = std::move(outcome.outputs);
  shapes.resize(arguments_.outputs().size());
  on_device_ = outcome.on_hardware;
  in_driver_ = outcome.in_driver;
  if (!outcome.status.ok()) {
    const Error& error = outcome.status.error();
    return Failure{code_of_run(error.code), error.message};
  }
  const auto small = std::ranges::find_if(shapes, &OutputShape::insufficient);
  if (small == shapes.end()) return {};
  return Failure{ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
                 cat("Output ", small - shapes.begin(), " of ", text_of(small->dimensions),
                     " does not fit in its buffer.")};
}

Outcome ClientExecution::run(Deadline deadline) {
  std::vector<OutputShape> shapes;
  Outcome outcome = run_on_devices(deadline, shapes);
  arguments_.set_contents(outcome.ok() ? &shapes : nullptr);
  complete(outcome.code(), std::move(shapes));
  return outcome;
}

void ClientExecution::complete(ResultCode code, std::vector<OutputShape> shapes) {
  const std::lock_guard lock(mutex_);
  state_ = State::completed;
  code_ = code;
  shapes_ = std::move(shapes);
  completed_.notify_all();
}

void ClientExecution::fail(ResultCode code) {
  arguments_.set_contents(nullptr);
  complete(code, {});
}

Outcome ClientExecution::find_output(int32_t index, const OutputShape*& shape) const {
  if (state_ != State::completed) return bad_state("The execution has not computed.");
  if (code_ != ANEURALNETWORKS_NO_ERROR && code_ != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
    return bad_state("The computation has failed.");
  NNRT_TRY(require_index("output", index, shapes_.size()));
  shape = &shapes_[static_cast<size_t>(index)];
  if (!shape->known) return bad_state("The dimensions of output ", index, " are not known.");
  return {};
}

namespace {

Outcome check_room(int32_t index, const OutputShape& shape) {
  if (!shape.insufficient) return {};
  return Failure{ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
                 cat("Output ", index, " did not fit in its buffer.")};
}

}  // namespace

Outcome ClientExecution::output_rank(int32_t index, uint32_t& rank) const {
  const std::lock_guard lock(mutex_);
  const OutputShape* shape = nullptr;
  NNRT_TRY(find_output(index, shape));
  rank = static_cast<uint32_t>(shape->dimensions.size());
  return check_room(index, *shape);
}

Outcome ClientExecution::output_dimensions(int32_t index, uint32_t* dimensions) const {
  const std::lock_guard lock(mutex_);
  const OutputShape* shape = nullptr;
  NNRT_TRY(find_output(index, shape));
  if (shape->dimensions.empty()) return bad_data("Output ", index, " is a scalar, which has no dimensions.");
  std::ranges::copy(shape->dimensions, dimensions);
  return check_room(index, *shape);
}

Outcome ClientExecution::duration(int32_t code, uint64_t& duration) const {
  duration = std::numeric_limits<uint64_t>::max();
  if (code < ANEURALNETWORKS_DURATION_ON_HARDWARE || code > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
    return bad_data("Duration ", code, " does not exist.");
  const std::lock_guard lock(mutex_);
  if (state_ != State::completed) return bad_state("The execution has not computed.");
  if (code_ != ANEURALNETWORKS_NO_ERROR) return bad_state("The computation has failed.");
  if (!measure_) return bad_state("Measuring durations was not enabled.");
  // A computation starts after its dependencies, so fenced durations are the same.
  const bool on_device =
      code == ANEURALNETWORKS_DURATION_ON_HARDWARE || code == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
  duration = static_cast<uint64_t>((on_device ? on_device_ : in_driver_).count());
  return {};
}

}  // namespace nnrt::nnapi
