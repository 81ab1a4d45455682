// A MindSpore graph before lowering, read from a file or from a client's memory.
#pragma once

#include "core/graph/graph.h"
#include "mindspore/model/primitive.h"

#include <array>
#include <functional>
#include <map>
#include <optional>

namespace nnrt::mindspore {

// One entry of quantParams, for the tensor or for a channel.
struct QuantEntry {
  double scale = 1;
  int32_t zero_point = 0, bits = 8;
  bool inited = false;  // false: the entry means nothing
  float var_corr = 1, mean_corr = 0;
};

struct ExternalData {
  std::string location;
  int64_t offset = 0, length = -1;
};

// How a constant is stored.
struct Packing {
  int compress_type = 0;  // WeightQuantCompressType
  bool huffman = false;
  Reals clusters = {};
  std::optional<ExternalData> external = {};
};

struct SourceTensor {
  std::string name;
  int64_t type_id = 0;
  Dims dims;  // as stored; of inner tensors not reliable
  int format = 0;
  SharedBytes data;             // the stored bytes; null or empty: not a constant
  bool has_empty_data = false;  // a vector of no bytes is stored
  List<QuantEntry> quant;
  Packing packing;

  bool has_data() const { return data != nullptr && !data->empty(); }
};

struct SourceNode {
  std::string name;
  std::optional<Primitive> primitive;  // empty: `problem` says why
  std::optional<Error> problem;
  List<uint32_t> inputs, outputs;  // tensors; trailing optional inputs are omitted
  int quant_type = 0;
};

// The converter's version, {1, 5, 0}; zeros if unknown. Decides along which axis weights are quantized.
using Version = std::array<int, 3>;
// From "MindSpore Lite 1.5.0".
Version parse_version(std::string_view text);

struct SourceGraph {
  std::string name;
  Version version{};
  List<SourceTensor> tensors;
  List<SourceNode> nodes;
  List<uint32_t> inputs, outputs;
  // Written by the builder functions of OpenHarmony's NNRt, not by MindSpore's converter: absent fields are
  // those of OH_NN, and weights have its order.
  bool is_from_builders = false;
};

// `keep` returns the bytes as the constant will hold them: a copy, or a view of a mapped file.
using KeepBytes = std::function<SharedBytes(ByteView)>;
SourceTensor read_tensor(FlatTable tensor, const KeepBytes& keep);

// Is the stored form the elements themselves, in the order of dims?
bool is_plain(const SourceTensor& tensor);

}  // namespace nnrt::mindspore
