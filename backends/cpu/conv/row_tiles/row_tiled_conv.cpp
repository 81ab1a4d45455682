#include "backends/cpu/conv/row_tiles/row_tiled_conv.h"

#include "backends/cpu/conv/depthwise_lines.h"
#include "backends/cpu/conv/stored_filters.h"
#include "backends/cpu/gemm/f32_gemm.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace nnrt::cpu {
namespace {

// A pointwise convolution that writes anywhere.
class PointwiseGemm {
 public:
  PointwiseGemm(const KernelArgs& args, const Convolution& conv)
      : gemm_(filter_gemm(conv, args.node.input_count() > 2)),
        weights_(packed_filters(args, conv, gemm_)),
        end_(args) {}

  // `first` is the number of the first pixel.
  void operator()(const float* pixels, int64_t first, int64_t count, float* to) const {
    constexpr int64_t kNearBytes = 16 * 1024;  // results that post-ops find in L1
    const int64_t max_rows = f32_tile_block(gemm_).rows, columns = gemm_.columns;
    const int64_t near = divide_up(kNearBytes / int64_t(sizeof(float)), columns * max_rows) * max_rows;
    const float* const panels = weights_.as<float>();
    for (int64_t pixel = 0; pixel < count; pixel += near) {
      const int64_t some = std::min(near, count - pixel), at = (first + pixel) * columns;
      const F32Rows rows{nullptr,
                         pixels + pixel * gemm_.inner(),
                         gemm_.inner(),
                         1,
                         gemm_.inner(),
                         some,
                         divide_up(some, divide_up(some, max_rows))};
      float* const results = to + pixel * columns;
      multiply_f32(gemm_.vectors, rows, panels, columns, end_.epilogue(panels + f32_group_floats(gemm_), at),
                   results, columns);
      end_.apply_rest(results, at, some, columns, columns);
    }
  }

 private:
  GemmProblem gemm_;
  PrepackedBytes weights_;
  F32OutputEpilogue end_;
};

Result<std::optional<PointwiseGemm>> pointwise(const KernelArgs* args) {
  if (args == nullptr) return std::optional<PointwiseGemm>();
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args->node));
  return std::optional<PointwiseGemm>(std::in_place, *args, convolution_of(args->node, spatial, false));
}

// Lines of the expanded tensor that a thread has computed: [begin, end) of an image.
struct Lines {
  int64_t image = -1, begin = 0, end = 0;
};

class RowTiles {
 public:
  RowTiles(const RowTiledConvolutions& layers, const SpatialParams& spatial,
           const std::optional<PointwiseGemm>& expand, const std::optional<PointwiseGemm>& project)
      : layers_(layers),
        spatial_(spatial),
        expand_(expand),
        project_(project),
        channels_(layers.depthwise.node.shape(1)[0]),
        line_(spatial.in[1] * channels_),
        out_line_(spatial.out[1] * channels_),
        reach_(spatial.kernel[0]),
        weight_(depthwise_weight(layers.depthwise)),
        end_(layers.depthwise, false),
        layer_(depthwise_layer(layers.depthwise, spatial, weight_, end_.epilogue(nullptr, 0))) {
    constexpr int64_t kTileBytes = 256 * 1024;  // of a core's L2 cache
    const int64_t lines = kTileBytes / int64_t(sizeof(float)) / std::max(line_, out_line_);
    tile_rows_ = std::clamp((lines - reach_) / spatial.stride[0] + 1, int64_t{1}, spatial.out[0]);
  }

  void run() {
    const KernelArgs& args = layers_.depthwise;
    const unsigned threads = args.pool.threads();
    const size_t bytes = scratch_bytes();
    args.scratch->reserve(threads, bytes);
    for (unsigned worker = 0; worker < threads; ++worker) new (args.scratch->of_worker(worker, bytes)) Lines;
    const int64_t rows = args.node.shape(0)[0] * spatial_.out[0];
    args.pool.parallel_for(rows, tile_rows_, [&](int64_t begin, int64_t end, unsigned worker) {
      run_rows(begin, end, args.scratch->of_worker(worker, bytes));
    });
  }

 private:
  static constexpr size_t kLinesBytes = kMemoryAlignment;
  static_assert(sizeof(Lines) <= kLinesBytes);

  size_t expanded_bytes() const {
    if (!expand_) return 0;
    const int64_t lines = std::min((tile_rows_ - 1) * spatial_.stride[0] + reach_, spatial_.in[0]);
    return aligned(size_t(lines * line_) * sizeof(float));
  }
  size_t tile_bytes() const { return project_ ? aligned(size_t(tile_rows_ * out_line_) * sizeof(float)) : 0; }
  size_t scratch_bytes() const {
    return kLinesBytes + expanded_bytes() + tile_bytes() + DepthwiseRows::scratch_bytes(layer_);
  }
  static size_t aligned(size_t bytes) { return round_up(bytes, kMemoryAlignment); }

