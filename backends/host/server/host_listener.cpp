#include "backends/host/server/host_listener.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace nnrt::host {
namespace {

constexpr int kWaiting = 32;

Error path_error(std::string_view what, const std::string& path) {
  return {Code::invalid_path, cat(what, " ", path, " (", std::strerror(errno), ").")};
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error{Code::invalid_path, cat("Path ", path, " of a socket is empty or too long.")};
  path.copy(address.sun_path, path.size());
  return address;
}

Result<Fd> make_socket() {
  Fd fd(above_standard_streams(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)));
  if (!fd) return Error{Code::memory, cat("Cannot create a socket (", std::strerror(errno), ").")};
  return fd;
}

template <typename Call>
bool call_with(const Fd& fd, const sockaddr_un& address, Call call) {
  return call(fd.get(), reinterpret_cast<const sockaddr*>(&address), socklen_t(sizeof address)) == 0;
}

Status check_peer(const Fd& fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return Error{Code::forbidden, "Cannot determine the user at the other end of a connection."};
  if (peer.uid == geteuid()) return {};
  return Error{Code::forbidden,
               cat("The other end of a connection belongs to user ", peer.uid, ", not ", geteuid(), "'s.")};
}

}  // namespace

Result<Socket> listen_at(const std::string& path) {
  NNRT_ASSIGN(const sockaddr_un address, address_of(path));
  NNRT_ASSIGN(Fd fd, make_socket());
  // A stale socket does not answer.
  if (call_with(fd, address, connect))
    return Error{Code::invalid_path, cat("Another process already listens at ", path, ".")};
  struct stat status {};
  if (errno == ECONNREFUSED && lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode))
    unlink(path.c_str());
  NNRT_ASSIGN(fd, make_socket());
  const mode_t before = umask(0177);
  const bool is_bound = call_with(fd, address, bind);
  umask(before);
  if (!is_bound) return path_error("Cannot create a socket at", path);
  if (listen(fd.get(), kWaiting) != 0) return path_error("Cannot listen at", path);
  return Socket(std::move(fd));
}

Result<Socket> accept_client(const Socket& listening) {
  while (true) {
    Fd fd(above_standard_streams(accept4(listening.fd(), nullptr, nullptr, SOCK_CLOEXEC)));
    if (!fd && (errno == EINTR || errno == ECONNABORTED)) continue;
    const int error_number = errno;
    if (!fd)
      return Error{code_for(error_number, Code::failed),
                   cat("Cannot accept a client (", std::strerror(error_number), ").")};
    NNRT_TRY(check_peer(fd));
    return Socket(std::move(fd));
  }
}

Result<Socket> connect_to(const std::string& path) {
  NNRT_ASSIGN(const sockaddr_un address, address_of(path));
  NNRT_ASSIGN(Fd fd, make_socket());
  if (!call_with(fd, address, connect)) return path_error("There is no host at", path);
  NNRT_TRY(check_peer(fd));
  return Socket(std::move(fd));
}

}  // namespace nnrt::host
