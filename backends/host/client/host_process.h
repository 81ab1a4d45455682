// The host process that a client starts for itself.
#pragma once

#include "backends/host/transport/host_socket.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace nnrt::host {

// NNRT_TEST_DEVICE_HOST, or nnrt-device-host next to this library or where it is installed. Empty if not
// found.
std::string host_program();

class HostProcess {
 public:
  struct Connection;
  // Runs the program with `--fd 3` and the arguments. It inherits one end of a connection and the standard
  // streams but no other files, and gets its own process group (the client handles Ctrl-C) and default signal
  // handlers.
  static Result<Connection> start(const std::string& program, const std::vector<std::string>& arguments);

  HostProcess() = default;
  HostProcess(HostProcess&& other) noexcept;
  HostProcess& operator=(HostProcess&&) = delete;
  ~HostProcess() { terminate(); }

  int pidfd() const { return pidfd_.get(); }  // -1 if the system does not support pidfds
  pid_t pid() const { return pid_; }
  // Kills and reaps the process.
  void terminate();

 private:
  explicit HostProcess(pid_t pid);

  pid_t pid_ = -1;
  Fd pidfd_;
};

struct HostProcess::Connection {
  HostProcess process;
  Socket socket;
};

}  // namespace nnrt::host
