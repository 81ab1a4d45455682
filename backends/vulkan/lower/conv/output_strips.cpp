#include "backends/vulkan/lower/conv/output_strips.h"

#include "backends/vulkan/lower/common/kernel_list.h"

#include <algorithm>
#include <span>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kMinRows = 4;  // rows of a tall strip

// 64 bits: the grid size has not been checked yet.
uint64_t strips(const StripWork& work, uint32_t pixels, uint32_t rows) {
  const uint64_t across = divide_up(work.out[1], pixels), down = divide_up(work.out[0], rows);
  return uint64_t(work.images) * work.parts * across * down;
}

uint32_t rows_of_tall(const StripWork& work, const DevicePlan& plan) {
  const uint64_t columns = strips(work, work.pixels_of_tall, std::max(work.out[0], 1u));
  const uint32_t height = work.out[0];
  if (columns == 0 || height == 0) return 1;
  const uint32_t wanted = plan.is_software ? 512 : 65536;  // invocations
  const auto chunks = uint32_t(std::clamp<uint64_t>(wanted / columns, 1, divide_up(height, kMinRows)));
  return divide_up(height, chunks);
}

// `share`: the fraction of the GPU's concurrent invocations that must be filled.
WhyNot why_not_strips(uint64_t strips, uint32_t share, const DevicePlan& plan) {
  if (strips >= invocations_at_once(plan) / share) return {};
  return WhyNot::slower("{} strips do not fill {} cores.", strips, plan.cores);
}

WhyNot why_not_registers(uint32_t registers, const DevicePlan& plan) {
  if (registers <= plan.max_registers) return {};
  return WhyNot::slower("An invocation has {} registers; it needs {}.", plan.max_registers, registers);
}

// A tall strip waits for each input row in turn; only other invocations can hide that.
WhyNot why_not_tall(const StripWork& work, const DevicePlan& plan) {
  if (plan.is_software) return {};
  if (const WhyNot why = why_not_registers(work.registers_of_tall, plan)) return why;
  return why_not_strips(strips(work, work.pixels_of_tall, kMinRows), 4, plan);
}

// All loads of a single output row are issued together, so one subgroup per scheduler is enough; large cores
// have four.
template <uint32_t pixels>
WhyNot why_not_one_row(const StripWork& work, const DevicePlan& plan) {
  if (plan.is_software) return WhyNot::slower("Software drivers compute tall strips faster.");
  if (const WhyNot why = why_not_registers(work.registers_of_row(pixels), plan)) return why;
  return why_not_strips(strips(work, pixels, 1), 8, plan);
}

struct StripKernel {
  std::string_view name;
  WhyNot (*why_not)(const StripWork&, const DevicePlan&);
  uint32_t pixels;  // 0: same as the tall strip
};

constexpr StripKernel kStrips[] = {{"tall_strip", why_not_tall, 0},
                                   {"strip_of_4", why_not_one_row<4>, 4},
                                   {"strip_of_2", why_not_one_row<2>, 2},
                                   {"single_output", nullptr, 1}};

}  // namespace

Result<OutputStrip> output_strip_for(const StripWork& work, const DevicePlan& plan, KernelLog* log) {
  const StripKernel* chosen =
      choose_kernel(std::span<const StripKernel>(kStrips), plan.kernels, log, work, plan);
  if (chosen == nullptr) return unsupported(kAllForbidden);
  if (chosen->pixels > 0) return OutputStrip{.pixels = chosen->pixels};
  return OutputStrip{work.pixels_of_tall, rows_of_tall(work, plan), false};
}

std::vector<std::string_view> output_strip_names() {
  std::vector<std::string_view> names;
  for (const StripKernel& strip : kStrips) names.push_back(strip.name);
  return names;
}

}  // namespace nnrt::vulkan
