// Shared by the ATTENTION kernels; must match shaders/include/gemm/attention_operands.glsl.
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
  uint32_t width = 1;  // elements per load: 4 if both lengths are multiples of 4
  View query, key, value, result;

  uint32_t parts() const { return uint32_t(shape.value_size) / width; }
  // Rounded up to whole vec4.
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
  // Batch, head and row strides, in units of `width`.
  std::array<uint32_t, 3> query_strides{}, key_strides{}, value_strides{}, result_strides{};
};

// How the work is divided among workgroups.
struct AttentionGroups {
  uint32_t rows = 1;       // rows per workgroup
  uint32_t parts = 1;      // slices of a value vector per workgroup
  uint32_t all_parts = 1;  // slices of a value vector in total
  uint32_t invocations = 32;
  uint32_t splits = 1, split_keys = 0;
};

Result<AttentionWork> attention_work(const LoweringContext& context);

std::array<uint32_t, 3> strides_of(const AttentionWork& work, const View& rows);

// The variant of a kernel for this width.
std::string_view attention_shader(const AttentionWork& work, std::string_view kernel,
                                  std::string_view variant = {});

// Outputs are bound after the five inputs. `iterations` are those that find the end of the keys that a mask
// shows; callers add the others.
Result<Dispatch> attention_dispatch(const LoweringContext& context, const AttentionWork& work,
                                    const AttentionGroups& groups, std::string_view shader);

}  // namespace nnrt::vulkan
