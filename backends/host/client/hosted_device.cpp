#include "backends/host/client/hosted_device.h"

#include "backends/host/client/hosted_model.h"
#include "core/base/text.h"
#include "core/passes/drop_weights.h"

namespace nnrt::host {
namespace {

constexpr double kCrossingMicroseconds = 20;  // a run's round trip (bench/results/hosted-devices.md)
constexpr int kAttempts = 3;                  // to restore a model

Status read_all_but(const Graph& graph, const std::vector<bool>& withheld) {
  std::vector<SharedBytes> needed;
  for (TensorId id = 0; id < graph.tensors.size(); ++id)
    if (withheld.empty() || !withheld[id]) needed.push_back(graph.tensors[id].data);
  return ensure_read(needed);
}

}  // namespace

Result<std::shared_ptr<Session>> Host::session() {
  const std::lock_guard lock(mutex_);
  if (session_ != nullptr && !session_->poll_closed()) return session_;
  session_ = nullptr;
  NNRT_ASSIGN(session_, start_());
  return session_;
}

HostedDevice::HostedDevice(std::shared_ptr<Host> host, DeviceRow row)
    : host_(std::move(host)), row_(std::move(row)) {
  row_.costs.partition_us += kCrossingMicroseconds;
}

Result<Session::Response> HostedDevice::call(Session::Request request) const {
  NNRT_ASSIGN(const auto session, host_->session());
  return session->checked_call(std::move(request));
}

DeviceStatus HostedDevice::status() const {
  const auto response = call(Session::request_for(Kind::status, row_.info.id));
  // Running out of memory for the request says nothing about the device.
  if (!response.ok())
    return response.error().code == Code::memory ? DeviceStatus::available : DeviceStatus::lost;
  ByteReader reader(response.value().rest());
  const auto status = reader.choice(DeviceStatus::lost);
  return reader.bad() ? DeviceStatus::lost : status;
}

Result<DeviceType> HostedDevice::type() const {
  if (!row_.is_plugin) return row_.type;
  NNRT_ASSIGN(const Session::Response response, call(Session::request_for(Kind::type, row_.info.id)));
  ByteReader reader(response.rest());
  const auto type = reader.choice(DeviceType::accelerator);
  if (!reader.bad()) return type;
  return Error{Code::unavailable_device, cat("The type of ", row_.info.name, " cannot be read.")};
}

Result<bool> HostedDevice::has(Feature feature) const {
  if (!row_.is_plugin) return true;
  Session::Request request = Session::request_for(Kind::has, row_.info.id);
  request.body.put(feature);
  NNRT_ASSIGN(const Session::Response response, call(std::move(request)));
  ByteReader reader(response.rest());
  const bool has = reader.flag();
  if (!reader.bad()) return has;
  return Error{Code::unavailable_device, cat("Cannot parse the properties of ", row_.info.name, ".")};
}

Result<std::shared_ptr<SharedMemory>> HostedDevice::allocate(size_t bytes) {
  if (!row_.is_plugin) return SharedMemory::create(bytes);
  NNRT_ASSIGN(const auto session, host_->session());
  return session->allocate(row_.info.id, bytes);
}

std::string HostedDevice::cache_key() const {
  if (const auto session = host_->session(); session.ok()) {
    for (const DeviceRow& row : session.value()->devices()) {
      if (row.info.id == row_.info.id) return row.cache_key;
    }
  }
  return row_.cache_key;
}

Result<Session::Request> HostedDevice::graph_request(Kind kind, Session& session, const Graph& graph,
                                                     const CompileOptions& options,
                                                     const std::vector<bool>& withheld) const {
  NNRT_TRY(read_all_but(graph, withheld));
  Session::Request request = Session::request_for(kind, row_.info.id);
  request.body.put(options);
  NNRT_ASSIGN(const std::vector<ConstantPlace> places, session.place_constants(graph, request, withheld));
  write_graph(request.body, graph, places);
  return request;
}

// If the host dies during the query, try once with a new one. If that dies too, this graph crashes the
// device.
Result<std::vector<Refusal>> HostedDevice::supports(const Graph& graph, const CompileOptions& options) const {
  Error error;
  for (int attempt = 0; attempt < 2; ++attempt) {
    NNRT_ASSIGN(const auto session, host_->session());
    auto refusals = query_support(*session, graph, options);
    if (refusals.ok()) return refusals;
    error = std::move(refusals).error();
    if (!session->closed()) break;
  }
  return std::move(error).during(cat("asking ", row_.info.name, " what it takes"));
}

Result<std::vector<Refusal>> HostedDevice::query_support(Session& session, const Graph& graph,
                                                         const CompileOptions& options) const {
  NNRT_ASSIGN(Session::Request request, graph_request(Kind::supports, session, graph, options));
  NNRT_ASSIGN(const Session::Response response, session.checked_call(std::move(request)));
  ByteReader reader(response.rest());
  std::vector<Refusal> refusals;
  for (auto& [is_refused, reason] : reader.get<std::vector<std::pair<bool, std::string>>>())
    refusals.push_back(is_refused ? Refusal(std::move(reason)) : std::nullopt);
  if (reader.bad() || !reader.at_end() || refusals.size() > graph.nodes.size())
    return session.malformed_response("Cannot parse which nodes a device supports.");
  return refusals;
}

Result<std::unique_ptr<PreparedModel>> HostedDevice::prepare(GraphPtr graph, const CompileOptions& options) {
  NNRT_ASSIGN(SessionPtr session, host_->session());
  NNRT_ASSIGN(Session::Request request, graph_request(Kind::prepare, *session, *graph, options));
  NNRT_ASSIGN(const Session::Response response, session->checked_call(std::move(request)));
  ByteReader reader(response.rest());
  const auto id = reader.get<uint64_t>();
  if (reader.bad()) return session->malformed_response("A model has no id.");
  return keep(std::move(session), *graph, id);
}

Result<std::unique_ptr<PreparedModel>> HostedDevice::restore(GraphPtr graph, const CompileOptions& options,
                                                             const SharedBytes& cached) {
  NNRT_ASSIGN(SessionPtr session, host_->session());
  NNRT_TRY(ensure_read(cached));  // late, because it may be read meanwhile
  NNRT_ASSIGN(const Fd fd, make_blob({&*cached, 1}));
  std::vector<bool> withheld = find_withholdable(*graph);
  for (TensorId id = 0; id < withheld.size(); ++id)
    withheld[id] = withheld[id] && is_deferred(graph->tensors[id].data);
  // A device asks for what it misses when it first accesses it, so it may ask again.
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    NNRT_ASSIGN(auto model, try_restore(session, *graph, options, fd.get(), cached->size(), withheld));
    if (model != nullptr) return model;
  }
  withheld.clear();
  return try_restore(session, *graph, options, fd.get(), cached->size(), withheld);
}