  // Rows of all images of the depthwise result.
  void run_rows(int64_t begin, int64_t end, std::byte* scratch) {
    auto& lines = *reinterpret_cast<Lines*>(scratch);
    auto* const expanded = reinterpret_cast<float*>(scratch + kLinesBytes);
    auto* const tile = reinterpret_cast<float*>(scratch + kLinesBytes + expanded_bytes());
    DepthwiseRows sums(layer_, scratch + kLinesBytes + expanded_bytes() + tile_bytes());
    const KernelArgs& args = layers_.depthwise;
    for (int64_t row = begin, count = 0; row < end; row += count) {
      const int64_t image = row / spatial_.out[0], y = row % spatial_.out[0];
      count = std::min({tile_rows_, end - row, spatial_.out[0] - y});
      const float* const from = expand_ ? expanded_image(image, y, count, lines, expanded)
                                        : args.input<float>(0) + image * spatial_.in[0] * line_;
      float* const to = project_ ? tile : args.output<float>() + row * out_line_;
      for (int64_t i = 0, some = 0; i < count; i += some) {
        some = std::min(DepthwiseRows::kAtOnce, count - i);
        sums(from, {y + i, y + i + some}, to + i * out_line_);
        end_.apply_rest(to + i * out_line_, (row + i) * out_line_, some, out_line_, out_line_);
      }
      if (!project_) continue;
      const int64_t columns = layers_.project->node.shape(1)[0], first = row * spatial_.out[1];
      (*project_)(tile, first, count * spatial_.out[1], layers_.project->output<float>() + first * columns);
    }
  }

  // Computes the lines under rows [y, y + count) that are not in the buffer yet. Returns where line 0 of the
  // image would be.
  const float* expanded_image(int64_t image, int64_t y, int64_t count, Lines& lines, float* buffer) const {
    const int64_t begin = std::clamp<int64_t>(tap_origin(spatial_, 0, y), 0, spatial_.in[0]);
    const int64_t end =
        std::clamp<int64_t>(tap_origin(spatial_, 0, y + count - 1) + reach_, begin, spatial_.in[0]);
    int64_t first = begin;
    if (lines.image == image && lines.begin <= begin && begin < lines.end) {
      std::memmove(buffer, buffer + (begin - lines.begin) * line_,
                   size_t((lines.end - begin) * line_) * sizeof(float));
      first = lines.end;
    }
    if (first < end) {
      const int64_t pixel = (image * spatial_.in[0] + first) * spatial_.in[1];
      const int64_t channels = layers_.expand->node.shape(0)[3];
      (*expand_)(layers_.expand->input<float>(0) + pixel * channels, pixel, (end - first) * spatial_.in[1],
                 buffer + (first - begin) * line_);
    }
    lines = {image, begin, std::max(first, end)};
    return buffer - begin * line_;
  }

  const RowTiledConvolutions& layers_;
  const SpatialParams& spatial_;
  const std::optional<PointwiseGemm>&expand_, &project_;
  const int64_t channels_, line_, out_line_, reach_;
  const PrepackedBytes weight_;
  const F32OutputEpilogue end_;
  const DepthwiseLayer layer_;
  int64_t tile_rows_;
};

}  // namespace

bool is_tileable_depthwise(const NodeView& node) {
  constexpr int64_t kMinChannels = 16;  // DepthwiseRows keeps copies of lines with fewer
  const int64_t channels = node.shape(0)[3];
  const auto spatial = spatial_params(node);
  // A tile of a dilated kernel has hardly more lines than it reads again.
  const bool is_dense = spatial.ok() && spatial.value().dilation[0] == 1;
  return is_dense && node.dtype() == DType::f32 && channels >= kMinChannels &&
         channels == node.output_shape()[3];
}

bool is_tileable_pointwise(const NodeView& node) {
  const auto spatial = spatial_params(node);
  if (!spatial.ok() || node.dtype() != DType::f32) return false;
  const Convolution conv = convolution_of(node, spatial.value(), false);
  return conv.groups == 1 && conv.is_pointwise();
}

Status convolve_row_tiles(const RowTiledConvolutions& layers) {
  NNRT_ASSIGN(const std::optional<PointwiseGemm> expand, pointwise(layers.expand));
  NNRT_ASSIGN(const std::optional<PointwiseGemm> project, pointwise(layers.project));
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(layers.depthwise.node));
  RowTiles(layers, spatial, expand, project).run();
  return {};
}

}  // namespace nnrt::cpu
