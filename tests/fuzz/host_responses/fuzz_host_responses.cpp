// A host that sends arbitrary responses and files to a client that makes every kind of request.
#include "backends/host/client/hosted_device.h"
#include "core/schema/graph_builder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/host_packets.h"

#include <poll.h>

#include <cstdlib>
#include <thread>

namespace nnrt {
namespace {

// Answers each packet on the socket it came from with the next packet of the input; exits when none is left.
void respond(host::Fd first, const std::vector<fuzz::Packet>& packets) {
  std::vector<host::Socket> sockets;
  sockets.emplace_back(std::move(first));
  Bytes buffer(host::kMaxPacketBytes);
  for (size_t next = 0; next < packets.size();) {
    std::vector<pollfd> watched;
    for (const host::Socket& socket : sockets) watched.push_back({socket.fd(), POLLIN, 0});
    // A client that stops asking is waiting for another answer: the last one carried an old number.
    constexpr int kPatienceMs = 200;
    if (poll(watched.data(), watched.size(), kPatienceMs) <= 0) return;
    for (size_t i = 0; i < watched.size() && next < packets.size(); ++i) {
      if (watched[i].revents == 0) continue;
      auto request = host::receive(sockets[i], buffer);
      if (!request.ok()) return;
      if (host::is_notice(request.value().kind)) continue;
      for (const host::Attachment& attachment : request.value().attachments) {
        if (attachment.kind == host::AttachmentKind::socket)
          sockets.emplace_back(std::move(request.value().fds[0]));
      }
      fuzz::Packet packet{packets[next].is_response, packets[next].bytes, {}};
      constexpr size_t kNumberAt = 8;
      if (packet.is_response && packet.bytes.size() >= kNumberAt + sizeof(uint64_t))
        std::memcpy(packet.bytes.data() + kNumberAt, &request.value().number, sizeof(uint64_t));
      for (const host::Fd& fd : packets[next].fds) packet.fds.emplace_back(dup(fd.get()));
      ++next;
      if (!fuzz::send(sockets[i], packet)) return;
    }
  }
}

GraphPtr make_graph() {
  GraphBuilder builder;
  for (const Shape& shape : {Shape{-1}, Shape{3}, Shape{-1}}) {
    Tensor tensor;
    tensor.dtype = DType::f32;
    tensor.shape = shape;
    static_cast<void>(builder.add_tensor(std::move(tensor)));
  }
  const float values[] = {1, 2, 3};
  static_cast<void>(builder.set_data(1, std::as_bytes(std::span(values))));
  static_cast<void>(
      builder.add_operation(int(Op::add), {}, std::vector<uint32_t>{0, 1}, std::vector<uint32_t>{2}));
  static_cast<void>(builder.specify(std::vector<uint32_t>{0}, std::vector<uint32_t>{2}));
  static_cast<void>(builder.finish());
  return builder.graph();
}

void use(host::HostedDevice& device) {
  static const GraphPtr graph = make_graph();
  static_cast<void>(device.status());
  static_cast<void>(device.type());
  static_cast<void>(device.has(Feature::caching));
  auto allocated = device.allocate(64);
  if (allocated.ok() && allocated.value()->bytes() != 64) std::abort();
  static_cast<void>(device.supports(*graph, {}));
  auto model = device.prepare(graph, {});
  if (!model.ok()) return;
  if (const auto ranges = model.value()->input_ranges(); ranges.ok() && ranges.value().size() > 1)
    std::abort();
  const auto memory = SharedMemory::create(64).value();
  const std::vector<TensorView> inputs{{memory, 0, 12, {3}}};
  for (const bool may_grow : {false, true}) {
    std::vector<OutputSlot> outputs{{{may_grow ? nullptr : memory, 32, 12, {}}, may_grow}};
    const Status status = model.value()->run(inputs, outputs, Clock::now() + std::chrono::milliseconds(50));
    const TensorView& view = outputs[0].view;
    const auto bytes = byte_size(DType::f32, view.shape);
    // A successful run's responses must be consistent.
    if (status.ok() && (!bytes || *bytes > view.bytes || view.offset + view.bytes > view.memory->bytes()))
      std::abort();
  }
  if (device.is_plugin()) static_cast<void>(device.load(Bytes(16), {}));
  static_cast<void>(model.value()->export_cache(graph));
  static_cast<void>(model.value()->arena());
  const SharedBytes cached(std::make_shared<const Bytes>(Bytes(16)));
  static_cast<void>(device.restore(graph, {}, cached));
}

}  // namespace
}  // namespace nnrt

FUZZ_TARGET(host_responses)(const uint8_t* data, size_t size) {
  using namespace nnrt;
  const std::vector<fuzz::Packet> packets = fuzz::read_packets(std::as_bytes(std::span(data, size)));
  auto ends = host::Socket::pair().value();
  std::thread server([&, fd = ends.second.release()]() mutable { respond(std::move(fd), packets); });
  if (auto session = host::Session::connect(std::move(ends.first), host::HostProcess()); session.ok()) {
    auto only = std::move(session).value();
    host::DeviceRow row;
    if (!only->devices().empty()) row = only->devices().front();
    const auto host = std::make_shared<host::Host>([&]() -> Result<std::shared_ptr<host::Session>> {
      if (only == nullptr) return Error{Code::unavailable_device, "There is no other host."};
      return std::move(only);
    });
    host::HostedDevice device(host, row);
    use(device);
  }
  server.join();
  return 0;
}
