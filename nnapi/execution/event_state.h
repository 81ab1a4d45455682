// An event is the end of a computation, with or without a descriptor that others can wait for, or a
// descriptor that a client brought.
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
  // With a descriptor: a pipe, which becomes readable when the computation ends well, and is closed at the
  // other end when it fails. So a failure is no success for those who wait for the descriptor.
  static Outcome with_fence(std::shared_ptr<EventState>& made);
  static Outcome from_fd(int fd, std::shared_ptr<EventState>& made);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  // The end of the computation, and why it failed. Once.
  void signal(ResultCode code, std::string message = {});
  ResultCode wait() const;
  // The reason why the computation failed, once it has ended; empty: it did not, or nobody knows.
  std::string message() const;
  // The same, but not for a descriptor that a client brought, which may never be signalled.
  void wait_for_computation() const;
  // A descriptor that the caller closes. bad data: there is none.
  Outcome duplicate_fence(int& fd) const;

 private:
  int fence_ = -1;        // readable once it is signalled; -1: none
  bool foreign_ = false;  // the fence is all there is
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int signal_end_ = -1;             // the pipe's writing end
  std::optional<ResultCode> code_;  // empty: not yet
  std::string message_;
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksEvent {
  std::shared_ptr<nnrt::nnapi::EventState> state;

  ~ANeuralNetworksEvent();  // waits for a computation
};
