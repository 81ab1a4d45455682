// Devices in other processes, as configured by NNRT_HOSTED.
#pragma once

#include "backends/host/server/host_server.h"

#include <string>
#include <vector>

namespace nnrt::host {

// Starts a host process with these arguments and returns its devices. If the process dies, the next
// compilation starts it again. Empty, with a line in the log, if it cannot be started.
Devices start_devices(const std::vector<std::string>& arguments);

// The devices of the host that listens at the path. If it goes away, the next compilation connects again.
Devices connect_devices(const std::string& path);

}  // namespace nnrt::host
