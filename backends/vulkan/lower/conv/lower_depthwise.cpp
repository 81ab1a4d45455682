#include "backends/vulkan/lower/conv/lower_depthwise.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/common/texel_views.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/conv/lower_fast_compile.h"
#include "backends/vulkan/lower/conv/output_strips.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct RowsPush {
  uint32_t first_chunk = 0, chunks = 0, chunk = 0, x_first = 0;
  Size2 out{}, in{};
  uint32_t parts = 0;
  std::array<int32_t, 2> before{};
  EpiloguePush epilogue{};
};

// Registers per invocation of strips of 5x5 and of tall strips of 3x3, as RADV compiles them; with a stride
// of 2, as ANV does.
constexpr uint32_t kRegistersOf5x5 = 240, kRegistersOf3x3 = 112, kRegistersOf3x3By2 = 136;

// depthwise_rows.comp has variants for these square kernels, which reuse each input row.
WhyNot why_not_rows(const LoweringContext& context, const SpatialParams& spatial) {
  const int64_t in = context.node.shape(0)[3], out = context.node.shape(1)[0];
  if (in != out) return {"It has {} output and {} input channels.", out, in};
  const int64_t kernel = spatial.kernel[0], stride = spatial.stride[0];
  const bool is_square = spatial.kernel[1] == kernel && spatial.stride[1] == stride;
  if (!is_square || (kernel != 3 && kernel != 5) || (stride != 1 && stride != 2) ||
      spatial.dilation != std::array<int64_t, 2>{1, 1}) {
    return "Its kernel is neither 3x3 nor 5x5 with a stride of 1 or 2.";
  }
  const DevicePlan& plan = context.plan;
  if (kernel == 5 && !plan.is_software && plan.max_registers < kRegistersOf5x5)
    return WhyNot::slower("An invocation has {} registers; it needs {}.", plan.max_registers,
                          kRegistersOf5x5);
  return {};
}

class Depthwise {
 public:
  Depthwise(const LoweringContext& context, const SpatialParams& spatial)
      : context_(context),
        spatial_(spatial),
        images_(uint32_t(context.node.shape(0)[0])),
        in_channels_(uint32_t(context.node.shape(0)[3])),
        channels_(uint32_t(context.node.shape(1)[0])),
        in_(size2(spatial.in)),
        out_(size2(spatial.out)) {}

  Status add(bool by_rows) {
    NNRT_ASSIGN(epilogue_, epilogue_of(context_.node));
    NNRT_ASSIGN(weight_, pack_weights(context_, 1, {1, channels_, cells(), 0, cells(), 1}));
    return by_rows ? add_by_rows() : add_by_cells();
  }

 private:
  // Chunks of output rows for one dispatch, and the input rows that they read.
  struct RowTile {
    uint32_t first = 0, end = 0;
    TexelRange input;
  };

  uint32_t cells() const { return uint32_t(spatial_.kernel[0] * spatial_.kernel[1]); }
  bool vectors() const { return in_channels_ == channels_ && channels_ % 4 == 0; }
  uint32_t parts() const { return vectors() ? channels_ / 4 : channels_; }
  uint64_t weight_texels() const { return uint64_t(divide_up(channels_, 4)) * cells(); }
  uint64_t row_texels() const { return uint64_t(in_[1]) * in_channels_ / 4; }
  uint64_t texels() const { return row_texels() * in_[0] * images_; }

  Dispatch dispatch(std::string_view kernel, bool texels) const;
  Status add_by_cells() const;
  Status add_by_rows() const;
  std::array<int64_t, 2> rows_read(uint32_t first, uint32_t end) const;
  std::vector<RowTile> row_tiles(uint32_t chunk) const;

  const LoweringContext& context_;
  const SpatialParams& spatial_;
  const uint32_t images_, in_channels_, channels_;
  const Size2 in_, out_;
  Epilogue epilogue_;
  Buffer weight_;
};

Dispatch Depthwise::dispatch(std::string_view kernel, bool texels) const {
  const std::string shader = cat(kernel, vectors() ? "_f32_vec4" : "_f32", texels ? "_texels" : "");
  return {.shader = embedded_name(shader),
          .constants = {epilogue_.post_op},
          .push = {},
          .buffers = {context_.input(0), weight_, context_.input(2), context_.output(),
                      epilogue_operand(context_, epilogue_, weight_)}};
}

constexpr uint32_t kCellsPixels = 7;  // pixels per invocation of depthwise.comp

Status Depthwise::add_by_cells() const {
  const uint64_t max_texels = std::max(texels(), weight_texels());
  const bool has_views = reads_texels(vectors(), max_texels, context_.plan, context_.sink.kernel_log());
  const uint32_t rows = images_ * out_[0];
  const uint32_t in_parts = vectors() ? parts() : in_channels_;
  Dispatch cells = dispatch("depthwise", has_views);
  cells.push = Push(DepthwisePush{rows, out_, in_, parts(), in_parts, channels_ / in_channels_,
                                  push_of(spatial_), push_of(epilogue_)});
  cells.iterations = spatial_iterations(push_of(spatial_), 0);
  cells.threads = {rows * divide_up(out_[1], kCellsPixels) * parts(), 1, 1};
  return add_line(context_, std::move(cells));
}

