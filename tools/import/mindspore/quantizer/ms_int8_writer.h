// Writes a MindSpore Lite model whose planned nodes run on INT8, with QuantDTypeCast at the boundaries.
#pragma once

#include "tools/import/mindspore/quantizer/ms_float_model.h"
#include "tools/import/quantizer/int8_rewriter.h"

namespace nnrt::import::mindspore {

class Int8Writer final : public Int8File {
 public:
  explicit Int8Writer(const FloatModel& model) : written_(model.graph()) {}

  size_t copy(size_t id, const std::string& suffix) override;
  void set_coding(size_t id, const Int8Coding& coding) override;
  void set_constant(size_t id, const CodedTensor& coded) override;
  void add_conversion(size_t from, size_t to) override;
  void add_node(size_t position, const Tensors& inputs, const Tensors& outputs, bool is_quantized) override;
  SourceGraph finish() &&;

 private:
  void clear_unread_constants();

  SourceGraph written_;
  std::vector<SourceNode> nodes_;
};

}  // namespace nnrt::import::mindspore