Result<std::unique_ptr<PreparedModel>> HostedDevice::try_restore(const SessionPtr& session,
                                                                 const Graph& graph,
                                                                 const CompileOptions& options, int exported,
                                                                 size_t bytes,
                                                                 std::vector<bool>& withheld) const {
  NNRT_ASSIGN(Session::Request request, graph_request(Kind::restore, *session, graph, options, withheld));
  request.attachments.push_back({AttachmentKind::bytes, 0, bytes, exported});
  NNRT_ASSIGN(const Session::Response response, session->checked_call(std::move(request)));
  ByteReader reader(response.rest());
  const auto id = reader.get<uint64_t>();
  if (reader.bad()) return session->malformed_response("A model has no id.");
  if (id != 0) return keep(session, graph, id);
  NNRT_TRY(read_missing(reader, *session, withheld));
  return std::unique_ptr<PreparedModel>();
}

Status HostedDevice::read_missing(ByteReader& reader, Session& session, std::vector<bool>& withheld) {
  const auto requested = reader.list<TensorId>();
  bool is_valid = !reader.bad() && reader.at_end();
  for (const TensorId id : requested) {
    is_valid = is_valid && id < withheld.size() && withheld[id];
    if (is_valid) withheld[id] = false;
  }
  if (is_valid && !requested.empty()) return {};
  return session.malformed_response("It requests constants that it already has.");
}

std::unique_ptr<PreparedModel> HostedDevice::keep(SessionPtr session, const Graph& graph, uint64_t id) const {
  session->drop_constants(graph);
  return model_of(std::move(session), drop_weights(graph), id);
}

Result<OfflineModel> HostedDevice::load(ByteView bytes, const CompileOptions& options) {
  NNRT_ASSIGN(SessionPtr session, host_->session());
  Session::Request request = Session::request_for(Kind::load, row_.info.id);
  request.body.put(options);
  NNRT_ASSIGN(const Fd fd, make_blob({&bytes, 1}));
  request.attachments.push_back({AttachmentKind::bytes, 0, bytes.size(), fd.get()});
  NNRT_ASSIGN(const Session::Response response, session->checked_call(std::move(request)));
  ByteReader reader(response.rest());
  const auto id = reader.get<uint64_t>();
  auto graph = read_boundary(reader);
  if (!graph.ok() || !reader.at_end()) return session->malformed_response("Cannot parse an offline model.");
  return OfflineModel{graph.value(), model_of(std::move(session), graph.value(), id)};
}

std::unique_ptr<PreparedModel> HostedDevice::model_of(SessionPtr session, GraphPtr graph, uint64_t id) const {
  HostedModel::Allocate allocate = SharedMemory::create;
  if (row_.is_plugin)
    allocate = [session, device = row_.info.id](size_t bytes) { return session->allocate(device, bytes); };
  return std::make_unique<HostedModel>(std::move(session), std::move(graph), id, std::move(allocate),
                                       row_.is_plugin);
}

}  // namespace nnrt::host
