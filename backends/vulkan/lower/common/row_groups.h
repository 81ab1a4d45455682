// Rows shared by a workgroup (shaders/include/base/row_group.glsl): (outer, length, inner) has one row per
// outer and inner index. Worth it if rows are few and long.
#pragma once

#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>

namespace nnrt::vulkan {

// In loads of the kernel, for example vec4.
struct Rows {
  uint32_t count = 0, length = 0, inner = 0;
};

// Adjacent rows per workgroup, and invocations per row.
struct RowGroup {
  uint32_t across = 1, lanes = 1;

  uint32_t invocations() const { return across * lanes; }
};

RowGroup row_group_for(const Rows& rows, const DevicePlan& plan);
uint32_t groups_of(const Rows& rows, const RowGroup& group);

// Every device supports at least this group size.
inline constexpr uint32_t kMinSharingGroup = 128;
WhyNot why_not_sharing(const DevicePlan& plan);

// `by_subgroups`: reduce a row by subgroup operations, not through shared memory alone.
WhyNot why_not_row_groups(const Rows& rows, const DevicePlan& plan, bool by_subgroups);

// Loop iterations of ROW_REDUCTION: a halving loop, or a loop over subgroups of at least 4.
constexpr uint64_t reduction_iterations(uint32_t invocations) { return loop_of(invocations / 4) + 32; }

// Loop iterations of one invocation that makes `passes` passes over its row, contiguously or in blocks.
uint64_t row_iterations(uint32_t length, uint32_t passes);
// The same for a shared row: an invocation takes some of the loads, and each pass ends with a reduction.
uint64_t shared_row_iterations(const Rows& rows, const DevicePlan& plan, uint32_t passes);

// Sets the grid and appends the specialization constant ACROSS.
void share_rows(Dispatch& dispatch, const Rows& rows, const DevicePlan& plan);

}  // namespace nnrt::vulkan
