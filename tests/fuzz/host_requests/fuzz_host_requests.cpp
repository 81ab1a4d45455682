// A client that sends arbitrary messages and files to a host of the CPU and a plugin, on the first channel.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/host/server/host_server.h"
#include "backends/plugin/plugin_device.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/host_packets.h"
#include "tests/support/simple_device.h"

#include <thread>

namespace nnrt {
namespace {

constexpr int64_t kMaxElements = 4096;  // over all tensors: a run takes milliseconds

// The CPU device, limited to small graphs.
class SmallDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return cpu_->info(); }
  Result<DeviceType> type() const override { return cpu_->type(); }
  DeviceStatus status() const override { return cpu_->status(); }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    if (!is_small(graph)) return std::vector<Refusal>(graph.nodes.size(), "The graph is too large.");
    return cpu_->supports(graph, options);
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    return cpu_->prepare(std::move(graph), options);
  }
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override {
    return cpu_->restore(std::move(graph), options, cached);
  }
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) override {
    return SharedMemory::create(bytes % (size_t{1} << 20));
  }

 private:
  static bool is_small(const Graph& graph) {
    int64_t elements = 0;
    for (const Shape& shape : graph.shapes) {
      int64_t count = 1;
      for (const int64_t dimension : shape) {
        if (dimension < 0 || (count *= dimension) > kMaxElements) return false;
      }
      if ((elements += count) > kMaxElements) return false;
    }
    return true;
  }

  const std::shared_ptr<Device> cpu_ = cpu::make_device();
};

// A driver with little memory.
class SmallDriver final : public test::SimpleDevice {
 public:
  using SimpleDevice::SimpleDevice;
  int32_t AllocateBuffer(uint32_t length, hdi::V2_0::SharedBuffer& buffer) override {
    if (length > (1u << 20)) return hdi::V2_0::NNRT_OUT_OF_MEMORY;
    return SimpleDevice::AllocateBuffer(length, buffer);
  }
};

host::Devices make_devices() {
  auto traits = std::make_shared<test::SimpleTraits>();
  traits->offline_inputs =
      traits->offline_outputs = {{"x", hdi::V2_0::DATA_TYPE_FLOAT32, {3}, hdi::V2_0::FORMAT_NHWC, {}}};
  auto plugin = plugin::make_device(std::make_shared<SmallDriver>(std::move(traits)));
  return {std::make_shared<SmallDevice>(), std::move(plugin).value()};
}

}  // namespace
}  // namespace nnrt

FUZZ_TARGET(host_requests)(const uint8_t* data, size_t size) {
  using namespace nnrt;
  static const host::Devices devices = make_devices();
  const std::vector<fuzz::Packet> packets = fuzz::read_packets(std::as_bytes(std::span(data, size)));
  auto ends = host::Socket::pair().value();
  std::thread server([&] { host::serve(ends.second.release(), devices); });
  for (const fuzz::Packet& packet : packets) {
    if (!fuzz::send(ends.first, packet)) break;
  }
  shutdown(ends.first.fd(), SHUT_WR);
  Bytes buffer(host::kMaxPacketBytes);
  while (ends.first.receive(buffer).ok()) {
  }
  server.join();
  return 0;
}
