#include "backends/cpu/base/element_conversion.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/quantize_floats.h"
#include "backends/cpu/kernels/elementwise/dynamic_quantize_kernel.h"
#include "backends/cpu/simd/byte_table.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 16384;

using Integers = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;

template <typename From, typename To>
void saturate_elements(const std::byte* source, std::byte* target, int64_t count) {
  using Limits = std::numeric_limits<To>;
  const From* const x = reinterpret_cast<const From*>(source);
  To* const y = reinterpret_cast<To*>(target);
  for (int64_t i = 0; i < count; ++i) {
    if (std::cmp_less(x[i], Limits::min())) {
      y[i] = Limits::min();
    } else {
      y[i] = std::cmp_greater(x[i], Limits::max()) ? Limits::max() : To(x[i]);
    }
  }
}

// Integers saturate instead of wrapping; other conversions always do.
Converter saturating_converter(DType from, DType to) {
  Converter found = nullptr;
  (void)dispatch_dtype(Integers{}, from, [&]<typename From>(std::type_identity<From>) {
    (void)dispatch_dtype(Integers{}, to,
                         [&]<typename To>(std::type_identity<To>) { found = saturate_elements<From, To>; });
  });
  return found != nullptr ? found : converter(from, to);
}

void invert_high_bits(const std::byte* from, std::byte* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] ^ std::byte{128};
}

// Casts that shift or saturate. A shifted INT8 is a UINT8 whose highest bit is inverted.
void cast_numbers(const KernelArgs& args, int64_t count) {
  constexpr int64_t kBlock = 256;
  const Attrs& attrs = args.node.attrs();
  const bool source_shifted = attrs.is_set(Attr::source_shifted);
  const bool target_shifted = attrs.is_set(Attr::target_shifted);
  const DType from = source_shifted ? DType::u8 : args.node.dtype();
  const DType to = target_shifted ? DType::u8 : args.node.output(0).dtype;
  const Converter convert_some =
      attrs.is_set(Attr::saturate) ? saturating_converter(from, to) : converter(from, to);
  const auto source_size = int64_t(size_of(from)), target_size = int64_t(size_of(to));
  args.pool.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    std::array<std::byte, kBlock> unshifted;
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t length = std::min(kBlock, end - i);
      const std::byte* x = args.in[0] + i * source_size;
      std::byte* const y = args.out[0] + i * target_size;
      if (source_shifted) {
        invert_high_bits(x, unshifted.data(), length);
        x = unshifted.data();
      }
      convert_some(x, y, length);
      if (target_shifted) invert_high_bits(y, y, length);
    }
  });
}

Status cast(const KernelArgs& args) {
  const int64_t count = element_count(args.node.shape()).value_or(0);
  const DType from = args.node.dtype(), to = args.node.output(0).dtype;
  const Attrs& attrs = args.node.attrs();
  const bool differs = attrs.is_set(Attr::source_shifted) != attrs.is_set(Attr::target_shifted);
  if (differs || (from != to && attrs.is_set(Attr::saturate))) {
    cast_numbers(args, count);
  } else if (from == to) {
    std::copy_n(args.in[0], size_t(count) * size_of(from), args.out[0]);  // nonzero BOOLs keep their bits
  } else {
    convert(from, args.in[0], to, args.out[0], count, args.pool);
  }
  return {};
}

// The tensor viewed as (outer, channels, inner), with parameters per channel.
struct ChannelQuantization {
  const Quant& from;
  const Quant& to;
  int64_t channels = 1, inner = 1;
};

template <typename From, typename To>
To requantize(From x, Affine from, Affine to) {
  constexpr bool kFromFloat = std::is_same_v<From, Half> || std::is_same_v<From, float>;
  constexpr bool kToFloat = std::is_same_v<To, Half> || std::is_same_v<To, float>;
  double real = 0.0;
  if constexpr (kFromFloat) {
    real = widen(x);
  } else {
    real = dequantize(x, from);
  }
  if constexpr (kToFloat) {
    return narrow<To>(float(real));
  } else if constexpr (kFromFloat) {
    return quantize_float<To>(float(real), to);
  } else {
    return quantize<To>(real, to);
  }
}

