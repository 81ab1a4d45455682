#include "backends/cpu/base/requantize.h"

#include "backends/cpu/simd/byte_table.h"
#include "core/schema/rules.h"

namespace nnrt::cpu {

ByteTable requantize_table(const Tensor& from, const Tensor& to) {
  const DequantizeTable floats = dequantize_table(from);
  const Affine affine = affine_of(to);
  ByteTable quantized{};
  for (size_t byte = 0; byte < quantized.size(); ++byte) {
    quantized[byte] = to.dtype == DType::i8 ? uint8_t(quantize<int8_t>(floats[byte], affine))
                                            : quantize<uint8_t>(floats[byte], affine);
  }
  return quantized;
}

CopiedInput::CopiedInput(const KernelArgs& args, size_t input, size_t output) : data_(args.in[input]) {
  constexpr int64_t kGrain = 65536;
  const Tensor& from = args.node.input(input);
  const Tensor& to = args.node.output(output);
  if (!requantizes(args.node.schema(), from, to)) return;
  const ByteTable quantized = requantize_table(from, to);
  owned_.resize(size_t(element_count(args.node.shape(input)).value_or(0)));
  args.pool.parallel_for(int64_t(owned_.size()), kGrain, [&](int64_t begin, int64_t end) {
    map_bytes(quantized, args.input<uint8_t>(input) + begin,
              reinterpret_cast<uint8_t*>(owned_.data()) + begin, end - begin);
  });
  data_ = owned_.data();
}

}  // namespace nnrt::cpu
