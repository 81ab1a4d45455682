#include "backends/cpu/conv/int8/int8_groups.h"

#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/int8_gemm.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

constexpr int64_t kMaxChannels = 64;  // bytes of a vector

// Groups whose channels fit a vector.
int64_t groups_together(const Convolution& conv) {
  return std::min({kInt32Lanes / conv.group_out, kMaxChannels / conv.group_in, conv.groups});
}

class Int8Groups {
 public:
  Int8Groups(const KernelArgs& args, const Convolution& conv)
      : args_(args),
        conv_(conv),
        together_(groups_together(conv)),
        vectors_(divide_up(conv.groups, together_)),
        taps_(conv.spatial.kernel[0] * conv.spatial.kernel[1]),
        steps_(conv.group_in / kDotDepth) {}

  PrepackedBytes weights() const;
  void run() const;

 private:
  int64_t vector_bytes() const { return taps_ * steps_ * kInt32Lanes * kDotDepth; }
  int64_t weight_bytes() const { return vectors_ * vector_bytes(); }
  int64_t columns() const { return together_ * conv_.group_out; }  // of a full vector

  const KernelArgs& args_;
  const Convolution& conv_;
  int64_t together_, vectors_, taps_, steps_;
};

// The weights of all vectors, then the terms of all channels.
PrepackedBytes Int8Groups::weights() const {
  const int64_t channels = conv_.out_channels;
  return args_.prepacked_from(1, size_t(weight_bytes() + int8_term_bytes(channels)), [&](std::byte* to) {
    std::memset(to, 0, size_t(weight_bytes()));
    std::vector<int32_t> sums;
    const int8_t* from = args_.input<int8_t>(1);
    for (int64_t channel = 0; channel < channels; ++channel) {
      std::byte* const vector = to + channel / columns() * vector_bytes();
      const int64_t lane = channel % columns();
      uint32_t sum = 0;
      for (int64_t quad = 0; quad < taps_ * steps_; ++quad, from += kDotDepth) {
        std::memcpy(vector + (quad * kInt32Lanes + lane) * kDotDepth, from, kDotDepth);
        for (int i = 0; i < kDotDepth; ++i) sum += uint32_t(from[i]);
      }
      sums.push_back(int32_t(sum));
    }
    make_int8_terms(args_, args_.node.input_count() > 2, sums, kActivationOfZero, to + weight_bytes());
  });
}

void Int8Groups::run() const {
  constexpr int64_t kGrain = int64_t{256} * 1024;  // products worth a thread
  const PrepackedBytes packed = weights();
  const Int8Epilogue terms = int8_epilogue(args_, packed.data, weight_bytes(), conv_.out_channels);
  const PixelRows<int8_t> pixels(conv_, args_.input<int8_t>(0), int8_t(zero_point_of(args_.node.input(0))),
                                 PixelRows<int8_t>::kAllGroups);
  const GroupTiles tiles = group_tiles(conv_.pixels(), kInt8BlockRows, vectors_, args_.pool.threads());
  int32_t first_quad[kInt32Lanes];
  for (int64_t lane = 0; lane < kInt32Lanes; ++lane)
    first_quad[lane] = int32_t(lane / conv_.group_out * steps_);
  const int64_t part_bytes = tiles.rows * taps_ * int64_t(sizeof(int8_t*));
  const auto scratch_bytes = size_t(part_bytes + pixels.bytes(tiles.rows));
  args_.scratch->reserve(args_.pool.threads(), scratch_bytes);
  const int64_t work = tiles.rows * tiles.groups * columns() * conv_.inner();
  args_.pool.parallel_for(
      tiles.row_tiles * tiles.group_parts, divide_up(kGrain, work),
      [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args_.scratch->of_worker(worker, scratch_bytes);
        auto* const parts = reinterpret_cast<const int8_t**>(scratch);
        for (int64_t task = begin; task < end; ++task) {
          const int64_t row = task / tiles.group_parts * tiles.rows;
          const int64_t count = std::min(tiles.rows, conv_.pixels() - row);
          pixels(row, count, tiles.block_rows, parts, reinterpret_cast<int8_t*>(scratch + part_bytes));
          const int64_t first = task % tiles.group_parts * tiles.groups;
          for (int64_t vector = first; vector < std::min(first + tiles.groups, vectors_); ++vector) {
            const int64_t group = vector * together_, groups = std::min(together_, conv_.groups - group);
            const int64_t channel = group * conv_.group_out;
            for (int64_t r = 0; r < count; r += tiles.block_rows)
              multiply_int8_groups(
                  {parts + r * taps_, taps_, tiles.block_rows, std::min(tiles.block_rows, count - r),
                   group * conv_.group_in, groups * conv_.group_in, steps_, first_quad,
                   packed.as<uint8_t>() + vector * vector_bytes()},
                  terms, channel, int(groups * conv_.group_out),
                  args_.output<int8_t>() + (row + r) * conv_.out_channels + channel, conv_.out_channels);
          }
        }
      });
}

}  // namespace

WhyNot why_not_int8_groups(const KernelArgs& args, const Convolution& conv) {
  if (const WhyNot why = why_not_int8_dot(args.node)) return why;
#if !defined(__x86_64__)
  return "It needs AVX-512.";
#endif
  if (args.node.output(0).dtype == DType::i32) return "It does not store INT32 sums.";
  if (!has_symmetric_weights(args.node)) return "Zero points of the weights are not 0.";
  if (conv.group_in % kDotDepth != 0)
    return {"A group has {} input channels; it supports multiples of {}.", conv.group_in, kDotDepth};
  if (groups_together(conv) < 2)
    return {"{} groups of {} input and {} output channels do not share a vector.", conv.groups, conv.group_in,
            conv.group_out};
  return {};
}

Status prepack_int8_groups(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(Int8Groups(args, conv).weights());
  return {};
}

Status convolve_int8_groups(const KernelArgs& args, const Convolution& conv) {
  Int8Groups(args, conv).run();
  return {};
}

}  // namespace nnrt::cpu
