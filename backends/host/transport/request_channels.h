// The client side of a connection. Each request in flight has its own channel, so that its response wakes
// only the thread that waits for it.
#pragma once

#include "backends/host/transport/host_message.h"
#include "backends/host/transport/wire_format.h"

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::host {

class Channels {
 public:
  // Most requests in flight; further ones wait.
  static constexpr size_t kMax = 256;

  // `main` is connected to the host; `process` is its pidfd, or -1.
  Channels(Socket main, int process) : main_(std::move(main)), process_(process) {}

  // Opens the channel for notices.
  Status open();

  // connection: the host is gone or its response was malformed. timeout: no response by the deadline; when it
  // arrives, it is discarded.
  Result<Message> exchange(Message request, Deadline deadline);
  // On the main channel, before others are open.
  Result<Message> exchange_first(Message request, Deadline deadline);
  // Never blocks; what cannot be sent now is sent with the next notice.
  void notify(Kind kind, uint64_t id);

  // Returns whether the host is gone, without sending a request.
  bool peer_closed();
  // Fails all requests in flight.
  void shut_down();

 private:
  struct Channel {
    explicit Channel(Socket end) : socket(std::move(end)), buffer(kMaxPacketBytes) {}
    Socket socket;
    PacketBuffer buffer;
    uint64_t last_number = 0;  // of a request
  };

  Result<Message> exchange_on(Channel& channel, Message& request, Deadline deadline);
  void release_attachments(const Message& response);
  Result<Channel*> acquire(Deadline deadline);
  Result<Channel*> open_channel();
  void release(Channel* channel, bool is_late);
  Status reclaim_late();

  std::mutex main_mutex_;  // guards the main channel
  Channel main_;
  const int process_;
  std::mutex notice_mutex_;  // guards the channel for notices, and unsent ones
  Channel* notices_ = nullptr;
  std::vector<std::pair<Kind, uint64_t>> unsent_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::list<Channel> all_;
  size_t opening_ = 0;
  std::vector<Channel*> idle_;
  std::vector<Channel*> late_;  // waiting for late responses
};

}  // namespace nnrt::host
