// The end of a computation, optionally with a descriptor that others can wait for, or a descriptor provided
// by a client.
#pragma once

#include "nnapi/base/outcome.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace nnrt::nnapi {

class EventState {
 public:
  EventState() = default;
  // With a descriptor: a pipe that becomes readable on success and is hung up on failure, so that failures
  // are not mistaken for success.
  static Outcome with_fence(std::shared_ptr<EventState>& made);
  static Outcome from_fd(int fd, std::shared_ptr<EventState>& made);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  // Signals the end of the computation, with the reason if it failed. Call once.
  void signal(ResultCode code, std::string message = {});
  ResultCode wait() const;
  // Why the computation failed, once it has ended; empty if it did not or the reason is unknown.
  std::string message() const;
  // wait(), except for a client's descriptor, which may never be signaled.
  void wait_for_computation() const;
  // The caller owns the descriptor. bad data: there is none.
  Outcome duplicate_fence(int& fd) const;

 private:
  int fence_ = -1;        // readable once signaled; -1: none
  bool foreign_ = false;  // a client's fence
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int signal_end_ = -1;             // the pipe's write end
  std::optional<ResultCode> code_;  // empty: not signaled
  std::string message_;
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksEvent {
  std::shared_ptr<nnrt::nnapi::EventState> state;

  ~ANeuralNetworksEvent();  // waits for a computation
};
