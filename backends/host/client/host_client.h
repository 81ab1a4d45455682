// Devices of other processes, as NNRT_HOSTED asks for them.
#pragma once

#include "backends/host/server/host_server.h"

#include <string>
#include <vector>

namespace nnrt::host {

// The devices of a process that is started for them, and again when it is gone and something is to be
// compiled: `arguments` are those of the program. None, with a line in the log, if it cannot be started.
Devices start_devices(const std::vector<std::string>& arguments);

// The devices of the host that listens at the path, now and when something is to be compiled after it was
// gone.
Devices connect_devices(const std::string& path);

}  // namespace nnrt::host
