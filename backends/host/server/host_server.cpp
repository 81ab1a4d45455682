#include "backends/host/server/host_server.h"

#include "backends/host/server/served_client.h"
#include "backends/host/transport/host_message.h"
#include "core/base/exceptions.h"
#include "core/platform/log.h"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace nnrt::host {
namespace {

constexpr size_t kMaxChannels = 512;

// One client's channels.
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

  // Answers until the other end is gone, sends something malformed, or memory runs out even for an answer.
  void answer(const Socket& socket, PacketBuffer& buffer) noexcept {
    const Status over = catching([&] { return answer_all(socket, buffer); });
    socket.shut_down();
    if (!over.ok()) best_effort([&] { log(LogLevel::debug, over.error().message); });
  }

 private:
  struct Channel {
    Channel(Socket own_socket, PacketBuffer own_buffer)
        : socket(std::move(own_socket)), buffer(std::move(own_buffer)) {}

    Socket socket;
    PacketBuffer buffer;
    std::thread thread;
    std::atomic<bool> is_over = false;
  };

  Status answer_all(const Socket& socket, PacketBuffer& buffer) {
    while (true) {
      NNRT_ASSIGN(Message question, receive(socket, buffer));
      const bool is_notice = host::is_notice(question.kind);
      const uint64_t number = question.number;
      Answer answer;
      const Status made = catching([&]() -> Status {
        answer = client_.answer(std::move(question));
        return {};
      });
      if (!made.ok()) answer = apology(number, made);
      if (!is_notice) NNRT_TRY(send_answer(socket, answer));
    }
  }

  Status open(Socket socket) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return Error{Code::forbidden, "The client is gone."};
    remove_ended();
    if (channels_.size() >= kMaxChannels) return Error{Code::memory, "Too many channels."};
    Channel& channel = channels_.emplace_back(std::move(socket), PacketBuffer(kMaxPacketBytes));
    try {
      channel.thread = std::thread([this, &channel] {
        answer(channel.socket, channel.buffer);
        channel.is_over = true;
      });
    } catch (...) {
      channels_.pop_back();
      throw;
    }
    return {};
  }

  void remove_ended() {
    channels_.remove_if([](Channel& channel) {
      if (channel.is_over) channel.thread.join();
      return channel.is_over.load();
    });
  }

  static Answer apology(uint64_t number, const Status& status) {
    ByteWriter writer;
    write_status(writer, status);
    return {{Kind::answer, number, {}, std::make_shared<const Bytes>(writer.take()), {}}, {}, {}};
  }

  // Replaces an answer that is too long, or too large for memory, by one that says so.
  Status send_answer(const Socket& socket, const Answer& answer) {
    Status sent = catching([&] { return send(socket, answer.message); });
    if (sent.ok() || sent.error().code == Code::connection) return sent;
    client_.take_back(answer);
    return send(socket, apology(answer.message.number, sent).message);
  }

  ServedClient client_;
  std::mutex mutex_;  // guards the members below
  std::list<Channel> channels_;
  bool is_over_ = false;
};

}  // namespace

void serve(Fd fd, const Devices& devices, const std::function<void()>& gone) {
  const Socket socket(std::move(fd));
  PacketBuffer buffer(kMaxPacketBytes);
  Channels channels(devices);
  channels.answer(socket, buffer);
  if (gone) gone();
}

}  // namespace nnrt::host
