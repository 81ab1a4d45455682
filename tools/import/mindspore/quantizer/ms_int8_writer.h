// Turns a float model into an INT8 one.
#pragma once

#include "tools/import/mindspore/quantizer/ms_quantizable.h"

#include <functional>
#include <map>
#include <unordered_map>

namespace nnrt::import::mindspore {

class Int8Writer {
 public:
  using CodingOf = std::function<Int8Coding(const std::string& source)>;

  // All arguments must outlive the writer.
  Int8Writer(const FloatModel& model, const QuantizationPlan& plan, CodingOf coding_of);

  SourceGraph write() &&;
  // The quantized tensor of a value.
  uint32_t quantized(const std::string& value) const {
    return quantized_.at(*tensor_of(value, model_.graph().tensors.size()));
  }

 private:
  void find_float_uses();
  void choose_tensors();
  void write_node(size_t position);
  void write_quantized(const QuantizableNode& node, SourceNode& written);
  void write_weights(SourceNode& written, float input_scale);
  uint32_t write_operand(const Int8Primitive& form, const QuantizableNode& node, uint32_t id);
  void write_conversion(uint32_t from, uint32_t to);
  void clear_unread_constants();

  uint32_t add_copy(uint32_t id, const std::string& suffix);
  // The tensor that becomes the quantized constant: the same one if nothing else reads it.
  template <typename T>
  uint32_t replace_constant(uint32_t id, const std::vector<T>& values);
  void set_coding(uint32_t id, const Int8Coding& coding);
  Int8Coding coding_of(uint32_t id) const { return coding_of_(plan_.sources.at(value_name(id))); }

  const FloatModel& model_;
  const QuantizationPlan& plan_;
  CodingOf coding_of_;
  SourceGraph written_;
  std::vector<SourceNode> nodes_;
  std::unordered_map<int, const QuantizableNode*> by_position_;
  std::unordered_set<uint32_t> float_uses_;  // values also needed as float
  std::unordered_map<uint32_t, size_t> readers_;
  std::map<uint32_t, uint32_t> quantized_;  // by tensor of the float model
};

}  // namespace nnrt::import::mindspore
