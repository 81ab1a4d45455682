#include "mindspore/file/unpack.h"

#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "mindspore/schema/enumerations.h"
#include "mindspore/weights/weights.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

constexpr int kLastCompression = int(Compression::fse_infer);

// Entries run along the dimension of their number. (Compressed weights are those of convolutions and full
// connections: the first one.)
Channels channels_of(const SourceTensor& tensor) {
  const size_t count = tensor.quant.size();
  if (count < 2 || tensor.dims.empty()) return {};
  size_t inner = 1;
  for (size_t d = 1; d < tensor.dims.size(); ++d) inner *= size_t(tensor.dims[d]);
  return {count, std::max<size_t>(inner, 1)};
}

Result<DecodedWeights> decode_constant(const SourceTensor& tensor, size_t count) {
  std::vector<int32_t> zero_points;
  for (const QuantEntry& entry : tensor.quant) zero_points.push_back(entry.zero_point);
  const Packing& packing = tensor.packing;
  const bool is_quantized = !tensor.quant.empty() && tensor.quant[0].inited;
  if (packing.compress_type < 0 || packing.compress_type > kLastCompression)
    return unsupported("Compression (", packing.compress_type, ") is unknown.");
  if (packing.huffman) return unsupported("Weights in Huffman codes are not supported.");
  return decode({.data = *tensor.data,
                 .type = dtype_of(tensor.type_id),
                 .count = count,
                 .compression = Compression(packing.compress_type),
                 .bits = is_quantized || packing.compress_type != 0
                             ? (tensor.quant.empty() ? 8 : tensor.quant[0].bits)
                             : 0,
                 .codebook = packing.clusters,
                 .zero_points = zero_points,
                 .channels = channels_of(tensor)});
}

// Vectors of bytes are aligned to 4 in files.
void align(SourceTensor& tensor, size_t alignment) {
  const ByteView data = *tensor.data;
  if (reinterpret_cast<uintptr_t>(data.data()) % alignment != 0)
    tensor.data = std::make_shared<const Bytes>(data.begin(), data.end());
}

Status unpack(SourceTensor& tensor, const UnpackRules& rules) {
  const DType dtype = dtype_of(tensor.type_id);
  const auto size = byte_size(dtype, tensor.dims);
  if (dtype == DType::unknown || !size)
    return Error{Code::invalid_file, "The type or the dimensions are invalid."};
  NNRT_TRY(rules.take(*size));
  if (tensor.packing.external) {
    NNRT_ASSIGN(tensor.data, rules.external(*tensor.packing.external, *size));
    tensor.packing.external.reset();
  }
  if (is_plain(tensor)) {
    align(tensor, size_of(dtype));
    return {};
  }
  constexpr size_t kFloatBytes = 4;  // of decoded elements
  const size_t count = *size / size_of(dtype);
  NNRT_TRY(rules.take(count * kFloatBytes));
  NNRT_ASSIGN(DecodedWeights decoded, decode_constant(tensor, count));
  tensor.type_id = type_id_of(decoded.type);
  tensor.data = std::make_shared<const Bytes>(std::move(decoded.bytes));
  tensor.packing = {};
  if (is_float(decoded.type)) tensor.quant.clear();
  for (QuantEntry& entry : tensor.quant) entry.bits = int32_t(8 * size_of(decoded.type));
  return {};
}

}  // namespace

Status unpack_constants(SourceGraph& graph, const UnpackRules& rules) {
  for (SourceTensor& tensor : graph.tensors) {
    if (!is_constant(tensor)) continue;
    Status status = unpack(tensor, rules);
    if (!status.ok()) return std::move(status).error().during(cat("reading constant \"", tensor.name, "\""));
  }
  return {};
}

}  // namespace nnrt::mindspore
