#include "mindspore/model/source_graph.h"

#include "mindspore/schema/enumerations.h"

#include <algorithm>
#include <charconv>

namespace nnrt::mindspore {
namespace {

// Ids of the table Tensor.
enum TensorField : size_t {
  kDataType = 1,
  kDims = 2,
  kFormat = 3,
  kData = 6,
  kQuantParams = 7,
  kQuantClusters = 8,
  kName = 9,
  kHuffman = 10,
  kCompressType = 11,
  kExternalData = 12,
};

QuantEntry read_quant(FlatTable entry) {
  return {.scale = entry.number<double>(0, 1),
          .zero_point = entry.number<int32_t>(1),
          .bits = entry.number<int32_t>(5, 8),
          .inited = entry.number<bool>(6),
          .var_corr = entry.number<float>(7, 1),
          .mean_corr = entry.number<float>(8)};
}

std::optional<ExternalData> read_external(FlatTables tables) {
  if (tables.size() == 0) return {};
  const FlatTable data = tables[0];
  return ExternalData{std::string(data.text(1)), data.number<int64_t>(2), data.number<int64_t>(3, -1)};
}

}  // namespace

Version parse_version(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  Version version{};
  size_t at = text.find_first_of(kDigits);
  for (int& number : version) {
    if (at == std::string_view::npos) break;
    std::from_chars(text.data() + at, text.data() + text.size(), number);
    at = text.find_first_not_of(kDigits, at);
    at = at != std::string_view::npos && text[at] == '.' ? at + 1 : std::string_view::npos;
  }
  return version;
}

SourceTensor read_tensor(FlatTable table, const KeepBytes& keep) {
  SourceTensor tensor;
  tensor.name = table.text(kName);
  tensor.type_id = table.number<int32_t>(kDataType);
  tensor.dims = table.numbers<int32_t, int64_t>(kDims);
  tensor.format = table.number<int32_t>(kFormat);
  if (const ByteView data = table.bytes(kData); !data.empty()) tensor.data = keep(data);
  tensor.has_empty_data = !tensor.has_data() && table.has(kData);
  const FlatTables entries = table.tables(kQuantParams);
  tensor.quant.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) tensor.quant.push_back(read_quant(entries[i]));
  tensor.packing = {.compress_type = table.number<int32_t>(kCompressType),
                    .huffman = table.number<bool>(kHuffman),
                    .clusters = table.numbers<float>(kQuantClusters),
                    .external = read_external(table.tables(kExternalData))};
  return tensor;
}

bool is_plain(const SourceTensor& tensor) {
  const Packing& packing = tensor.packing;
  if (packing.compress_type != 0 || packing.huffman || !packing.clusters.empty() || packing.external)
    return false;
  if (tensor.quant.empty() || !tensor.quant[0].inited) return true;
  const int bits = tensor.quant[0].bits;
  return bits == 8 || bits == 16 || bits == 32 || is_float(dtype_of(tensor.type_id));
}

}  // namespace nnrt::mindspore
