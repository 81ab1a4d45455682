// The process that a client starts for itself to host devices.
#pragma once

#include "backends/host/transport/host_socket.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace nnrt::host {

// The program: NNRT_TEST_DEVICE_HOST, or nnrt-device-host beside this library, or where it is installed.
// Empty where there is none.
std::string host_program();

class HostProcess {
 public:
  struct Started;
  // Runs the program with `--fd 3` and the arguments behind it. It gets one end of a connection and the
  // standard streams, no other file of this process, a group of its own (Ctrl-C is the client's to answer)
  // and default signals.
  static Result<Started> start(const std::string& program, const std::vector<std::string>& arguments);

  HostProcess() = default;
  HostProcess(HostProcess&& other) noexcept;
  HostProcess& operator=(HostProcess&&) = delete;
  ~HostProcess() { end(); }

  int pidfd() const { return pidfd_.get(); }  // -1 where the system has none
  pid_t pid() const { return pid_; }
  // Kills it and takes its exit status, so that nothing stays behind.
  void end();

 private:
  explicit HostProcess(pid_t pid);

  pid_t pid_ = -1;
  Fd pidfd_;
};

struct HostProcess::Started {
  HostProcess process;
  Socket socket;
};

}  // namespace nnrt::host
