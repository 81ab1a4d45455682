#include "backends/host/server/served_client.h"

#include "backends/host/transport/graph_message.h"
#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/device/cache_traits.h"
#include "core/device/run_gate.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/normalize.h"
#include "core/runtime/offline_model.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace nnrt::host {

struct WithheldConstants::State {
  std::mutex mutex;
  std::set<TensorId> ids;
};

WithheldConstants::WithheldConstants() : state_(std::make_shared<State>()) {}

SharedBytes WithheldConstants::add(TensorId id, size_t bytes) {
  return deferred_bytes(bytes, bytes, [state = state_, id](std::span<std::byte>) -> Status {
    const std::lock_guard lock(state->mutex);
    state->ids.insert(id);
    return Error{Code::failed, cat("The client has not sent the data of tensor ", id, ".")};
  });
}

std::vector<TensorId> WithheldConstants::requested() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->ids.begin(), state_->ids.end()};
}

namespace {

constexpr size_t kMaxRows = size_t{1} << 16;  // limit per table

Error refused(const Refusal& refusal) { return {Code::unsupported, *refusal}; }

// Checks that the device supports the entire graph. The runtime does that before it prepares a graph, but
// clients are not trusted. A plugin checks by itself, and counts how often it is queried.
Status check_supported(const Device& device, const Graph& graph, const CompileOptions& options) {
  if (!device.is_plugin()) {
    NNRT_ASSIGN(const std::vector<Refusal> refusals, device.supports(graph, options));
    if (refusals.size() < graph.nodes.size())
      return Error{Code::failed, "The device did not answer for all operations."};
    for (const Refusal& refusal : refusals) {
      if (refusal) return refused(refusal);
    }
  }
  // Invalid nodes get here only if the device supports them; their graph need not be normalized.
  const bool is_valid =
      std::ranges::none_of(graph.nodes, [](const Node& node) { return node.diagnosis.has_value(); });
  if (is_valid && !is_normalized(graph)) return invalid("The graph is not normalized.");
  return {};
}

Result<SharedBytes> attached_bytes(const Message& request) {
  if (request.attachments.empty() || request.attachments.back().kind != AttachmentKind::bytes)
    return invalid("The request contains no offline model.");
  return open_blob(request.fds[request.attachments.size() - 1], request.attachments.back().bytes);
}

// A device that does not defer reading wants everything that is withheld.
Result<std::unique_ptr<PreparedModel>> restore_with(Device& device, const GraphPtr& graph,
                                                    const CompileOptions& options,
                                                    const SharedBytes& cached) {
  try {
    if (dynamic_cast<const DeferredReader*>(&device) == nullptr) NNRT_TRY(ensure_read(*graph));
    NNRT_TRY(check_supported(device, *graph, options));
    return device.restore(graph, options, cached);
  } catch (const UnreadableBytes& unreadable) {
    return Error(unreadable.error());
  }
}

// The current exception, from the device or this process, as an error.
Error thrown_error() noexcept {
  Error error = current_error();
  best_effort([&] {
    error.message.insert(0, error.code == Code::memory ? "Host process: " : "The device throws: ");
  });
  return error;
}

}  // namespace

Response ServedClient::respond(Message request) {
  Response response;
  response.message.kind = Kind::response;
  response.message.number = request.number;
  ByteWriter payload;
  Status status;
  try {
    status = handle_request(request, response, payload);
  } catch (...) {
    status = thrown_error();
  }
  ByteWriter writer;
  writer.put(status);
  writer.bytes(payload.take());
  response.message.body = std::make_shared<const Bytes>(writer.take());
  return response;
}

Status ServedClient::handle_request(Message& request, Response& response, ByteWriter& writer) {
  if (request.has_lost_fds) return Error{Code::memory, "The host process has no file descriptors left."};
  NNRT_TRY(accept_attachments(request));
  ByteReader reader(request.body ? *request.body : ByteView());
  return dispatch(request, reader, response, writer);
}

Status ServedClient::accept_attachments(Message& request) {
  for (size_t i = 0; i < request.attachments.size(); ++i)
    NNRT_TRY(accept_attachment(request.attachments[i], request.fds[i]));
  return {};
}

// If it exists already, two threads have sent it at once.
Status ServedClient::accept_attachment(const Attachment& attachment, Fd& fd) {
  if (attachment.kind == AttachmentKind::socket) return open_(Socket(std::move(fd)));
  if (attachment.kind == AttachmentKind::bytes) return {};
  const bool is_memory = attachment.kind == AttachmentKind::memory;
  {
    const std::lock_guard lock(mutex_);
    if (attachment.id == 0 || (attachment.id & kHostIdBit) != 0)
      return invalid("Id ", attachment.id, " is not valid for memory of a client.");
    if ((is_memory ? memories_.rows.size() : stores_.rows.size()) >= kMaxRows)
      return Error{Code::memory, "Too many memories."};
    if (is_memory ? memories_.rows.contains(attachment.id) : stores_.rows.contains(attachment.id)) return {};
  }
  if (is_memory) {
    NNRT_ASSIGN(auto memory, SharedMemory::adopt(fd.get(), attachment.bytes));
    const std::lock_guard lock(mutex_);
    memories_.rows.emplace(attachment.id, std::move(memory));
  } else {
    NNRT_ASSIGN(SharedBytes store, open_blob(fd, attachment.bytes));
    const std::lock_guard lock(mutex_);
    stores_.rows.emplace(attachment.id, std::move(store));
  }
  return {};
}

