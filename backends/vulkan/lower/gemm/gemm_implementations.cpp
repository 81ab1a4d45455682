#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/fast_compile_gemm.h"
#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/lower_gemv.h"

namespace nnrt::vulkan {
namespace {

template <MatrixSource source>
constexpr Kernel<Gemm> matrix_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const Gemm& gemm) {
        return why_not_cooperative_matrix(context, gemm, source);
      },
      [](const LoweringContext& context, const Gemm& gemm) { return add_cooperative_matrix(context, gemm); },
      View::fp16 | View::slice};
}

template <TileKind kind>
constexpr Kernel<Gemm> tile_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const Gemm& gemm) { return why_not_tiles(context, gemm, kind); },
      [](const LoweringContext& context, const Gemm& gemm) { return add_gemm_tiles(context, gemm, kind); },
      View::slice, [](const LoweringContext&, const Gemm& gemm) { return tile_iterations(gemm, kind); }};
}

template <bool by_subgroups>
constexpr Kernel<Gemm> gemv_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const Gemm& gemm) {
        return why_not_gemv(context, gemm, by_subgroups);
      },
      [](const LoweringContext& context, const Gemm& gemm) { return add_gemv(context, gemm, by_subgroups); },
      View::slice,
      [](const LoweringContext& context, const Gemm& gemm) {
        return loop_of(1, gemv_iterations(gemm, context.plan));
      }};
}

constexpr Kernel<Gemm> kGemms[] = {
    {"fast_compile",
     [](const LoweringContext& context, const Gemm& gemm) {
       return gemm.right ? WhyNot("Its weights are packed in tiles.")
                         : why_not_fast_compile_shaders(context.plan);
     },
     add_fast_compile_gemm, View::slice, fast_compile_iterations},
    gemv_kernel<true>("gemv_by_subgroups"),
    gemv_kernel<false>("gemv_by_group"),
    matrix_kernel<MatrixSource::native>("cooperative_matrix"),
    matrix_kernel<MatrixSource::emulated>("cooperative_matrix_emulated"),
    tile_kernel<TileKind::subgroup>("subgroup_tile"),
    tile_kernel<TileKind::texel_buffer>("texel_buffer"),
    tile_kernel<TileKind::shared_memory>("shared_memory_tile"),
    tile_kernel<TileKind::small_registers>("small_register_tile"),
    tile_kernel<TileKind::registers>("register_tile"),
};

}  // namespace

std::vector<std::string_view> gemm_kernels() { return names_of(std::span<const Kernel<Gemm>>(kGemms)); }

Status add_gemm(const LoweringContext& context, const Gemm& gemm) {
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(context.node.shape(i)));
  NNRT_TRY(count_of(context.node.output_shape()));
  return lower_by_list(std::span<const Kernel<Gemm>>(kGemms), context, gemm);
}

}  // namespace nnrt::vulkan
