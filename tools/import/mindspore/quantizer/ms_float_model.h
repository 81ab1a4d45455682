// A float MindSpore Lite model prepared for quantization: FLOAT16 constants, and weights of which only the
// codes are stored, become FLOAT32 constants.
#pragma once

#include "mindspore/model/source_graph.h"
#include "tools/import/network/import_options.h"
#include "tools/import/quantizer/value_coding.h"

#include <filesystem>

namespace nnrt::import::mindspore {

using nnrt::mindspore::SourceGraph;
using nnrt::mindspore::SourceNode;
using nnrt::mindspore::SourceTensor;

class FloatModel {
 public:
  // Fails if the file is damaged, has nodes without an equivalent, or is already quantized.
  static Result<FloatModel> read(ByteView file, const std::filesystem::path& folder, const Options& options);

  const SourceGraph& graph() const { return graph_; }
  const SourceTensor& tensor(uint32_t id) const { return graph_.tensors[id]; }
  bool is_float(uint32_t id) const;
  bool is_constant(uint32_t id) const { return tensor(id).has_data(); }
  // The elements of a FLOAT32 constant.
  FloatConstant floats(uint32_t id) const;

 private:
  Status make_constants_float();
  Status check_is_float() const;

  SourceGraph graph_;
};

}  // namespace nnrt::import::mindspore
