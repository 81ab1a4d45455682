#include "nnapi/execution/event_state.h"

#include "core/base/exceptions.h"
#include "core/platform/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace nnrt::nnapi {
namespace {

Failure system_failure(std::string_view what) {
  const int number = errno;
  return {is_shortage(number) ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_BAD_DATA,
          cat(what, " (", std::strerror(number), ").")};
}

ResultCode wait_for(int fd) {
  pollfd entry{fd, POLLIN, 0};
  while (poll(&entry, 1, -1) < 0) {
    if (errno != EINTR && errno != EAGAIN) return ANEURALNETWORKS_OP_FAILED;
  }
  const bool is_signalled = (entry.revents & POLLIN) != 0 && (entry.revents & (POLLERR | POLLNVAL)) == 0;
  return is_signalled ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED;
}

}  // namespace

Outcome EventState::with_fence(std::shared_ptr<EventState>& made) {
  auto state = std::make_shared<EventState>();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return system_failure("A sync fence cannot be created");
  state->fence_ = above_standard_streams(ends[0]);
  state->signal_end_ = above_standard_streams(ends[1]);
  if (state->fence_ < 0 || state->signal_end_ < 0) return system_failure("A sync fence cannot be created");
  made = std::move(state);
  return {};
}

Outcome EventState::from_fd(int fd, std::shared_ptr<EventState>& made) {
  if (fd <= 0) return bad_data("File descriptor (", fd, ") is not above 0.");
  auto state = std::make_shared<EventState>();
  state->fence_ = duplicate(fd);
  if (state->fence_ < 0) return system_failure(cat("File descriptor (", fd, ") cannot be duplicated"));
  state->foreign_ = true;
  made = std::move(state);
  return {};
}

EventState::~EventState() {
  for (const int fd : {fence_, signal_end_}) {
    if (fd >= 0) close(fd);
  }
}

void EventState::signal(ResultCode code, std::string message) {
  const std::lock_guard lock(mutex_);
  code_ = code;
  message_ = std::move(message);
  if (signal_end_ >= 0) {
    // The pipe is empty and its other end is open, so this neither blocks nor fails. It stays open on
    // success, because readers would see a hang-up in addition to the byte.
    if (code == ANEURALNETWORKS_NO_ERROR) {
      static_cast<void>(!write(signal_end_, "", 1));
    } else {
      close(std::exchange(signal_end_, -1));
    }
  }
  changed_.notify_all();
}

ResultCode EventState::wait() const {
  if (foreign_) return wait_for(fence_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return code_.has_value(); });
  return *code_;
}

std::string EventState::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

void EventState::wait_for_computation() const {
  if (!foreign_) static_cast<void>(wait());
}

Outcome EventState::duplicate_fence(int& fd) const {
  if (fence_ < 0) return bad_data("The event has no sync fence.");
  fd = duplicate(fence_);
  if (fd < 0) return system_failure("The sync fence cannot be duplicated");
  return {};
}

}  // namespace nnrt::nnapi

ANeuralNetworksEvent::~ANeuralNetworksEvent() {
  if (state) state->wait_for_computation();
}