Status ServedClient::dispatch(const Message& request, ByteReader& reader, Response& response,
                              ByteWriter& writer) {
  switch (request.kind) {
    case Kind::hello: return hello(reader, writer);
    case Kind::open_channel:
    case Kind::share: return {};
    case Kind::status:
    case Kind::type:
    case Kind::has: return describe_device(request.kind, reader, writer);
    case Kind::supports: return supports(reader, writer);
    case Kind::prepare: return prepare(reader, writer);
    case Kind::restore: return restore(request, reader, writer);
    case Kind::load: return load(request, reader, writer);
    case Kind::export_cache: return export_cache(reader, response);
    case Kind::arena:
    case Kind::kernels:
    case Kind::input_ranges: return describe_model(request.kind, reader, writer);
    case Kind::run: return run(reader, response, writer);
    case Kind::allocate: return allocate(reader, response);
    case Kind::forget_model:
    case Kind::forget_memory:
    case Kind::forget_store: forget(request.kind, reader.get<uint64_t>()); return {};
    case Kind::response: break;
  }
  return invalid("Received a response instead of a request.");
}

// Does not wait while forgotten objects are destroyed.
void ServedClient::forget(Kind kind, uint64_t id) {
  std::shared_ptr<Model> model;
  std::shared_ptr<SharedMemory> memory;
  SharedBytes store;
  const std::lock_guard lock(mutex_);
  const auto take = [&](auto& table, auto& held) {
    held = table.find(id);
    table.rows.erase(id);
  };
  switch (kind) {
    case Kind::forget_model: take(models_, model); break;
    case Kind::forget_memory: take(memories_, memory); break;
    default: take(stores_, store);
  }
}

void ServedClient::discard(const Response& response) {
  for (const Attachment& attachment : response.message.attachments) {
    if (attachment.kind == AttachmentKind::memory) forget(Kind::forget_memory, attachment.id);
  }
}

Status ServedClient::hello(ByteReader& reader, ByteWriter& writer) const {
  const auto protocol = reader.get<uint32_t>();
  if (protocol != kProtocol)
    return Error{Code::connection, cat("The host speaks protocol ", kProtocol, ", not ", protocol, ".")};
  std::vector<DeviceRow> rows;
  for (const auto& device : devices_) rows.push_back(row_of(*device));
  writer.put(kProtocol);
  writer.put(rows);
  return {};
}

Result<Device*> ServedClient::read_device(ByteReader& reader) const {
  const auto id = reader.get<uint64_t>();
  for (const auto& device : devices_) {
    if (!reader.bad() && device->info().id == id) return device.get();
  }
  return invalid("Device (", id, ") does not exist.");
}

Status ServedClient::describe_device(Kind kind, ByteReader& reader, ByteWriter& writer) const {
  NNRT_ASSIGN(const Device* device, read_device(reader));
  if (kind == Kind::status) {
    writer.put(device->status());
  } else if (kind == Kind::type) {
    NNRT_ASSIGN(const DeviceType type, device->type());
    writer.put(type);
  } else {
    const auto feature = reader.choice(Feature::priority);
    NNRT_TRY(reader.status());
    NNRT_ASSIGN(const bool has, device->has(feature));
    writer.put(uint8_t(has));
  }
  return {};
}

Result<GraphPtr> ServedClient::read_graph(ByteReader& reader, WithheldConstants* withheld) {
  ConstantReads reads{[&](uint64_t id) {
    const std::lock_guard lock(mutex_);
    return stores_.find(id);
  }};
  if (withheld != nullptr)
    reads.withheld = [&](TensorId id, size_t bytes) { return withheld->add(id, bytes); };
  NNRT_ASSIGN(GraphPtr graph, host::read_graph(reader, reads));
  if (!reader.at_end()) return invalid("Unexpected bytes after a graph.");
  return graph;
}

Status ServedClient::supports(ByteReader& reader, ByteWriter& writer) {
  NNRT_ASSIGN(const Device* device, read_device(reader));
  const auto options = reader.get<CompileOptions>();
  NNRT_ASSIGN(const GraphPtr graph, read_graph(reader));
  NNRT_ASSIGN(std::vector<Refusal> refusals, device->supports(*graph, options));
  refusals.resize(std::min(refusals.size(), graph->nodes.size()));
  writer.put(uint64_t{refusals.size()});
  for (const Refusal& refusal : refusals) {
    writer.put(uint8_t(refusal.has_value()));
    writer.text(refusal.value_or(""));
  }
  return {};
}