// Input rows [first, end) read for these output rows.
std::array<int64_t, 2> Depthwise::rows_read(uint32_t first, uint32_t end) const {
  const int64_t kernel = spatial_.kernel[0], stride = spatial_.stride[0], top = spatial_.before[0];
  const int64_t open = (kernel - 1) / stride;
  const int64_t begin = (int64_t(first) - open) * stride + kernel - stride - top;
  const int64_t last = (int64_t(end) - 1) * stride + kernel - 1 - top;
  const auto inside = [&](int64_t row) { return std::clamp<int64_t>(row, 0, int64_t(in_[0]) - 1); };
  return {inside(begin), inside(last) + 1};
}

// As many chunks per tile as a view of the input covers; empty if not even one fits.
std::vector<Depthwise::RowTile> Depthwise::row_tiles(uint32_t chunk) const {
  const uint32_t chunks = divide_up(out_[0], chunk);
  if (texels() <= context_.plan.max_texels) return {{0, images_ * chunks, {}}};
  std::vector<RowTile> found;
  for (uint32_t image = 0; image < images_; ++image) {
    for (uint32_t first = 0, end = 0; first < chunks; first = end) {
      const auto read = [&](uint32_t to) { return rows_read(first * chunk, std::min(to * chunk, out_[0])); };
      const auto fits = [&](uint32_t to) {
        const auto [from, behind] = read(to);
        return uint64_t(behind - from) * row_texels() <= texels_of_part(context_.plan);
      };
      while (end < chunks && fits(end + 1)) ++end;
      if (end == first) return {};
      const auto [from, behind] = read(end);
      const uint64_t place = (uint64_t(image) * in_[0] + uint64_t(from)) * row_texels();
      found.push_back({image * chunks + first, image * chunks + end,
                       view_of(place, uint64_t(behind - from) * row_texels(), context_.plan)});
    }
  }
  return found;
}

Status Depthwise::add_by_rows() const {
  const bool is_wide = spatial_.kernel[0] != 3 && context_.plan.is_software;
  // 7 divides the usual widths. 4 compiles faster, and a GPU lacks the registers for 7 sums with 5x5 kernels.
  const auto kernel = uint32_t(spatial_.kernel[0]), stride = uint32_t(spatial_.stride[0]);
  const StripWork work{.images = images_,
                       .out = out_,
                       .parts = parts(),
                       .pixels_of_tall = is_wide ? 7u : 4u,
                       .registers_of_tall = kernel != 3   ? kRegistersOf5x5
                                            : stride == 1 ? kRegistersOf3x3
                                                          : kRegistersOf3x3By2,
                       .kernel = kernel,
                       .stride = stride,
                       .has_weights = true};
  NNRT_ASSIGN(const OutputStrip strip, output_strip_for(work, context_.plan, context_.sink.kernel_log()));
  const uint32_t tiles = strip.columns(work);
  uint32_t chunk = strip.rows;
  std::vector<RowTile> found;
  const bool may_view = reads_texels(vectors(), weight_texels(), context_.plan);
  if (may_view) {
    found = row_tiles(chunk);
    while (found.empty() && chunk > 1) found = row_tiles(chunk = divide_up(chunk, 2));
  }
  const bool has_views = !found.empty();
  if (KernelLog* log = context_.sink.kernel_log()) {
    const uint64_t wanted = may_view && !has_views ? texels() : weight_texels();
    reads_texels(vectors(), wanted, context_.plan, log);
  }
  if (!has_views) {
    chunk = strip.rows;
    found = {{0, images_ * divide_up(out_[0], chunk), {}}};
  }
  Dispatch rows = dispatch("depthwise_rows", has_views);
  rows.constants.insert(rows.constants.end(), {uint32_t(spatial_.kernel[0]), uint32_t(spatial_.stride[0]),
                                               strip.pixels, strip.one_row});
  RowsPush push{.chunk = chunk,
                .out = out_,
                .in = in_,
                .parts = parts(),
                .before = push_of(spatial_).before,
                .epilogue = push_of(epilogue_)};
  rows.iterations = loop_of(uint64_t{chunk} + uint64_t(spatial_.kernel[0]));
  for (const RowTile& tile : found) {
    push.first_chunk = tile.first;
    push.chunks = tile.end;
    push.x_first = uint32_t(tile.input.slice.offset / kTexelBytes);
    rows.push = Push(push);
    rows.slices = {tile.input.slice};
    rows.threads = {(tile.end - tile.first) * tiles * parts(), 1, 1};
    NNRT_TRY(add_line(context_, rows));
  }
  return {};
}

constexpr Kernel<SpatialParams> kDepthwise[] = {
    {"fast_compile",
     [](const LoweringContext& context, const SpatialParams&) {
       return why_not_fast_compile_shaders(context.plan);
     },
     add_fast_compile_depthwise},
    {"sliding_window", why_not_rows,
     [](const LoweringContext& context, const SpatialParams& spatial) {
       return Depthwise(context, spatial).add(true);
     }},
    {"direct", nullptr,
     [](const LoweringContext& context, const SpatialParams& spatial) {
       return Depthwise(context, spatial).add(false);
     }},
};

}  // namespace

std::vector<std::string_view> depthwise_kernels() {
  return names_of(std::span<const Kernel<SpatialParams>>(kDepthwise));
}

Status add_depthwise(const LoweringContext& context, const SpatialParams& spatial) {
  return lower_by_list(std::span<const Kernel<SpatialParams>>(kDepthwise), context, spatial);
}

}  // namespace nnrt::vulkan
