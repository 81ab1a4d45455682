#include "backends/host/transport/wire_format.h"

#include "core/runtime/offline_model.h"

#include <cmath>

namespace nnrt::host {
namespace {

constexpr size_t kMinTensorBytes = 18;

// A cost that no device can have.
bool is_wrong(double cost) { return !(cost >= 0 && std::isfinite(cost)); }

bool is_valid(const DeviceCosts& costs) {
  const std::array single{costs.partition_us, costs.node_us, costs.gbytes, costs.transfer_gbytes};
  return std::ranges::none_of(single, is_wrong) && std::ranges::none_of(costs.gflops, is_wrong) &&
         std::ranges::none_of(costs.int8_speedup, is_wrong);
}

std::vector<Tensor> read_tensors(ByteReader& reader) {
  std::vector<Tensor> tensors(reader.count(kMinTensorBytes));
  for (Tensor& tensor : tensors) {
    tensor.name = reader.text();
    tensor.dtype = reader.get<DType>();
    tensor.format = reader.get<Format>();
    tensor.shape = reader.list<int64_t>();
  }
  return tensors;
}

}  // namespace

DeviceRow row_of(const Device& device) {
  auto type = DeviceType::others;
  if (!device.is_plugin())
    if (const auto reported = device.type(); reported.ok()) type = reported.value();
  return {device.info(),
          type,
          device.properties(),
          device.cache_key(),
          device.max_tensor_bytes(),
          device.costs(),
          device.is_plugin(),
          device.is_exclusive()};
}

std::vector<DeviceRow> read_devices(ByteReader& reader) {
  auto devices = reader.get<std::vector<DeviceRow>>();
  for (const DeviceRow& device : devices) {
    if (device.info.id == 0) reader.fail("A device has no id.");
    if (!is_valid(device.costs)) reader.fail("A cost is not a finite number.");
  }
  return devices;
}

void write_boundary(ByteWriter& writer, const Graph& graph) {
  for (const std::vector<TensorId>* const ids : {&graph.inputs, &graph.outputs}) {
    writer.put(uint64_t{ids->size()});
    for (const TensorId id : *ids) {
      const Tensor& tensor = graph.tensors[id];
      writer.text(tensor.name);
      writer.put(tensor.dtype);
      writer.put(tensor.format);
      writer.list(std::span(tensor.shape));
    }
  }
}

Result<GraphPtr> read_boundary(ByteReader& reader) {
  std::vector<Tensor> inputs = read_tensors(reader);
  std::vector<Tensor> outputs = read_tensors(reader);
  NNRT_TRY(reader.status());
  return graph_of(std::move(inputs), std::move(outputs));
}

}  // namespace nnrt::host

namespace nnrt {
namespace {

constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

bool is_known_code(uint8_t number) {
  switch (Code(number)) {
    case Code::failed:
    case Code::invalid_parameter:
    case Code::memory:
    case Code::forbidden:
    case Code::invalid_file:
    case Code::invalid_path:
    case Code::timeout:
    case Code::unsupported:
    case Code::connection:
    case Code::save_cache:
    case Code::dynamic_shape:
    case Code::unavailable_device: return true;
  }
  return false;
}

}  // namespace

void Stored<DeviceProperty>::put(ByteWriter& writer, const DeviceProperty& property) {
  writer.text(property.name);
  writer.put(uint8_t(property.value.index()));
  std::visit([&](const auto& value) { writer.put(value); }, property.value);
}

DeviceProperty Stored<DeviceProperty>::get(ByteReader& reader) {
  DeviceProperty property{std::string(reader.text()), false};
  switch (reader.number<uint8_t>(2)) {
    case 0: property.value = reader.flag(); break;
    case 1: property.value = reader.get<uint64_t>(); break;
    default: property.value = std::string(reader.text());
  }
  return property;
}

void Stored<Deadline>::put(ByteWriter& writer, const Deadline& deadline) {
  writer.put(deadline ? int64_t{deadline->time_since_epoch().count()} : kNoDeadline);
}

Deadline Stored<Deadline>::get(ByteReader& reader) {
  const auto time = reader.get<int64_t>();
  if (time == kNoDeadline) return {};
  return Clock::time_point(Clock::duration(time));
}

void Stored<Status>::put(ByteWriter& writer, const Status& status) {
  writer.put(status.ok() ? uint8_t{0} : uint8_t(status.error().code));
  if (!status.ok()) writer.text(status.error().message);
}

Status Stored<Status>::get(ByteReader& reader) {
  const auto code = reader.get<uint8_t>();
  if (code == 0) return {};
  if (!is_known_code(code)) reader.fail("A code is unknown.");
  return Error{Code(code), std::string(reader.text())};
}

}  // namespace nnrt
