// make_host_corpus REQUESTS RESPONSES: writes valid conversations into the two corpora.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/host/transport/graph_message.h"
#include "backends/host/transport/wire_format.h"
#include "core/device/device_registry.h"
#include "core/passes/normalize.h"
#include "tests/fuzz/host_packets.h"
#include "tests/support/graph_maker.h"

#include <filesystem>
#include <fstream>

namespace nnrt {
namespace {

using host::Kind;

const auto cpu = cpu::make_device();

struct Corpus {
  std::filesystem::path folder;

  void add(const std::string& name, Bytes bytes) const {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }
};

// Reserves space: g++ 12 has a false positive for appending to an empty writer.
ByteWriter new_body() {
  ByteWriter body;
  body.reserve(1024);
  return body;
}

SharedBytes shared(ByteWriter& writer) { return std::make_shared<const Bytes>(writer.take()); }

void hello(ByteWriter& input) {
  ByteWriter body = new_body();
  body.put(host::kProtocol);
  fuzz::write_packet(input, false, {Kind::hello, 1, {}, shared(body), {}});
}

// supports, prepare, two runs, export, arena and release of one model.
Bytes requests_for(const GraphPtr& graph, size_t device) {
  ByteWriter input = new_body();
  hello(input);
  std::vector<ByteView> pieces;
  for (const TensorId id : host::constants_of(*graph)) pieces.push_back(*graph->tensors[id].data);
  const host::Fd store = host::make_blob(pieces).value();
  const std::vector<size_t> offsets = host::blob_offsets(pieces);
  std::vector<host::ConstantPlace> positions;
  for (size_t i = 0; i < pieces.size(); ++i) positions.push_back({7, offsets[i]});
  for (const Kind kind : {Kind::supports, Kind::prepare}) {
    ByteWriter body = new_body();
    body.put(uint64_t{device});
    body.put(CompileOptions{.extensions = {{"key", "value"}}});
    host::write_graph(body, *graph, positions);
    fuzz::write_packet(
        input, false,
        {kind, 2, {{host::AttachmentKind::store, 7, offsets.back(), store.get()}}, shared(body), {}});
  }
  const Bytes exported(100, std::byte{7});
  const ByteView piece = exported;
  const host::Fd blob = host::make_blob({&piece, 1}).value();
  ByteWriter restore = new_body();
  restore.put(uint64_t{device});
  restore.put(CompileOptions());
  host::write_graph(restore, *graph, std::vector<host::ConstantPlace>(pieces.size(), {host::kWithheld, 0}));
  fuzz::write_packet(
      input, false,
      {Kind::restore, 2, {{host::AttachmentKind::bytes, 0, 100, blob.get()}}, shared(restore), {}});
  const auto memory = SharedMemory::create(4096).value();
  for (const bool may_grow : {false, true}) {
    ByteWriter body = new_body();
    body.put(uint64_t{1});
    body.put(Deadline());
    body.put(uint64_t{graph->inputs.size()});
    for (const TensorId id : graph->inputs) body.put(host::WireView{9, 64, 256, false, graph->shapes[id]});
    body.put(uint64_t{graph->outputs.size()});
    for (const TensorId id : graph->outputs)
      body.put(host::WireView{may_grow ? 0u : 9u, may_grow ? 0u : 512u, may_grow ? 0u : 1024u, may_grow,
                              graph->shapes[id]});
    fuzz::write_packet(
        input, false,
        {Kind::run, 3, {{host::AttachmentKind::memory, 9, 4096, memory->fd()}}, shared(body), {}});
  }
  for (const Kind kind :
       {Kind::export_cache, Kind::arena, Kind::kernels, Kind::input_ranges, Kind::forget_model}) {
    ByteWriter body = new_body();
    body.put(uint64_t{1});
    fuzz::write_packet(input, false, {kind, 4, {}, shared(body), {}});
  }
  return input.take();
}

Bytes other_requests(size_t device) {
  ByteWriter input = new_body();
  hello(input);
  const auto ends = host::Socket::pair().value();
  fuzz::write_packet(
      input, false, {Kind::open_channel, 2, {{host::AttachmentKind::socket, 0, 0, ends.first.fd()}}, {}, {}});
  for (const Kind kind :
       {Kind::status, Kind::type, Kind::allocate, Kind::forget_memory, Kind::forget_store, Kind::response}) {
    ByteWriter body = new_body();
    body.put(uint64_t{device});
    body.put(uint64_t{64});
    fuzz::write_packet(input, false, {kind, 3, {}, shared(body), {}});
  }
  const Bytes model(100, std::byte{7});
  const ByteView piece = model;
  const host::Fd blob = host::make_blob({&piece, 1}).value();
  ByteWriter load = new_body();
  load.put(uint64_t{device});
  load.put(CompileOptions());
  fuzz::write_packet(input, false,
                     {Kind::load, 3, {{host::AttachmentKind::bytes, 0, 100, blob.get()}}, shared(load), {}});
  ByteWriter body = new_body();
  body.put(uint64_t{device});
  body.put(Feature::priority);
  fuzz::write_packet(input, false, {Kind::has, 3, {}, shared(body), {}});
  return input.take();
}

void add_response(ByteWriter& input, const std::function<void(ByteWriter&)>& write,
                  std::vector<host::Attachment> attachments = {}) {
  ByteWriter body = new_body();
  body.put(Status());
  write(body);
  fuzz::write_packet(input, true, {Kind::response, 0, std::move(attachments), shared(body), {}});
}

GraphPtr product() {
  test::GraphMaker maker;
  const TensorId weights = maker.floats({4, 3}, std::vector<float>(12, 0.5f));
  return normalize(maker.finish({maker.op(
      Op::full_connection, {maker.input({2, 3}), weights, maker.floats({4}, {0, 1, 2, 3})}, {2, 4})}));
}

GraphPtr chain() {
  test::GraphMaker maker;
  const TensorId x = maker.op(Op::add, {maker.input({5}), maker.floats({1}, {2})}, {5});
  return maker.finish({maker.op(Op::relu, {x}, {5}), maker.op(Op::abs, {x}, {5})});
}

// Responses of a built-in device: everything up to a run without output space, and a restored model.
Bytes responses() {
  ByteWriter input = new_body();
  const auto nothing = [](ByteWriter&) {};
  add_response(input, [](ByteWriter& body) {
    body.put(host::kProtocol);
    body.put(std::vector<host::DeviceRow>{{cpu->info(),
                                           DeviceType::cpu,
                                           {{"threads", uint64_t{2}}, {"fast", true}, {"name", "x"}},
                                           "key",
                                           1 << 30}});
  });
  add_response(input, nothing);  // notification channel
  add_response(input, nothing);  // a channel
  add_response(input, [](ByteWriter& body) { body.put(DeviceStatus::available); });
  add_response(input, [](ByteWriter& body) {
    body.put(uint64_t{1});
    body.put(uint8_t{0});
    body.text("");
  });
  const auto model = [](ByteWriter& body) { body.put(uint64_t{1}); };
  add_response(input, model);
  add_response(input, [](ByteWriter& body) { body.put(std::vector<DimRange>()); });
  const Shape shape{3};
  const auto output = [&](bool is_new) {
    return [&shape, is_new](ByteWriter& body) {
      body.list(std::span(shape));
      body.put(uint8_t(is_new));
    };
  };
  add_response(input, output(false));
  const auto memory = SharedMemory::create(4096).value();
  add_response(input, output(true), {{host::AttachmentKind::memory, 0, 4096, memory->fd()}});
  const Bytes exported(100, std::byte{5});
  const ByteView piece = exported;
  const host::Fd blob = host::make_blob({&piece, 1}).value();
  add_response(input, nothing, {{host::AttachmentKind::bytes, 0, 100, blob.get()}});
  add_response(input, [](ByteWriter& body) { body.put(ArenaPlan{64, {{"t", 0, 64, 0, 1}}}); });
  add_response(input, model);
  return input.take();
}

// Responses of a plugin: to plugin-only requests, and memory it allocates.
Bytes plugin_responses() {
  ByteWriter input = new_body();
  const auto nothing = [](ByteWriter&) {};
  add_response(input, [](ByteWriter& body) {
    body.put(host::kProtocol);
    body.put(std::vector<host::DeviceRow>{
        {cpu->info(), DeviceType::others, {{"plugin", true}}, "HDI 2.1", 1000, kUnknownCosts, true, false}});
  });
  add_response(input, nothing);
  add_response(input, nothing);
  add_response(input, [](ByteWriter& body) { body.put(DeviceStatus::busy); });
  add_response(input, [](ByteWriter& body) { body.put(DeviceType::accelerator); });
  add_response(input, [](ByteWriter& body) { body.put(uint8_t{1}); });
  std::vector<std::shared_ptr<SharedMemory>> memories;
  const auto memory = [&](size_t bytes) {
    memories.push_back(SharedMemory::create(bytes).value());
    return std::vector<host::Attachment>{
        {host::AttachmentKind::memory, host::kHostIdBit + memories.size(), bytes, memories.back()->fd()}};
  };
  add_response(input, nothing, memory(64));
  add_response(input, [](ByteWriter& body) {
    body.put(uint64_t{1});
    body.put(uint8_t{0});
    body.text("");
  });
  add_response(input, [](ByteWriter& body) { body.put(uint64_t{1}); });
  add_response(input, [](ByteWriter& body) { body.put(std::vector<DimRange>{{{1}, {100}}}); });
  const Shape shape{3};
  for (const bool is_new : {false, true}) {
    if (is_new) add_response(input, nothing, memory(12));
    add_response(
        input,
        [&](ByteWriter& body) {
          body.list(std::span(shape));
          body.put(uint8_t(is_new));
        },
        is_new ? memory(4096) : std::vector<host::Attachment>());
  }
  add_response(input, [](ByteWriter& body) {
    body.put(uint64_t{2});
    host::write_boundary(body, *chain());
  });
  return input.take();
}

Bytes refusing_responses() {
  ByteWriter input = new_body();
  add_response(input, [](ByteWriter& body) {
    body.put(host::kProtocol);
    body.put(std::vector<host::DeviceRow>{{cpu->info(), DeviceType::cpu, {}, "", 1000}});
  });
  for (int i = 0; i < 8; ++i) {
    ByteWriter body = new_body();
    body.put(i < 2 ? Status() : Status(Error{Code::memory, "There is none."}));
    fuzz::write_packet(input, true, {Kind::response, 0, {}, shared(body), {}});
  }
  return input.take();
}

size_t own_id() { return cpu->info().id; }

}  // namespace
}  // namespace nnrt

int main(int argc, char** argv) {
  using namespace nnrt;
  if (argc != 3) return 2;
  const Corpus to_host{argv[1]}, to_client{argv[2]};
  const size_t plugin = device_id(fuzz::kPluginName), own = own_id();
  to_host.add("product", requests_for(product(), own));
  to_host.add("chain", requests_for(chain(), own));
  to_host.add("others", other_requests(own));
  to_host.add("plugin_chain", requests_for(chain(), plugin));
  to_host.add("plugin_others", other_requests(plugin));
  to_client.add("all", responses());
  to_client.add("plugin", plugin_responses());
  to_client.add("refusals", refusing_responses());
  return 0;
}
