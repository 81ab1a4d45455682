// A program as bytes that a cache keeps, and back. It names graph, shaders and constants by their numbers and
// names: it is of use with the same ones alone.
//
// Bytes may come from anybody, so all that says where a command reads and writes is held against the memory
// that there is. What the kernels make of their push constants cannot be: the device must have been opened
// with robust_access, which keeps them inside the buffers of the model and the memory of the tensors it is
// run with. A forged program can still compute nonsense, or for so long that the driver gives the device up;
// and the driver's own data (PipelineCache::import_driver_data) is as trustworthy as who wrote it.
#pragma once

#include "backends/vulkan/program.h"
#include "core/byte_io.h"

namespace nnrt::vulkan {

// To be raised when what is written here, or what lowering makes of a graph, is another.
inline constexpr uint32_t kModelFormat = 19;

void write_program(const Program& program, ByteWriter& writer);

// A program without pipelines. `constants` are the sizes of the buffers of constants. Makes the reader bad
// where something is out of place.
Program read_program(ByteReader& reader, const Graph& graph, const DevicePlan& plan,
                     std::span<const uint64_t> constants);

// Once it has its pipelines, which know what they write: only intermediates and outputs may be.
Status check_accesses(const Program& program);

}  // namespace nnrt::vulkan
