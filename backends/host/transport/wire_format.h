// Serializes the values in messages.
#pragma once

#include "core/base/byte_io.h"
#include "core/device/device.h"

#include <vector>

namespace nnrt::host {

// The device properties that a client gets when it connects.
struct DeviceRow {
  DeviceInfo info;
  DeviceType type = DeviceType::others;  // of a plugin: queried from its driver
  std::vector<DeviceProperty> properties;
  std::string cache_key;
  uint64_t max_tensor_bytes = 0;
  DeviceCosts costs = kUnknownCosts;
  bool is_plugin = false, is_exclusive = false;
};

DeviceRow row_of(const Device& device);
void write_devices(ByteWriter& writer, const std::vector<DeviceRow>& devices);
std::vector<DeviceRow> read_devices(ByteReader& reader);

void write_options(ByteWriter& writer, const CompileOptions& options);
CompileOptions read_options(ByteReader& reader);

// steady_clock is the same for all processes.
void write_deadline(ByteWriter& writer, Deadline deadline);
Deadline read_deadline(ByteReader& reader);

void write_status(ByteWriter& writer, const Status& status);
Status read_status(ByteReader& reader);

inline constexpr size_t kMaxRank = 200;  // for shapes reported by a host, and their ranges

// A tensor in a memory, identified by number; 0: no memory.
struct WireView {
  uint64_t memory = 0, offset = 0, bytes = 0;
  bool may_grow = false;
  Shape shape;
};
void write_view(ByteWriter& writer, const WireView& view);
WireView read_view(ByteReader& reader);

// The input and output tensors, as a graph without nodes.
void write_boundary(ByteWriter& writer, const Graph& graph);
Result<GraphPtr> read_boundary(ByteReader& reader);

void write_ranges(ByteWriter& writer, const std::vector<DimRange>& ranges);
std::vector<DimRange> read_ranges(ByteReader& reader);

void write_arena(ByteWriter& writer, const ArenaPlan& arena);
ArenaPlan read_arena(ByteReader& reader);

void write_kernels(ByteWriter& writer, const KernelReport& report);
KernelReport read_kernels(ByteReader& reader);

}  // namespace nnrt::host
