#include "nnapi/plan/prepared_segment.h"

#include "backends/devices.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/cache/build_cache.h"
#include "core/placement/auto_device.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/runtime/placement_report.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/lower/operation_lowering.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace nnrt::nnapi {
namespace {

// The auto device, or else the first.
Device* default_device(const DeviceRegistry& registry) {
  for (const size_t id : registry.ids()) {
    Device* const device = registry.find(id);
    if (!device->members().empty()) return device;
  }
  return registry.find(0);
}

// A non-owning pointer: the registry owns the device.
std::shared_ptr<Device> borrowed(Device* device) {
  return {device, [](Device*) {}};
}

// A file name derived from the client's token.
std::string name_of(const Bytes& token) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = "nnapi_";
  for (const std::byte byte : token) {
    name += kDigits[size_t(byte) >> 4];
    name += kDigits[size_t(byte) & 15];
  }
  return name;
}

}  // namespace

Result<CompileTarget> compile_target(const Target& target, bool relaxed) {
  CompileTarget result;
  result.cache_directory = target.cache_directory;
  result.cache_name = name_of(target.cache_token);
  result.options.performance = target.performance;
  result.options.priority = target.priority;
  if (target.devices.size() == 1) {
    result.chosen = target.devices[0];
  } else if (!target.devices.empty()) {
    std::vector<std::shared_ptr<Device>> members;
    for (Device* const device : target.devices) members.push_back(borrowed(device));
    result.owned = make_auto_device(std::move(members));
    result.chosen = result.owned.get();
  } else {
    const DeviceRegistry& registry = device_registry();
    result.chosen = default_device(registry);
    if (result.chosen == nullptr) return Error{Code::unavailable_device, "The runtime has no device."};
    result.fallback = result.chosen->members().empty() ? registry.cpu() : cpu_of(result.chosen->members());
    if (result.fallback == result.chosen) result.fallback = nullptr;
  }
  NNRT_ASSIGN(const bool has_float16, result.chosen->has(Feature::float16));
  result.options.float16 = relaxed && has_float16;
  return result;
}

namespace {

constexpr size_t kMaxFree = 64;     // buffers kept for the next run
constexpr size_t kMaxWaste = 4;     // maximum ratio between the sizes of a reused buffer and of the request
constexpr size_t kSmall = 1 << 16;  // buffers up to this size are always reusable

bool fits(size_t have, size_t want) { return have >= want && (have <= kSmall || have / kMaxWaste <= want); }

}  // namespace

Result<std::shared_ptr<SharedMemory>> Buffers::take(size_t bytes) {
  std::shared_ptr<SharedMemory> memory;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(free_, [&](const auto& piece) { return fits(piece->bytes(), bytes); });
    if (found != free_.end()) {
      memory = std::move(*found);
      free_.erase(found);
    }
  }
  if (memory == nullptr) {
    NNRT_ASSIGN(memory, SharedMemory::create(std::max<size_t>(bytes, 1)));
  }
  SharedMemory* const raw = memory.get();
  const auto back = [owner = weak_from_this(), kept = std::move(memory)](SharedMemory*) mutable {
    if (const auto buffers = owner.lock()) buffers->give_back(std::move(kept));
  };
  return std::shared_ptr<SharedMemory>(raw, back);
}

void Buffers::give_back(std::shared_ptr<SharedMemory> memory) {
  const std::lock_guard lock(mutex_);
  if (free_.size() >= kMaxFree) return;
  const auto place =
      std::ranges::upper_bound(free_, memory->bytes(), {}, [](const auto& piece) { return piece->bytes(); });
  free_.insert(place, std::move(memory));
}

