#include "backends/host/transport/wire_format.h"

#include "core/runtime/offline_model.h"

#include <cmath>

namespace nnrt::host {
namespace {

constexpr size_t kMinDeviceBytes = 109, kMinPropertyBytes = 10, kMinPlaceBytes = 32, kMinRangeBytes = 16,
                 kMinExtensionBytes = 16, kMinTensorBytes = 18, kMinOperationBytes = 20, kMinTextsBytes = 16;
constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

struct PropertyWriter {
  ByteWriter& writer;

  void operator()(bool value) const { writer.put(uint8_t(value)); }
  void operator()(uint64_t value) const { writer.put(value); }
  void operator()(const std::string& value) const { writer.text(value); }
};

DeviceProperty read_property(ByteReader& reader) {
  DeviceProperty property{std::string(reader.text()), false};
  switch (reader.number<uint8_t>(2)) {
    case 0: property.value = reader.flag(); break;
    case 1: property.value = reader.get<uint64_t>(); break;
    default: property.value = std::string(reader.text());
  }
  return property;
}

void write_costs(ByteWriter& writer, const DeviceCosts& costs) {
  writer.put(costs.partition_us);
  writer.put(costs.node_us);
  for (const auto& rates : {costs.gflops, costs.int8_speedup}) {
    for (const double rate : rates) writer.put(rate);
  }
  writer.put(costs.gbytes);
  writer.put(costs.transfer_gbytes);
  writer.put(uint8_t(costs.rough));
}

DeviceCosts read_costs(ByteReader& reader) {
  const auto read = [&] {
    const auto value = reader.get<double>();
    if (!(value >= 0 && std::isfinite(value))) reader.fail("A cost is not a finite number.");
    return value;
  };
  DeviceCosts costs;
  costs.partition_us = read();
  costs.node_us = read();
  for (auto* rates : {&costs.gflops, &costs.int8_speedup}) {
    for (double& rate : *rates) rate = read();
  }
  costs.gbytes = read();
  costs.transfer_gbytes = read();
  costs.rough = reader.flag();
  return costs;
}

std::vector<Tensor> read_tensors(ByteReader& reader) {
  std::vector<Tensor> tensors(reader.count(kMinTensorBytes));
  for (Tensor& tensor : tensors) {
    tensor.name = reader.text();
    tensor.dtype = reader.choice(DType::f64);
    tensor.format = reader.choice(Format::nd);
    tensor.shape = reader.list<int64_t>();
  }
  return tensors;
}

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

void write_devices(ByteWriter& writer, const std::vector<DeviceRow>& devices) {
  writer.put(uint64_t{devices.size()});
  for (const DeviceRow& device : devices) {
    writer.put(uint64_t{device.info.id});
    writer.text(device.info.name);
    writer.text(device.info.vendor);
    writer.put(device.type);
    writer.text(device.cache_key);
    writer.put(device.max_tensor_bytes);
    write_costs(writer, device.costs);
    writer.put(uint8_t(device.is_plugin));
    writer.put(uint8_t(device.is_exclusive));
    writer.put(uint64_t{device.properties.size()});
    for (const DeviceProperty& property : device.properties) {
      writer.text(property.name);
      writer.put(uint8_t(property.value.index()));
      std::visit(PropertyWriter{writer}, property.value);
    }
  }
}

std::vector<DeviceRow> read_devices(ByteReader& reader) {
  std::vector<DeviceRow> devices(reader.count(kMinDeviceBytes));
  for (DeviceRow& device : devices) {
    device.info.id = reader.get<uint64_t>();
    device.info.name = reader.text();
    device.info.vendor = reader.text();
    device.type = reader.choice(DeviceType::accelerator);
    device.cache_key = reader.text();
    device.max_tensor_bytes = reader.get<uint64_t>();
    device.costs = read_costs(reader);
    device.is_plugin = reader.flag();
    device.is_exclusive = reader.flag();
    for (size_t left = reader.count(kMinPropertyBytes); left > 0; --left)
      device.properties.push_back(read_property(reader));
    if (device.info.id == 0) reader.fail("A device has no id.");
  }
  return devices;
}

void write_options(ByteWriter& writer, const CompileOptions& options) {
  writer.put(uint8_t(options.float16));
  writer.put(options.performance);
  writer.put(options.priority);
  writer.put(uint64_t{options.extensions.size()});
  for (const auto& [name, value] : options.extensions) {
    writer.text(name);
    writer.text(value);
  }
}

CompileOptions read_options(ByteReader& reader) {
  CompileOptions options;
  options.float16 = reader.flag();
  options.performance = reader.choice(PerformanceMode::extreme);
  options.priority = reader.choice(Priority::high);
  for (size_t left = reader.count(kMinExtensionBytes); left > 0; --left) {
    std::string name(reader.text());
    options.extensions.insert_or_assign(std::move(name), std::string(reader.text()));
  }
  return options;
}

void write_deadline(ByteWriter& writer, Deadline deadline) {
  writer.put(deadline ? int64_t{deadline->time_since_epoch().count()} : kNoDeadline);
}

Deadline read_deadline(ByteReader& reader) {
  const auto time = reader.get<int64_t>();
  if (time == kNoDeadline) return {};
  return Clock::time_point(Clock::duration(time));
}

void write_status(ByteWriter& writer, const Status& status) {
  writer.put(status.ok() ? uint8_t{0} : uint8_t(status.error().code));
  if (!status.ok()) writer.text(status.error().message);
}

Status read_status(ByteReader& reader) {
  const auto code = reader.get<uint8_t>();
  if (code == 0) return {};
  if (!is_known_code(code)) reader.fail("A code is unknown.");
  return Error{Code(code), std::string(reader.text())};
}

void write_view(ByteWriter& writer, const WireView& view) {
  writer.put(view.memory);
  writer.put(view.offset);
  writer.put(view.bytes);
  writer.put(uint8_t(view.may_grow));
  writer.list(std::span(view.shape));
}

WireView read_view(ByteReader& reader) {
  WireView view;
  view.memory = reader.get<uint64_t>();
  view.offset = reader.get<uint64_t>();
  view.bytes = reader.get<uint64_t>();
  view.may_grow = reader.flag();
  view.shape = reader.list<int64_t>();
  return view;
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

void write_ranges(ByteWriter& writer, const std::vector<DimRange>& ranges) {
  writer.put(uint64_t{ranges.size()});
  for (const DimRange& range : ranges) {
    writer.list(std::span(range.smallest));
    writer.list(std::span(range.largest));
  }
}

std::vector<DimRange> read_ranges(ByteReader& reader) {
  std::vector<DimRange> ranges(reader.count(kMinRangeBytes));
  for (DimRange& range : ranges) {
    range.smallest = reader.list<size_t>();
    range.largest = reader.list<size_t>();
  }
  return ranges;
}

void write_arena(ByteWriter& writer, const ArenaPlan& arena) {
  writer.put(arena.bytes);
  writer.put(uint64_t{arena.allocations.size()});
  for (const ArenaPlan::Allocation& place : arena.allocations) {
    writer.text(place.name);
    writer.put(place.offset);
    writer.put(place.bytes);
    writer.put(place.first);
    writer.put(place.last);
  }
}

ArenaPlan read_arena(ByteReader& reader) {
  ArenaPlan arena{reader.get<uint64_t>(), {}};
  arena.allocations.resize(reader.count(kMinPlaceBytes));
  for (ArenaPlan::Allocation& place : arena.allocations) {
    place.name = reader.text();
    place.offset = reader.get<uint64_t>();
    place.bytes = reader.get<uint64_t>();
    place.first = reader.get<uint32_t>();
    place.last = reader.get<uint32_t>();
  }
  return arena;
}

void write_kernels(ByteWriter& writer, const KernelReport& report) {
  writer.put(uint64_t{report.operations.size()});
  for (const OperationKernels& operation : report.operations) {
    writer.put(operation.operation);
    writer.put(uint64_t{operation.kernels.size()});
    for (const KernelChoice& choice : operation.kernels) {
      writer.text(choice.name);
      writer.put(uint64_t{choice.declined.size()});
      for (const DeclinedKernel& declined : choice.declined) {
        writer.text(declined.name);
        writer.text(declined.why);
      }
    }
    writer.list(std::span<const uint32_t>(operation.fused));
  }
  writer.put(uint64_t{report.passes.size()});
  for (const PassChoice& pass : report.passes) {
    writer.text(pass.name);
    writer.text(pass.why_not);
  }
}

KernelReport read_kernels(ByteReader& reader) {
  KernelReport report;
  report.operations.resize(reader.count(kMinOperationBytes));
  for (OperationKernels& operation : report.operations) {
    operation.operation = reader.get<uint32_t>();
    operation.kernels.resize(reader.count(kMinTextsBytes));
    for (KernelChoice& choice : operation.kernels) {
      choice.name = reader.text();
      choice.declined.resize(reader.count(kMinTextsBytes));
      for (DeclinedKernel& declined : choice.declined) {
        declined.name = reader.text();
        declined.why = reader.text();
      }
    }
    operation.fused = reader.list<uint32_t>();
  }
  report.passes.resize(reader.count(kMinTextsBytes));
  for (PassChoice& pass : report.passes) {
    pass.name = reader.text();
    pass.why_not = reader.text();
  }
  return report;
}

}  // namespace nnrt::host
