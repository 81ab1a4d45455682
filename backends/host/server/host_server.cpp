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
      closed_ = true;
      for (const Channel& channel : channels_) channel.socket.shut_down();
    }
    for (Channel& channel : channels_) channel.thread.join();
  }

  // Answers until the other end is gone, sends something malformed, or memory runs out even for a response.
  void serve_channel(const Socket& socket, PacketBuffer& buffer) noexcept {
    const Status over = catching([&] { return serve_requests(socket, buffer); });
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
    std::atomic<bool> finished = false;
  };

  Status serve_requests(const Socket& socket, PacketBuffer& buffer) {
    while (true) {
      NNRT_ASSIGN(Message request, receive(socket, buffer));
      const bool is_notice = host::is_notice(request.kind);
      const uint64_t number = request.number;
      Response response;
      const Status status = catching([&]() -> Status {
        response = client_.respond(std::move(request));
        return {};
      });
      if (!status.ok()) response = error_response(number, status);
      if (!is_notice) NNRT_TRY(send_response(socket, response));
    }
  }

  Status open(Socket socket) {
    const std::lock_guard lock(mutex_);
    if (closed_) return Error{Code::forbidden, "The client is gone."};
    remove_ended();
    if (channels_.size() >= kMaxChannels) return Error{Code::memory, "Too many channels."};
    Channel& channel = channels_.emplace_back(std::move(socket), PacketBuffer(kMaxPacketBytes));
    try {
      channel.thread = std::thread([this, &channel] {
        serve_channel(channel.socket, channel.buffer);
        channel.finished = true;
      });
    } catch (...) {
      channels_.pop_back();
      throw;
    }
    return {};
  }

  void remove_ended() {
    channels_.remove_if([](Channel& channel) {
      if (channel.finished) channel.thread.join();
      return channel.finished.load();
    });
  }

  static Response error_response(uint64_t number, const Status& status) {
    ByteWriter writer;
    writer.put(status);
    return {{Kind::response, number, {}, std::make_shared<const Bytes>(writer.take()), {}}, {}, {}};
  }

  // Replaces a response that is too long, or too large for memory, by one that says so.
  Status send_response(const Socket& socket, const Response& response) {
    Status sent = catching([&] { return send(socket, response.message); });
    if (sent.ok() || sent.error().code == Code::connection) return sent;
    client_.discard(response);
    return send(socket, error_response(response.message.number, sent).message);
  }

  ServedClient client_;
  std::mutex mutex_;  // guards the members below
  std::list<Channel> channels_;
  bool closed_ = false;
};

}  // namespace

void serve(Fd fd, const Devices& devices, const std::function<void()>& gone) {
  const Socket socket(std::move(fd));
  PacketBuffer buffer(kMaxPacketBytes);
  Channels channels(devices);
  channels.serve_channel(socket, buffer);
  if (gone) gone();
}

}  // namespace nnrt::host
