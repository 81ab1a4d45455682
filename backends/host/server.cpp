#include "backends/host/server.h"

#include "backends/host/message.h"
#include "backends/host/served_client.h"
#include "core/log.h"

#include <list>
#include <mutex>
#include <system_error>
#include <thread>

namespace nnrt::host {
namespace {

constexpr size_t kMostChannels = 512;

// The channels of one client.
class Channels {
 public:
  explicit Channels(const Devices& devices)
      : client_(devices, [this](Socket socket) { return open(std::move(socket)); }) {}
  ~Channels() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      for (const Channel& channel : channels_) channel.socket.shut_down();
    }
    for (Channel& channel : channels_) channel.thread.join();
  }

  // Until the other end is gone, or says what makes no sense: then it is not listened to any more.
  void answer(const Socket& socket) {
    PacketBuffer buffer(kMostPacketBytes);
    while (true) {
      auto question = receive(socket, buffer);
      if (!question.ok()) return log(LogLevel::debug, question.error().message);
      const bool is_notice = host::is_notice(question.value().kind);
      const Answer answer = client_.answer(std::move(question).value());
      if (is_notice) continue;
      if (const Status sent = send_answer(socket, answer); !sent.ok())
        return log(LogLevel::debug, sent.error().message);
    }
  }

 private:
  struct Channel {
    Socket socket;
    std::thread thread;
  };

  Status open(Socket socket) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return Error{Code::forbidden, "The client is gone."};
    if (channels_.size() >= kMostChannels) return Error{Code::memory, "There are too many channels."};
    Channel& channel = channels_.emplace_back(Channel{std::move(socket), {}});
    try {
      channel.thread = std::thread([this, &channel] {
        answer(channel.socket);
        channel.socket.shut_down();
      });
    } catch (const std::system_error&) {
      channels_.pop_back();
      return Error{Code::memory, "There is no thread for a channel."};
    }
    return {};
  }

  // An answer that is too long becomes one that says so.
  Status send_answer(const Socket& socket, const Answer& answer) {
    Status sent = send(socket, answer.message);
    if (sent.ok() || sent.error().code == Code::connection) return sent;
    client_.take_back(answer);
    ByteWriter writer;
    write_status(writer, sent);
    Message apology{
        Kind::answer, answer.message.number, {}, std::make_shared<const Bytes>(writer.take()), {}};
    return send(socket, apology);
  }

  ServedClient client_;
  std::mutex mutex_;  // guards what follows
  std::list<Channel> channels_;
  bool is_over_ = false;
};

}  // namespace

void serve(Fd fd, const Devices& devices, const std::function<void()>& gone) {
  const Socket socket(std::move(fd));
  Channels channels(devices);
  channels.answer(socket);
  if (gone) gone();
}

}  // namespace nnrt::host
