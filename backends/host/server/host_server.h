// The server side of a host: answers one client's requests to devices.
#pragma once

#include "backends/host/transport/host_socket.h"
#include "core/device/device.h"

#include <functional>
#include <memory>
#include <vector>

namespace nnrt::host {

using Devices = std::vector<std::shared_ptr<Device>>;

// Serves the client on this socket and on further channels that it opens, one thread each. When the client is
// gone, calls `gone`, waits for its runs and returns. Nothing that a client sends can crash this process
// unless it crashes a device. Throws only if memory for another client runs out.
void serve(Fd socket, const Devices& devices, const std::function<void()>& gone = {});

}  // namespace nnrt::host
