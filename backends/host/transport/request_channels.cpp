#include "backends/host/transport/request_channels.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"

#include <poll.h>

#include <algorithm>

namespace nnrt::host {
namespace {

constexpr auto kOpenTimeout = std::chrono::seconds(10);  // no device is involved
constexpr auto kLatePollInterval = std::chrono::milliseconds(20);

Error protocol_error(std::string_view what) { return {Code::connection, std::string(what)}; }

bool is_timeout(const Result<Message>& message) {
  return !message.ok() && message.error().code == Code::timeout;
}

}  // namespace

Status Channels::open() {
  NNRT_ASSIGN(Channel* const channel, open_channel());
  const std::lock_guard lock(notice_mutex_);
  notices_ = channel;
  return {};
}

Result<Message> Channels::exchange_on(Channel& channel, Message& request, Deadline deadline) {
  request.number = ++channel.last_number;
  NNRT_TRY(send(channel.socket, request));  // fits, because nothing else is in flight on this channel
  while (true) {
    NNRT_ASSIGN(Message response, receive(channel.socket, channel.buffer, deadline, process_));
    if (response.kind != Kind::response || response.number > channel.last_number)
      return protocol_error("Received the response to another request.");
    if (response.has_lost_fds)
      return Error{Code::memory, "No file descriptors left for those sent by another process."};
    if (response.number == channel.last_number) return response;
    release_attachments(response);  // answers an abandoned request, because memory ran out
  }
}

// The attachments of an abandoned response must be released on the host.
void Channels::release_attachments(const Message& response) {
  for (const Attachment& attachment : response.attachments) {
    if (attachment.kind == AttachmentKind::memory) notify(Kind::forget_memory, attachment.id);
  }
}

Result<Message> Channels::exchange_first(Message request, Deadline deadline) {
  const std::lock_guard lock(main_mutex_);
  auto response = exchange_on(main_, request, deadline);
  if (is_timeout(response)) return protocol_error("The host did not answer in time.");
  return response;
}

Result<Message> Channels::exchange(Message request, Deadline deadline) {
  NNRT_ASSIGN(Channel* const channel, acquire(deadline));
  auto response = catching([&] { return exchange_on(*channel, request, deadline); });
  release(channel, is_timeout(response));
  return response;
}

Result<Channels::Channel*> Channels::acquire(Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (true) {
    NNRT_TRY(reclaim_late());
    if (!idle_.empty()) {
      Channel* const channel = idle_.back();
      idle_.pop_back();
      return channel;
    }
    if (all_.size() + opening_ < kMax) break;
    if (deadline && Clock::now() >= *deadline) return Error{Code::timeout, "Too many runs are in progress."};
    const auto soon = Clock::now() + kLatePollInterval;
    changed_.wait_until(lock, deadline ? std::min(soon, *deadline) : soon);
  }
  ++opening_;
  lock.unlock();
  auto channel = catching([&] { return open_channel(); });
  lock.lock();
  --opening_;
  return channel;
}

Result<Channels::Channel*> Channels::open_channel() {
  NNRT_ASSIGN(auto ends, Socket::pair());
  Message request{Kind::open_channel, 0, {{AttachmentKind::socket, 0, 0, ends.second.fd()}}, {}, {}};
  NNRT_ASSIGN(const Message response, exchange_first(std::move(request), Clock::now() + kOpenTimeout));
  ByteReader reader(*response.body);
  NNRT_TRY(reader.get<Status>());
  const std::lock_guard lock(mutex_);
  idle_.reserve(all_.size() + 1);  // so that returning a channel cannot fail
  late_.reserve(all_.size() + 1);
  return &all_.emplace_back(std::move(ends.first));
}

void Channels::release(Channel* channel, bool is_late) {
  const std::lock_guard lock(mutex_);
  (is_late ? late_ : idle_).push_back(channel);
  if (!is_late) changed_.notify_one();
}

// Channels whose late responses have arrived can be used again.
Status Channels::reclaim_late() {
  for (size_t i = late_.size(); i-- > 0;) {
    Channel* const channel = late_[i];
    if (!channel->socket.readable()) continue;
    NNRT_ASSIGN(const Message response, receive(channel->socket, channel->buffer, Clock::now()));
    if (response.kind != Kind::response || response.number > channel->last_number)
      return protocol_error("Received the response to another request.");
    if (response.number != channel->last_number) continue;
    release_attachments(response);
    late_.erase(late_.begin() + std::ptrdiff_t(i));
    idle_.push_back(channel);
  }
  return {};
}

void Channels::notify(Kind kind, uint64_t id) {
  const std::lock_guard lock(notice_mutex_);
  unsent_.emplace_back(kind, id);
  if (notices_ == nullptr) return;
  size_t sent = 0;
  for (; sent < unsent_.size(); ++sent) {
    ByteWriter body;
    body.put(unsent_[sent].second);
    const Message notice{unsent_[sent].first, 0, {}, std::make_shared<const Bytes>(body.take()), {}};
    if (!send(notices_->socket, notice, Clock::now()).ok()) break;
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + std::ptrdiff_t(sent));
}

bool Channels::peer_closed() {
  pollfd process{process_, POLLIN, 0};
  if (poll(&process, 1, 0) > 0) return true;
  const std::unique_lock lock(main_mutex_, std::try_to_lock);
  return lock.owns_lock() && main_.socket.readable();  // no request was in flight there
}

void Channels::shut_down() {
  main_.socket.shut_down();
  const std::lock_guard lock(mutex_);
  for (const Channel& channel : all_) channel.socket.shut_down();
  changed_.notify_all();
}

}  // namespace nnrt::host
