#include "backends/vulkan/lower/depthwise.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/finish.h"
#include "backends/vulkan/lower/fours.h"
#include "backends/vulkan/lower/paths.h"
#include "backends/vulkan/lower/product.h"
#include "backends/vulkan/lower/quick.h"
#include "backends/vulkan/lower/texel_views.h"
#include "backends/vulkan/lower/windows.h"
#include "backends/vulkan/shader.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct RowsPush {
  uint32_t first_chunk = 0, chunks = 0, chunk = 0, x_first = 0;
  Size2 out{}, in{};
  uint32_t parts = 0;
  std::array<int32_t, 2> before{};
  FinishPush finish{};
};

// As depthwise_rows.comp takes them: square, without dilation, with a row of the input in more than one.
bool goes_by_rows(const Window& window) {
  const int64_t kernel = window.kernel[0], stride = window.stride[0];
  return window.kernel[1] == kernel && window.stride[1] == stride && (kernel == 3 || kernel == 5) &&
         (stride == 1 || stride == 2) && window.dilation == std::array<int64_t, 2>{1, 1};
}

class Depthwise {
 public:
  Depthwise(const LoweringContext& context, const Window& window)
      : context_(context),
        window_(window),
        images_(uint32_t(context.node.shape(0)[0])),
        in_channels_(uint32_t(context.node.shape(0)[3])),
        channels_(uint32_t(context.node.shape(1)[0])),
        in_(size2(window.in)),
        out_(size2(window.out)) {}

  Status add() {
    NNRT_ASSIGN(finish_, finish_of(context_.node));
    NNRT_ASSIGN(weight_, pack_fours(context_, 1, {1, channels_, cells(), 0, cells(), 1}));
    return in_channels_ == channels_ && goes_by_rows(window_) ? add_by_rows() : add_by_cells();
  }

 private:
  // Chunks of rows that a dispatch computes, with the rows of the input that they read.
  struct Band {
    uint32_t first = 0, end = 0;
    Cut input;
  };

  uint32_t cells() const { return uint32_t(window_.kernel[0] * window_.kernel[1]); }
  bool vectors() const { return in_channels_ == channels_ && channels_ % 4 == 0; }
  uint32_t parts() const { return vectors() ? channels_ / 4 : channels_; }
  uint64_t weight_texels() const { return uint64_t(divide_up(channels_, 4)) * cells(); }
  uint64_t row_texels() const { return uint64_t(in_[1]) * in_channels_ / 4; }
  uint64_t texels() const { return row_texels() * in_[0] * images_; }

  Dispatch dispatch(std::string_view kernel, bool texels) const;
  Status add_by_cells() const;
  Status add_by_rows() const;
  std::array<int64_t, 2> rows_read(uint32_t first, uint32_t end) const;
  std::vector<Band> bands(uint32_t chunk) const;

  const LoweringContext& context_;
  const Window& window_;
  const uint32_t images_, in_channels_, channels_;
  const Size2 in_, out_;
  Finish finish_;
  Buffer weight_;
};

Dispatch Depthwise::dispatch(std::string_view kernel, bool texels) const {
  const std::string shader = cat(kernel, vectors() ? "_f32_vec4" : "_f32", texels ? "_texels" : "");
  return {.shader = variant_for(finish_, embedded_name(shader)),
          .constants = {finish_.then},
          .push = {},
          .buffers = {context_.input(0), weight_, context_.input(2), context_.output()}};
}

constexpr uint32_t kCellsPixels = 7;  // of an invocation of depthwise.comp

Status Depthwise::add_by_cells() const {
  const uint64_t most = std::max(texels(), weight_texels());
  const bool has_views = vectors() && choose_path({most, most}, context_.plan) == PathId::formatted;
  const uint32_t rows = images_ * out_[0];
  const uint32_t in_parts = vectors() ? parts() : in_channels_;
  Dispatch cells = dispatch("depthwise", has_views);
  cells.push = Push(DepthwisePush{rows, out_, in_, parts(), in_parts, channels_ / in_channels_,
                                  push_of(window_), push_of(finish_)});
  cells.threads = {rows * divide_up(out_[1], kCellsPixels) * parts(), 1, 1};
  return add_line(context_, std::move(cells));
}

// The rows [first, end) of the input that the kernel goes down for these rows of the output.
std::array<int64_t, 2> Depthwise::rows_read(uint32_t first, uint32_t end) const {
  const int64_t kernel = window_.kernel[0], stride = window_.stride[0], top = window_.before[0];
  const int64_t open = (kernel - 1) / stride;
  const int64_t begin = (int64_t(first) - open) * stride + kernel - stride - top;
  const int64_t last = (int64_t(end) - 1) * stride + kernel - 1 - top;
  const auto inside = [&](int64_t row) { return std::clamp<int64_t>(row, 0, int64_t(in_[0]) - 1); };
  return {inside(begin), inside(last) + 1};
}

// As many chunks as a view of the input allows; none where it does not allow one.
std::vector<Depthwise::Band> Depthwise::bands(uint32_t chunk) const {
  const uint32_t chunks = divide_up(out_[0], chunk);
  if (texels() <= context_.plan.max_texels) return {{0, images_ * chunks, {}}};
  std::vector<Band> found;
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
  const uint32_t pixels = window_.kernel[0] == 3 ? 4 : 7;  // 7 divides the usual widths, 4 compiles faster
  const uint32_t tiles = divide_up(out_[1], pixels);
  const auto begin_chunk = [&] {
    return rows_of_chunk(uint64_t(images_) * tiles * parts(), out_[0], context_.plan);
  };
  uint32_t chunk = begin_chunk();
  std::vector<Band> found;
  if (vectors() && choose_path({0, weight_texels()}, context_.plan) == PathId::formatted) {
    found = bands(chunk);
    while (found.empty() && chunk > 1) found = bands(chunk = divide_up(chunk, 2));
  }
  const bool has_views = !found.empty();
  if (!has_views) {
    chunk = begin_chunk();
    found = {{0, images_ * divide_up(out_[0], chunk), {}}};
  }
  Dispatch rows = dispatch("depthwise_rows", has_views);
  rows.constants.insert(rows.constants.end(),
                        {uint32_t(window_.kernel[0]), uint32_t(window_.stride[0]), pixels});
  RowsPush push{.chunk = chunk,
                .out = out_,
                .in = in_,
                .parts = parts(),
                .before = push_of(window_).before,
                .finish = push_of(finish_)};
  for (const Band& band : found) {
    push.first_chunk = band.first;
    push.chunks = band.end;
    push.x_first = uint32_t(band.input.slice.offset / kTexelBytes);
    rows.push = Push(push);
    rows.slices = {band.input.slice};
    rows.threads = {(band.end - band.first) * tiles * parts(), 1, 1};
    NNRT_TRY(add_line(context_, rows));
  }
  return {};
}

}  // namespace

Status add_depthwise(const LoweringContext& context, const Window& window) {
  if (is_quick(context.plan)) return add_quick_depthwise(context, window);
  return Depthwise(context, window).add();
}

}  // namespace nnrt::vulkan