// Between per-tensor quantized types: by table, or by flipping the sign bit if only the type's range changes.
template <typename From, typename To>
void map_quantized(const KernelArgs& args, int64_t count, Affine from, Affine to) {
  ByteTable table;
  bool flips = true;
  for (size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = uint8_t(requantize<From, To>(From(uint8_t(byte)), from, to));
    flips = flips && table[byte] == (byte ^ 128);
  }
  const auto* const x = args.input<uint8_t>(0);
  auto* const y = args.output<uint8_t>();
  // Flipping less than 256 KiB takes no longer than waking a thread for half of it.
  constexpr int64_t kWorthSharing = 1 << 18, kPiece = 1 << 15;
  const int64_t grain = flips && count < kWorthSharing ? count : kPiece;
  args.pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    if (!flips) return map_bytes(table, x + begin, y + begin, end - begin);
    // Stores of bytes may alias captured variables, but not these.
    const uint8_t* const from_byte = x;
    uint8_t* const to_byte = y;
    for (int64_t i = begin; i < end; ++i) to_byte[i] = from_byte[i] ^ 128;
  });
}

template <typename From, typename To>
void requantize_run(const From* x, To* y, int64_t count, Affine from, Affine to) {
  if constexpr (std::is_same_v<From, float> && sizeof(To) == 1) {
    quantize_floats(x, y, count, to);
  } else if constexpr (std::is_same_v<From, Half> && sizeof(To) == 1) {
    float block[kFp16Block];
    for (int64_t i = 0; i < count; i += kFp16Block) {
      const int64_t size = std::min(kFp16Block, count - i);
      widen_block(x + i, 1, size, block);
      quantize_floats(block, y + i, size, to);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = requantize<From, To>(x[i], from, to);
  }
}

template <typename From, typename To>
void requantize_channels(const KernelArgs& args, const ChannelQuantization& quantized) {
  const int64_t rows = element_count(args.node.shape()).value_or(0) / quantized.inner;
  const auto channel_of = [](const Quant& quant, int64_t channel) {
    return quant.empty() ? Affine{} : affine_of(quant, quant.scales.size() == 1 ? 0 : size_t(channel));
  };
  const From* const x = args.input<From>(0);
  To* const y = args.output<To>();
  if (quantized.channels == 1) {
    const int64_t count = rows * quantized.inner;
    const Affine from = channel_of(quantized.from, 0), to = channel_of(quantized.to, 0);
    if constexpr (sizeof(From) == 1 && sizeof(To) == 1) return map_quantized<From, To>(args, count, from, to);
    args.pool.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      requantize_run(x + begin, y + begin, end - begin, from, to);
    });
    return;
  }
  args.pool.parallel_for(rows, 1 + 4096 / quantized.inner, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Affine from = channel_of(quantized.from, row % quantized.channels);
      const Affine to = channel_of(quantized.to, row % quantized.channels);
      const int64_t first = row * quantized.inner;
      requantize_run(x + first, y + first, quantized.inner, from, to);
    }
  });
}

// For conversions where one side has no parameters: the difference between the types' ranges.
Quant unscaled_values(DType dtype) { return {{1.0}, {dtype == DType::u8 ? 128 : 0}}; }

Status quant_dtype_cast(const KernelArgs& args) {
  const NodeView& node = args.node;
  const Tensor& x = node.input(0);
  const Tensor& y = node.output(0);
  const bool between_quantized = !is_float(x.dtype) && !is_float(y.dtype);
  Quant from = x.quant.empty() ? y.quant : x.quant;
  Quant to = y.quant.empty() ? x.quant : y.quant;
  to.ties_to_even = y.quant.ties_to_even;
  if (between_quantized && (x.quant.empty() || y.quant.empty())) {
    from = unscaled_values(x.dtype);
    to = unscaled_values(y.dtype);
  }

  ChannelQuantization quantized{from, to};
  const Shape& shape = node.shape();
  if (from.scales.size() > 1 || to.scales.size() > 1) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
    quantized.channels = shape[size_t(axis)];
    quantized.inner = product(shape, size_t(axis) + 1, shape.size());
  } else {
    quantized.inner = shape.empty() ? 1 : shape.back();
  }
  using Sides = Types<int8_t, uint8_t, Half, float>;
  Status inner_status;
  NNRT_TRY(dispatch_dtype(Sides{}, x.dtype, [&]<typename From>(std::type_identity<From>) {
    inner_status = dispatch_dtype(Sides{}, y.dtype, [&]<typename To>(std::type_identity<To>) {
      requantize_channels<From, To>(args, quantized);
    });
  }));
  return inner_status;
}

constexpr KernelRow kCastKernels[] = {
    {Op::cast, cast}, {Op::quant_dtype_cast, quant_dtype_cast}, {Op::dynamic_quantize, dynamic_quantize}};

}  // namespace

std::span<const KernelRow> cast_kernels() { return kCastKernels; }

}  // namespace nnrt::cpu
