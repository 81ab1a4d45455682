// The values in messages.
#pragma once

#include "core/cache/graph_encoding.h"
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
std::vector<DeviceRow> read_devices(ByteReader& reader);

inline constexpr size_t kMaxRank = 200;  // for shapes reported by a host, and their ranges

// A tensor in a memory, identified by number; 0: no memory.
struct WireView {
  uint64_t memory = 0, offset = 0, bytes = 0;
  bool may_grow = false;
  Shape shape;
};

// The input and output tensors, as a graph without nodes.
void write_boundary(ByteWriter& writer, const Graph& graph);
Result<GraphPtr> read_boundary(ByteReader& reader);

}  // namespace nnrt::host

namespace nnrt {

template <>
inline constexpr auto kMembers<host::DeviceRow> =
    std::tuple(&host::DeviceRow::info, &host::DeviceRow::type, &host::DeviceRow::cache_key,
               &host::DeviceRow::max_tensor_bytes, &host::DeviceRow::costs, &host::DeviceRow::is_plugin,
               &host::DeviceRow::is_exclusive, &host::DeviceRow::properties);
template <>
inline constexpr auto kMembers<host::WireView> = std::tuple(&host::WireView::memory, &host::WireView::offset,
                                                            &host::WireView::bytes, &host::WireView::may_grow,
                                                            &host::WireView::shape);
template <>
inline constexpr auto kMembers<DeviceInfo> = std::tuple(&DeviceInfo::id, &DeviceInfo::name,
                                                        &DeviceInfo::vendor);
template <>
inline constexpr auto kLast<DeviceType> = DeviceType::accelerator;
template <>
inline constexpr auto kMembers<DeviceCosts> = std::tuple(&DeviceCosts::partition_us, &DeviceCosts::node_us,
                                                         &DeviceCosts::gflops, &DeviceCosts::int8_speedup,
                                                         &DeviceCosts::gbytes, &DeviceCosts::transfer_gbytes,
                                                         &DeviceCosts::rough);
template <>
struct Stored<DeviceProperty> {
  static void put(ByteWriter& writer, const DeviceProperty& property);
  static DeviceProperty get(ByteReader& reader);
};
template <>
inline constexpr auto kMembers<CompileOptions> = std::tuple(&CompileOptions::float16,
                                                            &CompileOptions::performance,
                                                            &CompileOptions::priority,
                                                            &CompileOptions::extensions);
template <>
inline constexpr auto kLast<PerformanceMode> = PerformanceMode::extreme;
template <>
inline constexpr auto kLast<Priority> = Priority::high;
// steady_clock is the same for all processes.
template <>
struct Stored<Deadline> {
  static void put(ByteWriter& writer, const Deadline& deadline);
  static Deadline get(ByteReader& reader);
};
template <>
struct Stored<Status> {
  static void put(ByteWriter& writer, const Status& status);
  static Status get(ByteReader& reader);
};
template <>
inline constexpr auto kMembers<DimRange> = std::tuple(&DimRange::smallest, &DimRange::largest);
template <>
inline constexpr auto kMembers<ArenaPlan::Allocation> = std::tuple(&ArenaPlan::Allocation::name,
                                                                   &ArenaPlan::Allocation::offset,
                                                                   &ArenaPlan::Allocation::bytes,
                                                                   &ArenaPlan::Allocation::first,
                                                                   &ArenaPlan::Allocation::last);
template <>
inline constexpr auto kMembers<ArenaPlan> = std::tuple(&ArenaPlan::bytes, &ArenaPlan::allocations);
template <>
inline constexpr auto kMembers<DeclinedKernel> = std::tuple(&DeclinedKernel::name, &DeclinedKernel::why);
template <>
inline constexpr auto kMembers<KernelChoice> = std::tuple(&KernelChoice::name, &KernelChoice::declined);
template <>
inline constexpr auto kMembers<OperationKernels> = std::tuple(&OperationKernels::operation,
                                                              &OperationKernels::kernels,
                                                              &OperationKernels::fused);
template <>
inline constexpr auto kMembers<PassChoice> = std::tuple(&PassChoice::name, &PassChoice::why_not);
template <>
inline constexpr auto kMembers<KernelReport> = std::tuple(&KernelReport::operations, &KernelReport::passes);

}  // namespace nnrt
