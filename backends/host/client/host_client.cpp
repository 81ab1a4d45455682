#include "backends/host/client/host_client.h"

#include "backends/host/client/hosted_device.h"
#include "backends/host/server/host_listener.h"
#include "core/platform/log.h"

namespace nnrt::host {
namespace {

Devices devices_of(Host::Start start) {
  const auto host = std::make_shared<Host>(std::move(start));
  const auto session = host->session();
  if (!session.ok()) {
    log(LogLevel::warning, session.error().message);
    return {};
  }
  Devices devices;
  for (const DeviceRow& row : session.value()->devices())
    devices.push_back(std::make_shared<HostedDevice>(host, row));
  return devices;
}

}  // namespace

Devices start_devices(const std::vector<std::string>& arguments) {
  return devices_of([arguments]() -> Result<std::shared_ptr<Session>> {
    NNRT_ASSIGN(HostProcess::Connection started, HostProcess::start(host_program(), arguments));
    return Session::connect(std::move(started.socket), std::move(started.process));
  });
}

Devices connect_devices(const std::string& path) {
  return devices_of([path]() -> Result<std::shared_ptr<Session>> {
    NNRT_ASSIGN(Socket socket, connect_to(path));
    return Session::connect(std::move(socket), HostProcess());
  });
}

}  // namespace nnrt::host