namespace {

bool is_met(const ExpectedInput& need, const HostValues& values) {
  const std::optional<HostValue>& value = values[need.operand];
  if (!value || value->omitted != need.omitted || value->shape != need.shape) return false;
  if (!need.contents) return true;
  return value->has_elements() && std::ranges::equal(value->bytes(), *need.contents);
}

// Upper bound for a result whose row count is only known at run time: the element count of all inputs.
size_t max_bytes(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensors[id];
  if (const auto bytes = byte_size(tensor.dtype, graph.shapes[id])) return *bytes;
  size_t elements = 0;
  for (const Tensor& other : graph.tensors) elements += size_t(element_count(other.shape).value_or(0));
  return std::max<size_t>(elements, 1) * sizeof(int64_t);
}

// Restores the segment from the client's cache, or compiles it and stores it there. A missing or read-only
// directory is not an error.
BuiltModel build(const GraphPtr& graph, size_t begin, const CompileTarget& target) {
  const bool has_cache =
      !target.cache_directory.empty() && access(target.cache_directory.c_str(), R_OK | W_OK | X_OK) == 0;
  if (has_cache) {
    const CacheRequest cache{target.cache_directory, cat(target.cache_name, "_", begin), 1};
    auto built = build_through_cache(cache, graph, {*target.chosen, target.fallback, target.options});
    if (built.ok()) return built;
    log(LogLevel::warning, built.error().message);
  }
  return compile(graph, *target.chosen, target.fallback, target.options);
}

double coordinate(const OperandType& type, ByteView regions, size_t i) {
  const DType dtype = core_dtype(type.code);
  if (dtype == DType::i32) return double(element<int32_t>(regions, i)) * double(type.scale);
  if (dtype == DType::f16) return double(to_float(element<Half>(regions, i)));
  return double(element<float>(regions, i));
}

// On the host, because GPU kernels cannot report errors.
Status check_boxes(const OperandType& type, ByteView regions, ByteView images, const RegionLimits& limits) {
  const size_t count = regions.size() / (4 * size_of(core_dtype(type.code)));
  for (size_t i = 0; i < count; ++i) {
    std::array<double, 4> box{};  // x1, y1, x2, y2
    for (size_t k = 0; k < 4; ++k) box[k] = coordinate(type, regions, 4 * i + k);
    const bool is_upright = box[0] <= box[2] && box[1] <= box[3];
    if (!is_upright) return invalid("Region ", i, " is inverted.");
    const bool is_within = (!limits.width || (box[0] >= 0 && box[2] <= *limits.width)) &&
                           (!limits.height || (box[1] >= 0 && box[3] <= *limits.height));
    if (!is_within) return invalid("Region ", i, " is outside the image.");
    const int32_t image = element<int32_t>(images, i);
    if (image < 0 || image >= limits.image_count)
      return invalid("Image (", image, ") of region ", i, " is outside [0, ", limits.image_count, ").");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const PreparedSegment>> PreparedSegment::make(const Model& model, Segment segment,
                                                                     const CompileTarget& target) {
  std::shared_ptr<PreparedSegment> prepared(new PreparedSegment(model, std::move(segment)));
  if (GraphPtr& graph = prepared->segment_.graph; graph != nullptr) {
    NNRT_ASSIGN(const auto compiled, build(graph, prepared->segment_.begin, target));
    if (const char* const path = setting_text(nnrt::Setting::placement); path != nullptr)
      write_placement(path, *compiled);
    NNRT_ASSIGN(prepared->compiled_, compiled->for_runs());
    graph = prepared->compiled_->graph;
  }
  return std::shared_ptr<const PreparedSegment>(std::move(prepared));
}

bool PreparedSegment::serves(const HostValues& values) const {
  return std::ranges::all_of(segment_.needs, [&](const ExpectedInput& need) { return is_met(need, values); });
}

Status PreparedSegment::check_indices(const HostValues& values) const {
  for (const auto& [operand, limit] : segment_.limits) {
    const std::optional<HostValue>& value = values[operand];
    if (!value || !value->has_elements()) continue;  // a constant, checked by the core
    const auto count = size_t(element_count(value->shape).value_or(0));
    for (size_t i = 0; i < count; ++i) {
      const int32_t index = element<int32_t>(value->bytes(), i);
      if (index < 0 || index >= limit) return invalid("Index (", index, ") is outside [0, ", limit, ").");
    }
  }
  return {};
}

Status PreparedSegment::check_regions(const HostValues& values) const {
  const auto contents = [&](uint32_t operand) -> SharedBytes {
    const Operand& described = model_.operands[operand];
    if (described.source == Source::constant) return core_bytes(described);
    const std::optional<HostValue>& value = values[operand];
    if (!value || !value->has_elements()) return {};
    return {value->view.memory, value->bytes()};
  };
  for (const RegionLimits& limits : segment_.regions) {
    const SharedBytes boxes = contents(limits.regions), images = contents(limits.images);
    if (boxes == nullptr || images == nullptr) continue;  // no regions
    const OperandType& type = model_.operands[limits.regions].type;
    NNRT_TRY(check_boxes(type, *boxes, *images, limits));
  }
  return {};
}

std::unique_ptr<Execution> PreparedSegment::take_execution() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Execution>(compiled_);
  auto execution = std::move(idle_.back());
  idle_.pop_back();
  return execution;
}

Result<std::vector<OutputSlot>> PreparedSegment::output_slots(const HostValues& destinations,
                                                              const RunState& state) const {
  const Graph& graph = *compiled_->graph;
  std::vector<OutputSlot> slots;
  for (size_t i = 0; i < segment_.outputs.size(); ++i) {
    const size_t bytes = max_bytes(graph, graph.outputs[i]);
    const auto& wish = destinations[segment_.outputs[i]];
    if (wish && wish->has_elements() && wish->view.bytes >= bytes) {
      slots.push_back({wish->view});
      continue;
    }
    NNRT_ASSIGN(auto memory, state.buffers->take(bytes));
    slots.push_back({{std::move(memory), 0, bytes, {}}});
  }
  return slots;
}

Status PreparedSegment::run_graph(HostValues& values, const HostValues& destinations, RunState& state) const {
  std::vector<TensorView> inputs;
  for (const uint32_t operand : segment_.inputs) {
    inputs.push_back(values[operand]->view);
    inputs.back().shape = or_one(tensor_shape(values[operand]->shape));
  }
  NNRT_ASSIGN(std::vector<OutputSlot> outputs, output_slots(destinations, state));
  std::unique_ptr<Execution> execution = take_execution();
  const auto start = Clock::now();
  NNRT_TRY(execution->run(inputs, outputs, state.deadline));
  state.on_hardware += Clock::now() - start;
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(execution));
  }
  const Graph& graph = *compiled_->graph;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorView& view = outputs[i].view;
    view.bytes = byte_size(graph.tensors[graph.outputs[i]].dtype, view.shape).value_or(0);
    Shape shape = is_static(segment_.shapes[i]) ? segment_.shapes[i] : or_one(view.shape);
    values[segment_.outputs[i]] = HostValue{false, std::move(shape), std::move(view)};
  }
  return {};
}

// A negative marker means that its operation found nothing.
void PreparedSegment::drop_missing_rows(HostValues& values) const {
  for (const RowMarker& marker : segment_.markers) {
    const std::optional<HostValue>& value = values[marker.marker];
    if (!value || !value->has_elements() || element<int32_t>(value->bytes(), 0) >= 0) continue;
    for (const uint32_t operand : marker.results) {
      if (!values[operand]) continue;
      values[operand]->shape[0] = 0;
      values[operand]->view = {};
    }
  }
}

Status PreparedSegment::run(HostValues& values, const HostValues& destinations, RunState& state) const {
  NNRT_TRY(check_indices(values));
  NNRT_TRY(check_regions(values));
  if (compiled_) NNRT_TRY(run_graph(values, destinations, state));
  for (const auto& [operand, shape] : segment_.empty) values[operand] = HostValue{false, shape, {}};
  drop_missing_rows(values);
  return {};
}

}  // namespace nnrt::nnapi
