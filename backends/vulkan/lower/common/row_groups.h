// Rows that workgroups share, as shaders/include/base/row_group.glsl has them: (outer, length, inner) with a
// row for each of outer and inner. They pay where rows are few and long.
#pragma once

#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>

namespace nnrt::vulkan {

// All three count what a kernel loads at once as one.
struct Rows {
  uint32_t count = 0, length = 0, inner = 0;
};

// A workgroup's neighbouring rows, and the invocations of each.
struct RowGroup {
  uint32_t across = 1, lanes = 1;

  uint32_t invocations() const { return across * lanes; }
};

RowGroup row_group_for(const Rows& rows, const DevicePlan& plan);
uint32_t groups_of(const Rows& rows, const RowGroup& group);

// Every device has as large ones.
inline constexpr uint32_t kMinSharingGroup = 128;
WhyNot why_not_sharing(const DevicePlan& plan);

// `by_subgroups`: they reduce a row, and not shared memory alone.
WhyNot why_not_row_groups(const Rows& rows, const DevicePlan& plan, bool by_subgroups);

// Loop iterations of ROW_REDUCTION: halving, or over the parts of subgroups, of which none is smaller than 4.
constexpr uint64_t reduction_iterations(uint32_t invocations) { return loop_of(invocations / 4) + 32; }

// Loop iterations of an invocation that goes over its row so many times, as a whole or in blocks.
uint64_t row_iterations(uint32_t length, uint32_t passes);
// The same where a workgroup shares its rows: an invocation has some of the loads, and each pass ends with a
// reduction of the row.
uint64_t shared_row_iterations(const Rows& rows, const DevicePlan& plan, uint32_t passes);

// Sets the grid of workgroups, and appends the constant ACROSS.
void share_rows(Dispatch& dispatch, const Rows& rows, const DevicePlan& plan);

}  // namespace nnrt::vulkan
