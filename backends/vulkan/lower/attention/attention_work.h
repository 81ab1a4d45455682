// Common to the kernels of ATTENTION, as shaders/include/gemm/attention_operands.glsl has it.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/schema/attention_geometry.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace nnrt::vulkan {

enum MaskKind : uint32_t { kNoMask, kNumbers, kFlags };

struct AttentionWork {
  Attention shape;
  MaskKind mask = kNoMask;
  uint32_t width = 1;  // elements that are loaded at once: 4 where both lengths allow it
  RowPlaces query, key, value, result;

  uint32_t parts() const { return uint32_t(shape.value_size) / width; }
  // Vectors of four elements, the last one perhaps not whole.
  uint32_t query_vectors() const;
  uint32_t value_vectors() const;
};

struct AttentionPush {
  uint32_t count = 0;
  uint32_t rows = 0, queries = 0, keys = 0;
  uint32_t size = 0, parts = 0;
  uint32_t key_heads = 0, group = 0;
  uint32_t blocks = 0, part_blocks = 0;
  int32_t shift = 0;
  float scale = 0;
  std::array<uint32_t, 4> mask_strides{};
  uint32_t splits = 1, split_keys = 0;
  // Between batches, heads and rows, in vectors of the width.
  std::array<uint32_t, 3> query_strides{}, key_strides{}, value_strides{}, result_strides{};
};

// The division of the work among workgroups.
struct AttentionGroups {
  uint32_t rows = 1;       // rows of a workgroup
  uint32_t parts = 1;      // parts of a value that a workgroup has, as the kernel counts them
  uint32_t all_parts = 1;  // all parts of a value
  uint32_t invocations = 32;
  uint32_t splits = 1, split_keys = 0;
};

Result<AttentionWork> attention_work(const LoweringContext& context);

std::array<uint32_t, 3> strides_of(const AttentionWork& work, const RowPlaces& rows);

// The shader of a kernel for the width of the work.
std::string_view attention_shader(const AttentionWork& work, std::string_view kernel,
                                  std::string_view variant = {});

// The dispatch of a shader. What it writes stands behind its five inputs.
Result<Dispatch> attention_dispatch(const LoweringContext& context, const AttentionWork& work,
                                    const AttentionGroups& groups, std::string_view shader);

}  // namespace nnrt::vulkan
