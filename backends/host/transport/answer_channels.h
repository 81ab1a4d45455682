// A client's side of a connection: many questions at a time, each on a channel of its own, so that its answer
// wakes the thread that waits for it and no other.
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
  // The limit of questions under way; further ones wait.
  static constexpr size_t kMax = 256;

  // `main` is connected to the host, whose pidfd is `process`, or -1.
  Channels(Socket main, int process) : main_(std::move(main)), process_(process) {}

  // The channel for notices.
  Status open();

  // connection: the host is gone or said what makes no sense. timeout: the answer is not there at the
  // deadline; when it comes, nobody will look at it.
  Result<Message> exchange(Message question, Deadline deadline);
  // On the first channel: for what comes before others are open.
  Result<Message> exchange_first(Message question, Deadline deadline);
  // Never waits; what does not get through now goes with the next.
  void notify(Kind kind, uint64_t id);

  // Returns whether the host is gone, as far as can be seen without asking.
  bool is_over();
  // Ends all questions that are under way.
  void shut_down();

 private:
  struct Channel {
    explicit Channel(Socket end) : socket(std::move(end)), buffer(kMaxPacketBytes) {}
    Socket socket;
    PacketBuffer buffer;
    uint64_t asked = 0;  // the number of the last question
  };

  Result<Message> exchange_on(Channel& channel, Message& question, Deadline deadline);
  void forget_enclosures(const Message& answer);
  Result<Channel*> take(Deadline deadline);
  Result<Channel*> open_channel();
  void put_back(Channel* channel, bool is_late);
  Status collect_late();

  std::mutex main_mutex_;  // guards the first channel
  Channel main_;
  const int process_;
  std::mutex notice_mutex_;  // guards the channel of notices, and those that did not get through
  Channel* notices_ = nullptr;
  std::vector<std::pair<Kind, uint64_t>> unsent_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Channel> all_;
  size_t opening_ = 0;
  std::vector<Channel*> idle_;
  std::vector<Channel*> late_;  // their answers are still to come
};

}  // namespace nnrt::host