Status ServedClient::prepare(ByteReader& reader, ByteWriter& writer) {
  auto model = std::make_shared<Model>();
  NNRT_ASSIGN(model->device, read_device(reader));
  const auto options = reader.get<CompileOptions>();
  model->priority = options.priority;
  NNRT_ASSIGN(model->graph, read_graph(reader));
  NNRT_TRY(check_supported(*model->device, *model->graph, options));
  NNRT_ASSIGN(model->prepared, model->device->prepare(model->graph, options));
  return keep(std::move(model), writer);
}

Status ServedClient::restore(const Message& request, ByteReader& reader, ByteWriter& writer) {
  auto model = std::make_shared<Model>();
  NNRT_ASSIGN(model->device, read_device(reader));
  const auto options = reader.get<CompileOptions>();
  model->priority = options.priority;
  WithheldConstants withheld;
  NNRT_ASSIGN(model->graph, read_graph(reader, &withheld));
  NNRT_ASSIGN(const SharedBytes cached, attached_bytes(request));
  auto restored = restore_with(*model->device, model->graph, options, cached);
  if (const std::vector<TensorId> requested = withheld.requested(); !restored.ok() && !requested.empty()) {
    writer.put(uint64_t{0});
    writer.list(std::span(requested));
    return {};
  }
  NNRT_ASSIGN(model->prepared, std::move(restored));
  return keep(std::move(model), writer);
}

Status ServedClient::load(const Message& request, ByteReader& reader, ByteWriter& writer) {
  auto model = std::make_shared<Model>();
  NNRT_ASSIGN(model->device, read_device(reader));
  const auto options = reader.get<CompileOptions>();
  NNRT_TRY(reader.status());
  auto* const loader = dynamic_cast<OfflineLoader*>(model->device);
  if (loader == nullptr) return Error{Code::failed, "The device cannot load offline models."};
  NNRT_ASSIGN(const SharedBytes bytes, attached_bytes(request));
  NNRT_ASSIGN(OfflineModel loaded, loader->load(*bytes, options));
  model->priority = options.priority;
  model->graph = loaded.graph;
  model->prepared = std::move(loaded.prepared);
  NNRT_TRY(keep(std::move(model), writer));
  write_boundary(writer, *loaded.graph);
  return {};
}

Status ServedClient::keep(std::shared_ptr<Model> model, ByteWriter& writer) {
  if (model->prepared == nullptr) return Error{Code::failed, "The device did not return a model."};
  const std::lock_guard lock(mutex_);
  if (models_.rows.size() >= kMaxRows) return Error{Code::memory, "Too many models."};
  models_.rows.emplace(++last_model_, std::move(model));
  writer.put(last_model_);
  return {};
}

Result<std::shared_ptr<ServedClient::Model>> ServedClient::read_model(ByteReader& reader) {
  const auto id = reader.get<uint64_t>();
  const std::lock_guard lock(mutex_);
  if (auto model = models_.find(id)) return model;
  return invalid("Model (", id, ") does not exist.");
}

Status ServedClient::describe_model(Kind kind, ByteReader& reader, ByteWriter& writer) {
  NNRT_ASSIGN(const auto model, read_model(reader));
  if (kind == Kind::arena) {
    writer.put(model->prepared->arena());
    return {};
  }
  if (kind == Kind::kernels) {
    writer.put(model->prepared->kernels(model->graph));
    return {};
  }
  NNRT_ASSIGN(const std::vector<DimRange> ranges, model->prepared->input_ranges());
  writer.put(ranges);
  return {};
}

Status ServedClient::export_cache(ByteReader& reader, Response& response) {
  NNRT_ASSIGN(const auto model, read_model(reader));
  NNRT_ASSIGN(const Bytes bytes, model->prepared->export_cache(model->graph));
  const ByteView piece = bytes;
  NNRT_ASSIGN(Fd fd, make_blob({&piece, 1}));
  response.message.attachments.push_back({AttachmentKind::bytes, 0, bytes.size(), fd.get()});
  response.fds.push_back(std::move(fd));
  return {};
}

Status ServedClient::allocate(ByteReader& reader, Response& response) {
  NNRT_ASSIGN(Device* const device, read_device(reader));
  NNRT_ASSIGN(auto memory, device->allocate(reader.get<uint64_t>()));
  if (memory == nullptr) return Error{Code::memory, "The device did not return memory."};
  return attach(std::move(memory), response);
}

Status ServedClient::attach(std::shared_ptr<SharedMemory> memory, Response& response) {
  const std::lock_guard lock(mutex_);
  if (memories_.rows.size() >= kMaxRows) return Error{Code::memory, "Too many memories."};
  const uint64_t id = ++last_memory_;
  response.message.attachments.push_back({AttachmentKind::memory, id, memory->bytes(), memory->fd()});
  response.memories.push_back(memory);
  memories_.rows.emplace(id, std::move(memory));
  return {};
}

}  // namespace nnrt::host
