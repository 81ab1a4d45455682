// One end of a connection that carries packets with file descriptors: SOCK_SEQPACKET of AF_UNIX.
#pragma once

#include "backends/host/transport/unique_fd.h"
#include "core/base/bytes.h"
#include "core/device/device.h"

#include <span>
#include <utility>
#include <vector>

namespace nnrt::host {

inline constexpr size_t kMaxPacketBytes = size_t{1} << 16;
inline constexpr size_t kMaxFds = 128;  // in one packet; Linux takes 253

class Socket {
 public:
  Socket() = default;
  explicit Socket(Fd fd) : fd_(std::move(fd)) {}

  static Result<std::pair<Socket, Socket>> pair();

  // `parts` one behind the other; the descriptors stay the caller's. connection: nobody is there any more.
  // timeout: there was no room until the deadline.
  Status send(std::span<const ByteView> parts, std::span<const int> fds, Deadline deadline = {}) const;

  // The next packet, into `buffer`. connection: nobody is there any more, or the packet was cut off. A packet
  // comes without all of its descriptors if this process has no room for them.
  // `process` is a pidfd whose end also ends the wait, or -1: a descriptor of the socket may have got into a
  // third process.
  struct Received {
    ByteView bytes;
    std::vector<Fd> fds;
    bool has_lost_fds = false;
  };
  Result<Received> receive(std::span<std::byte> buffer, Deadline deadline = {}, int process = -1) const;

  // Returns whether a packet, or the end, can be received without a wait.
  bool readable() const;
  // Wakes whoever waits at either end.
  void shut_down() const;

  int fd() const { return fd_.get(); }
  Fd release() { return std::move(fd_); }

 private:
  Fd fd_;
};

}  // namespace nnrt::host
