#include "core/cache/stored_model.h"

#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/cache/deferred_constants.h"
#include "core/cache/graph_encoding.h"
#include "core/cache/model_note.h"
#include "core/cache/stored_partitions.h"
#include "core/device/cache_traits.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/piece_writer.h"
#include "core/passes/normalize.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/platform/trace.h"
#include "core/schema/untrusted_graph_checks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace nnrt {
namespace {

// Reads deferred bytes on another thread if they are large. ensure_read() waits for a read in progress, and
// repeats one that failed: errors are reported there. The destructor waits for the current read and skips the
// rest.
class BackgroundReads {
 public:
  explicit BackgroundReads(std::vector<SharedBytes> deferred);
  BackgroundReads(const BackgroundReads&) = delete;
  BackgroundReads& operator=(const BackgroundReads&) = delete;
  ~BackgroundReads();

 private:
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
};

BackgroundReads::BackgroundReads(std::vector<SharedBytes> deferred) {
  constexpr uint64_t kWorthThread = uint64_t{1} << 20;  // less is read sooner than a thread starts
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  if (total_size(deferred) < kWorthThread || setting_number(Setting::threads).value_or(cores) < 2) return;
  best_effort([&] {
    thread_ = std::thread([this, deferred = std::move(deferred)] {
      for (const SharedBytes& bytes : deferred) {
        if (is_stopped_) return;
        best_effort([&] { static_cast<void>(ensure_read(bytes)); });
      }
    });
  });
}

BackgroundReads::~BackgroundReads() {
  is_stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

constexpr size_t kMaxDevices = 3;  // the auto device, a GPU and the CPU

// Reports an error in a stored graph as file damage.
Status as_damage(const Status& status) {
  if (status.ok()) return {};
  return damaged(status.error().message);
}

// Each client operation has a unique position, and each lowered node refers to one of them.
Status check_positions(const Graph& graph, const Graph& lowered) {
  std::vector<bool> taken(graph.nodes.size(), false);
  for (const Node& node : graph.nodes) {
    if (node.position >= taken.size() || taken[node.position])
      return damaged("The position (", node.position, ") of an operation is not unique.");
    taken[node.position] = true;
  }
  for (const Node& node : lowered.nodes) {
    if (node.position >= taken.size())
      return damaged("The position (", node.position, ") of an operation does not exist.");
  }
  return {};
}

// Only a plugin may run invalid nodes.
Status check_sense(const Graph& graph, std::span<const StoredPartition> partitions,
                   const RestoreRequest& request) {
  for (const StoredPartition& partition : partitions) {
    if (partition.device == 0 && request.chosen.is_plugin()) continue;
    for (const NodeId node : partition.nodes) {
      if (graph.nodes[node].diagnosis) return as_damage(*graph.nodes[node].diagnosis);
    }
  }
  return {};
}

std::vector<PlacedNode> read_placement(ByteReader& reader, const Graph& graph,
                                       std::span<const StoredModel::StoredDevice> devices) {
  std::vector<PlacedNode> placement(graph.nodes.size());
  for (const Node& node : graph.nodes) placement[node.position] = {node.position, node.op, {}, {}};
  for (PlacedNode& node : placement) {
    const size_t device = reader.get<uint8_t>();
    node.device = devices[std::min(device, devices.size() - 1)].name;
    node.reason = reader.text();
  }
  return placement;
}

}  // namespace

Result<Bytes> read_note(const ByteSource& source, const CacheHeader& header) {
  if (source.size() == header.length) return Bytes();
  NNRT_ASSIGN(const SharedBytes rest, source.read(header.length, source.size() - header.length, false));
  NNRT_ASSIGN(const ByteView note, decode_note(*rest));
  return Bytes(note.begin(), note.end());
}

namespace {

Result<std::vector<StoredPart>> read_table(ByteView body, const CacheHeader& header) {
  const size_t count = size_t{header.constants} + header.made;
  if (count > body.size() / sizeof(StoredPart)) return damaged("It cannot have ", count, " parts.");
  std::vector<StoredPart> table(count);
  const ByteView bytes = body.last(count * sizeof(StoredPart));
  if (!bytes.empty()) std::memcpy(table.data(), bytes.data(), bytes.size());
  uint64_t left = header.length - kHeaderBytes - header.body;
  for (const StoredPart& part : table) {
    if (part.bytes > left) return damaged("Its parts exceed its length.");
    left -= part.bytes;
  }
  if (left > 0) return damaged("There are bytes after its parts.");
  // Constants read together lie side by side; padding keeps each aligned.
  for (const StoredPart& constant : std::span(table).first(header.constants))
    if (constant.bytes % kCacheAlignment != 0) return damaged("A constant is not padded.");
  return table;
}

}  // namespace

Result<StoredModel> StoredModel::open(std::unique_ptr<ByteSource> source, SourceLife life) {
  const trace::Span span("compile", "read cache");
  if (source->size() < kHeaderBytes) return damaged("It has ", source->size(), " bytes.");
  NNRT_ASSIGN(const SharedBytes start, source->read(0, kHeaderBytes, false));
  NNRT_ASSIGN(const CacheHeader header, CacheHeader::decode(*start));
  if (header.length > source->size())
    return damaged("It has ", source->size(), " bytes, not ", header.length, ".");
  NNRT_ASSIGN(Bytes note, read_note(*source, header));
  const VerifiedPart all{kHeaderBytes, header.body, header.body_checksum};
  NNRT_ASSIGN(const std::vector<SharedBytes> read, read_pages(*source, {&all, 1}));
  SharedBytes body = read[0];
  NNRT_ASSIGN(std::vector<StoredPart> table, read_table(*body, header));
  StoredModel stored(std::move(source), header, std::move(note), std::move(body), std::move(table), life);
  NNRT_TRY(stored.read_head());
  return stored;
}

Status StoredModel::read_head() {
  float16_ = reader_.flag();
  for (size_t left = reader_.count(1); left > 0 && !reader_.bad(); --left) {
    const auto id = reader_.get<uint64_t>();
    devices_.push_back({id, std::string(reader_.text())});
  }
  if (!reader_.bad() && !devices_.empty() && devices_.size() <= kMaxDevices) return {};
  return damaged("Its devices cannot be read.");
}

std::vector<VerifiedPart> StoredModel::parts() const {
  std::vector<VerifiedPart> parts;
  uint64_t position = kHeaderBytes + header_.body;
  for (const StoredPart& part : table_) {
    parts.push_back({position, part.bytes, part.checksum});
    position += part.bytes;
  }
  return parts;
}

std::vector<SharedBytes> StoredModel::deferred_made() const {
  const std::vector<VerifiedPart> all = parts();
  std::vector<SharedBytes> made;
  for (const VerifiedPart& part : std::span(all).subspan(header_.constants))
    made.push_back(part.bytes == 0 ? SharedBytes(std::make_shared<const Bytes>())
                                   : deferred_constant(source_, part, part.bytes));
  return made;
}

Status StoredModel::check_constants() const {
  const std::vector<VerifiedPart> all = parts();
  for (const VerifiedPart& part : std::span(all).first(header_.constants)) {
    NNRT_ASSIGN(const std::vector<SharedBytes> read, read_pages(*source_, {&part, 1}));
  }
  return {};
}

// `first` is the number of the first of them in the file. Large ones have their own memory, so that it can be
// released when no longer needed.
Status StoredModel::read_constants(Graph& graph, const std::vector<bool>& is_constant, size_t first) const {
  const std::vector<TensorId> order = constants_in_file(graph.tensors, is_constant);
  if (header_.constants - first < order.size())
    return damaged("Its table has ", header_.constants, " constants.");
  const std::vector<VerifiedPart> parts = this->parts();
  const std::vector<bool> is_deferred = life_ == SourceLife::open ? find_deferrable(graph, is_constant)
                                                                  : std::vector<bool>(graph.tensors.size());
  std::vector<VerifiedPart> now;
  std::vector<std::pair<TensorId, size_t>> sizes;
  for (const TensorId id : order) {
    const VerifiedPart& part = parts[first++];
    const auto bytes = byte_size(graph.tensors[id].dtype, graph.tensors[id].shape);
    if (!bytes || *bytes > part.bytes) return damaged("The data of tensor ", id, " is cut off.");
    if (is_deferred[id]) {
      graph.tensors[id].data = deferred_constant(source_, part, *bytes);
    } else {
      sizes.emplace_back(id, *bytes);
      now.push_back(part);
    }
  }
  NNRT_ASSIGN(const std::vector<SharedBytes> read, read_pages(*source_, now));
  for (size_t i = 0; i < sizes.size(); ++i)
    graph.tensors[sizes[i].first].data = read[i].part(0, sizes[i].second);
  return {};
}

Result<GraphPtr> StoredModel::read_client_graph(ByteReader& reader, bool is_trusted) const {
  ReadGraph read = read_graph(reader);
  if (reader.bad()) return damaged("The graph is cut off.");
  NNRT_TRY(read_constants(read.graph, read.is_constant, 0));
  NNRT_TRY(as_damage(check_untrusted_graph(read.graph, is_trusted)));
  return std::make_shared<const Graph>(std::move(read.graph));
}

// Constants of the client that shape inference of the normalized graph reads.
Status read_values(const Graph& lowered) {
  std::vector<bool> is_constant;
  for (const Tensor& tensor : lowered.tensors) is_constant.push_back(tensor.is_constant());
  const std::vector<bool> deferrable = find_deferrable(lowered, is_constant);
  for (TensorId id = 0; id < lowered.tensors.size(); ++id)
    if (is_constant[id] && !deferrable[id]) NNRT_TRY(ensure_read(lowered.tensors[id].data));
  return {};
}

// The client's graph must come from GraphBuilder or have been verified.
Result<GraphPtr> StoredModel::read_lowered_graph(ByteReader& reader, const GraphPtr& graph,
                                                 bool is_trusted) const {
  GraphPtr lowered = graph;
  auto first = static_cast<size_t>(std::ranges::count_if(graph->tensors, &Tensor::is_constant));
  if (first > header_.constants) return damaged("Its table has ", header_.constants, " constants.");
  if (std::optional<ReadGraph> read = read_lowered(reader, *graph)) {
    if (reader.bad()) return damaged("The normalized graph is cut off.");
    NNRT_TRY(read_constants(read->graph, read->is_constant, first));
    NNRT_TRY(read_values(read->graph));
    first += static_cast<size_t>(std::ranges::count(read->is_constant, true));
    NNRT_TRY(as_damage(check_untrusted_graph(read->graph, is_trusted)));
    lowered = std::make_shared<const Graph>(std::move(read->graph));
  }
  if (reader.bad()) return damaged("The normalized graph is cut off.");
  if (first != header_.constants) return damaged("Its table has ", header_.constants, " constants.");
  NNRT_TRY(check_positions(*graph, *lowered));
  if (is_normalized(*lowered)) return lowered;
  return damaged("The normalized graph has operations that are not normalized.");
}

Status StoredModel::skip_client_graph(ByteReader& reader, const Graph& model) const {
  const Bytes encoded = encode_graph(model);
  if (std::ranges::equal(reader.bytes(encoded.size()), encoded)) return {};
  return damaged("Its graph differs from the model's.");
}

Result<RestoredModel> StoredModel::restore(const RestoreRequest& request) const {
  try {
    return restore_parts(request);
  } catch (const UnreadableBytes& unreadable) {
    return Error(unreadable.error());
  }
}

Result<RestoredModel> StoredModel::restore_parts(const RestoreRequest& request) const {
  ByteReader reader = reader_;
  const bool is_trusted = request.chosen.is_plugin();
  const std::vector<SharedBytes> made = deferred_made();
  const BackgroundReads reads(made);  // while the graph is decoded and checked
  auto model = std::make_shared<CompiledModel>();
  model->device = &request.chosen;
  model->float16 = float16_;
  model->priority = request.options.priority;
  if (request.model) {
    NNRT_TRY(skip_client_graph(reader, *request.model));
    model->graph = request.model;
  } else {
    NNRT_ASSIGN(model->graph, read_client_graph(reader, is_trusted));
  }
  NNRT_ASSIGN(model->lowered, read_lowered_graph(reader, model->graph, is_trusted));
  model->choice = reader.text();
  model->placement = read_placement(reader, *model->graph, devices_);
  NNRT_ASSIGN(const std::vector<StoredPartition> partitions,
              read_partitions(reader, made, *model->lowered, devices_.size()));
  reader.align(kCacheAlignment);
  if (!reader.at_end() || reader.bad()) return damaged("There are extra bytes at the end.");
  NNRT_TRY(check_sense(*model->lowered, partitions, request));

  return make_ready(std::move(model), partitions, request);
}

// The devices named in the file.
Result<std::vector<Device*>> StoredModel::devices_of(const RestoreRequest& request) const {
  std::vector<Device*> known{&request.chosen};
  const auto members = request.chosen.members();
  known.insert(known.end(), members.begin(), members.end());
  if (request.fallback != nullptr) known.push_back(request.fallback);
  std::vector<Device*> devices;
  for (const StoredDevice& stored : devices_) {
    const auto found =
        std::ranges::find(known, stored.id, [](const Device* device) { return device->info().id; });
    if (found == known.end() || (devices.empty() && *found != &request.chosen))
      return damaged("It was compiled for device ", stored.name, ", which is not available.");
    devices.push_back(*found);
  }
  return devices;
}

Result<RestoredModel> StoredModel::make_ready(std::shared_ptr<CompiledModel> model,
                                              std::span<const StoredPartition> partitions,
                                              const RestoreRequest& request) const {
  CompileOptions options = request.options;
  options.float16 = float16_;
  NNRT_ASSIGN(const std::vector<Device*> devices, devices_of(request));
  bool renewed = false;
  Subgraphs subgraphs(*model->lowered);
  for (const StoredPartition& partition : partitions) {
    auto ready = nnrt::make_ready(partition, subgraphs, *devices[partition.device], request.fallback, options,
                                  renewed);
    if (!ready.ok() && ready.error().code == Code::unavailable_device) return std::move(ready).error();
    if (!ready.ok()) {
      NNRT_TRY(ensure_read(partition.made));  // returns the error if they cannot be read
      log(LogLevel::info, cat("The plan of the cache is rebuilt: ", ready.error().message));
      NNRT_TRY(ensure_read(*model->graph));
      NNRT_ASSIGN(auto compiled, compile(model->graph, request.chosen, request.fallback, options));
      return RestoredModel{std::move(compiled), true};
    }
    model->partitions.push_back(std::move(ready).value());
  }
  if (model->partitions.size() > 1)
    model->overlaps = should_overlap(expected_times(*model->lowered, model->scheduled_partitions()));
  log(LogLevel::info, cat(counted(model->placement.size(), "operation"), " in ",
                          counted(model->partitions.size(), "partition"), " restored from the cache."));
  return RestoredModel{std::move(model), renewed};
}

}  // namespace nnrt
