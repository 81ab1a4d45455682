#include "backends/host/transport/host_socket.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace nnrt::host {
namespace {

constexpr size_t kMaxParts = 4;

Error connection_error(std::string_view what) { return {Code::connection, std::string(what)}; }

Error system_error(std::string_view what) {
  const int error_number = errno;
  return {code_for(error_number, Code::connection), cat(what, " (", std::strerror(error_number), ").")};
}

timespec time_until(Clock::time_point deadline) {
  const auto left = std::max(deadline - Clock::now(), Clock::duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
}

// Waits until one of the descriptors has an event; false if the deadline passes first.
Result<bool> wait(std::span<pollfd> watched, Deadline deadline) {
  while (true) {
    timespec left{};
    if (deadline) left = time_until(*deadline);
    const int count = ppoll(watched.data(), watched.size(), deadline ? &left : nullptr, nullptr);
    if (count > 0) return true;
    if (count == 0) return false;
    if (errno != EINTR) return system_error("Cannot wait for a connection");
  }
}

union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxFds)];
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"  // in musl's CMSG_NXTHDR
// Calls `visit` with each received descriptor; none is owned yet.
template <typename Visit>
void for_each_fd(msghdr& message, const Visit& visit) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      visit(fd);
    }
  }
}
#pragma GCC diagnostic pop

// Takes ownership of every descriptor received; closes them if allocation fails.
std::vector<Fd> take_fds(msghdr& message) {
  std::vector<Fd> fds;
  size_t count = 0;
  for_each_fd(message, [&](int) { ++count; });
  try {
    fds.reserve(count);
  } catch (...) {
    for_each_fd(message, [](int fd) { Fd{fd}; });
    throw;
  }
  for_each_fd(message, [&](int fd) { fds.emplace_back(above_standard_streams(fd)); });
  return fds;
}

}  // namespace

Result<std::pair<Socket, Socket>> Socket::pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return system_error("There is no socket");
  Fd first(above_standard_streams(fds[0])), second(above_standard_streams(fds[1]));
  if (!first || !second) return system_error("There is no socket");
  return std::pair(Socket(std::move(first)), Socket(std::move(second)));
}

Status Socket::send(std::span<const ByteView> parts, std::span<const int> fds, Deadline deadline) const {
  if (parts.size() > kMaxParts || fds.size() > kMaxFds) return invalid("A packet has too many parts.");
  iovec vectors[kMaxParts];
  for (size_t i = 0; i < parts.size(); ++i)
    vectors[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = int(parts.size());
  Control control{};
  if (!fds.empty()) {
    message.msg_control = control.bytes;
    message.msg_controllen = socklen_t(CMSG_SPACE(fds.size_bytes()));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = socklen_t(CMSG_LEN(fds.size_bytes()));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  while (sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (errno == ETOOMANYREFS || errno == ENOMEM || errno == ENOBUFS)
      return Error{Code::memory, cat("Cannot send a packet (", std::strerror(errno), ").")};
    if (errno != EAGAIN) return system_error("Cannot send a packet");
    pollfd watched[] = {{fd(), POLLOUT, 0}};
    NNRT_ASSIGN(const bool has_room, wait(watched, deadline));
    if (!has_room) return Error{Code::timeout, "The other end did not accept a packet in time."};
  }
  return {};
}

Result<Socket::Packet> Socket::receive(std::span<std::byte> buffer, Deadline deadline, int process) const {
  iovec vector{buffer.data(), buffer.size()};
  while (true) {
    Control control;
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const bool may_block = !deadline && process < 0;
    const ssize_t bytes = recvmsg(fd(), &message, MSG_CMSG_CLOEXEC | (may_block ? 0 : MSG_DONTWAIT));
    if (bytes >= 0) {
      Packet received{buffer.first(size_t(bytes)), take_fds(message), (message.msg_flags & MSG_CTRUNC) != 0};
      if ((message.msg_flags & MSG_TRUNC) != 0) return connection_error("A packet is cut off.");
      if (bytes == 0) return connection_error("The other end of the connection is gone.");
      return received;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return system_error("Cannot receive a packet");
    pollfd watched[] = {{fd(), POLLIN, 0}, {process, POLLIN, 0}};
    NNRT_ASSIGN(const bool has_event, wait(watched, deadline));
    if (!has_event) return Error{Code::timeout, "The other end did not answer in time."};
    const bool exited = watched[0].revents == 0 && watched[1].revents != 0;
    if (exited) return connection_error("The other process has ended.");
  }
}

bool Socket::readable() const {
  pollfd watched{fd(), POLLIN, 0};
  return poll(&watched, 1, 0) > 0;
}

void Socket::shut_down() const { shutdown(fd(), SHUT_RDWR); }

}  // namespace nnrt::host
