// The host's end: answers what one client asks of devices.
#pragma once

#include "backends/host/transport/host_socket.h"
#include "core/device/device.h"

#include <functional>
#include <memory>
#include <vector>

namespace nnrt::host {

using Devices = std::vector<std::shared_ptr<Device>>;

// Serves the client on the socket and on those that it sends for further channels, each with a thread. When
// the client is gone, calls `gone`, waits for its runs to end and returns. Nothing that it sends makes this
// process fail, as long as the devices do not. Throws only where memory is short for one more client.
void serve(Fd socket, const Devices& devices, const std::function<void()>& gone = {});

}  // namespace nnrt::host
