// A connection that carries packets with file descriptors: AF_UNIX, SOCK_SEQPACKET.
#pragma once

#include "backends/host/transport/unique_fd.h"
#include "core/base/bytes.h"
#include "core/device/device.h"

#include <span>
#include <utility>
#include <vector>

namespace nnrt::host {

inline constexpr size_t kMaxPacketBytes = size_t{1} << 16;
inline constexpr size_t kMaxFds = 128;  // per packet; Linux allows 253

class Socket {
 public:
  Socket() = default;
  explicit Socket(Fd fd) : fd_(std::move(fd)) {}

  static Result<std::pair<Socket, Socket>> pair();

  // Sends the concatenated `parts`; the caller keeps the descriptors. connection: the other end is gone.
  // timeout: the socket was full until the deadline.
  Status send(std::span<const ByteView> parts, std::span<const int> fds, Deadline deadline = {}) const;

  // Receives the next packet into `buffer`. connection: the other end is gone, or the packet was truncated.
  // Descriptors that this process has no room for are missing. `process`: a pidfd whose exit also ends the
  // wait, or -1; needed because the socket may have leaked into a third process.
  struct Packet {
    ByteView bytes;
    std::vector<Fd> fds;
    bool has_lost_fds = false;
  };
  Result<Packet> receive(std::span<std::byte> buffer, Deadline deadline = {}, int process = -1) const;

  // Returns whether a packet or the end of the connection can be received without waiting.
  bool readable() const;
  // Wakes all waiters at both ends.
  void shut_down() const;

  int fd() const { return fd_.get(); }
  Fd release() { return std::move(fd_); }

 private:
  Fd fd_;
};

}  // namespace nnrt::host
