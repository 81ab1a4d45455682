// Rows that workgroups share, as shaders/include/base/row_group.glsl has them: (outer, length, inner) with a
// row for each of outer and inner. They pay where rows are few and long.
#pragma once

#include "backends/vulkan/device/device_plan.h"
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

// Sets the grid of workgroups, and appends the constant ACROSS.
void share_rows(Dispatch& dispatch, const Rows& rows, const DevicePlan& plan);

}  // namespace nnrt::vulkan
