// A node of the core graph being written as operators of a TensorFlow Lite file.
#pragma once

#include "core/base/text.h"
#include "core/schema/schema.h"
#include "core/writer/list.h"
#include "tools/import/network/node_attributes.h"

#include <tflite_generated.h>

#include <map>

namespace nnrt::import::tflite {

using format::Activation;
using format::BuiltinOperator;

using Numbers32 = List<int32_t>;  // tensors of the file, or integers in one

// The file being written. Tensors of the graph are added when an operator first uses them.
class FileWriter {
 public:
  explicit FileWriter(const nnrt::Graph& graph);

  const nnrt::Graph& graph() const { return graph_; }
  NodeView view(const nnrt::Node& node) const { return {graph_, node, graph_.shapes, constants_}; }
  format::TensorT& tensor(int32_t number) { return *main().tensors[static_cast<size_t>(number)]; }

  // Fails if the format lacks the dtype.
  int32_t tensor_of(TensorId id);
  int32_t add(format::TensorT made);
  int32_t constant(format::TensorType type, const Dims& shape, ByteView data);
  void add_operator(BuiltinOperator code, format::BuiltinOptionsUnion options, const Numbers32& inputs,
                    const Numbers32& outputs);
  // Options as a FlexBuffer.
  void add_custom_operator(const std::string& name, const List<uint8_t>& options, const Numbers32& inputs,
                           const Numbers32& outputs);

  std::string finish();

 private:
  format::SubGraphT& main() { return *model_.subgraphs[0]; }
  uint32_t buffer_of(ByteView data);
  void drop_unused_tensors();
  uint32_t code_number(BuiltinOperator code, int32_t version, const std::string& custom_name);

  const nnrt::Graph& graph_;
  List<const std::byte*> constants_;
  std::map<TensorId, int32_t> numbers_;
  std::map<const std::byte*, uint32_t> buffers_;
  format::ModelT model_;
};

// Serializes a model.
std::string packed(const format::ModelT& model);

format::TensorType type_of(DType dtype);
// The first version of the operator that supports these tensors and options.
int32_t version_of(BuiltinOperator code, const format::BuiltinOptionsUnion& options,
                   const List<const format::TensorT*>& inputs, const List<const format::TensorT*>& outputs);

// The coding of INT8 results that the format demands.
struct FixedCoding {
  float scale;
  int64_t zero_point;
};
inline constexpr FixedCoding kFractionCoding{1.0f / 256, -128}, kSignedFractionCoding{1.0f / 128, 0};

// Errors are ConversionErrors.
class NodeWriter : public NodeAttributes {
 public:
  // Adds the tensors of the node. Fails if the format lacks a dtype.
  NodeWriter(FileWriter& file, const nnrt::Node& node, BuiltinOperator code);

  BuiltinOperator code() const { return code_; }
  Op op() const { return node_.op; }
  const NodeView& view() const { return view_; }

  // Fails if the options of the format cannot hold it.
  int32_t option(Attr attr);
  List<int64_t> integers(Attr attr) { return attribute(attr).integers; }
  List<double> floats_of(Attr attr) { return attribute(attr).floats; }
  Activation activation();

  // Tensors of the file: those of the node, or what has replaced them.
  Numbers32 inputs, outputs;
  size_t input_count() const { return inputs.size(); }
  DType dtype(size_t i = 0) const { return view_.dtype(i); }
  DType output_dtype(size_t i = 0) const { return view_.output(i).dtype; }
  // Unknown dimensions are -1.
  Dims shape(int32_t number) const;
  Dims input_shape(size_t i = 0) const { return shape(inputs[i]); }
  Dims output_shape(size_t i = 0) const { return shape(outputs[i]); }
  size_t rank() const { return input_shape().size(); }
  bool is_constant(size_t i) const { return view_.input(i).is_constant(); }
  bool is_read(size_t output) const;
  // Whether all elements of an input are known to be 0.
  bool is_zero(size_t i) const;
  // What an operator keeps between runs, and begins as zeros.
  int32_t state(const Dims& of) const;
  bool is_quantized() const { return file_.tensor(inputs[0]).quantization != nullptr; }
  // Fails if the result is quantized in another way.
  void check_coding(const FixedCoding& coding) const;
  // The tensor with the quantization of `as`, by a QUANTIZE if it has another.
  int32_t requantized(int32_t number, int32_t as);
  // A constant's integers or floats.
  List<int64_t> values(size_t i) const;
  List<float> reals(size_t i) const;
  // The axis in [0, rank).
  int64_t axis(int64_t given, size_t of_rank) const;

  // An integer operand as INT32. Fails if a constant has larger values.
  int32_t narrowed(size_t i);
  // Values beyond INT32 become the nearest, as the ends of slices do.
  int32_t integers32(const List<int64_t>& values) const;
  int32_t integer32(int64_t value) const;  // of rank 0
  int32_t floats(const Dims& of, const List<float>& values) const;
  int32_t number(float value) const { return floats({}, {value}); }
  int32_t copy(int32_t number) const { return file_.add(format::TensorT(tensor(number))); }
  // A tensor like another, without data.
  int32_t like(int32_t number, const Dims& of) const;
  format::TensorT& tensor(int32_t number) const { return file_.tensor(number); }
  // A constant transposed like NetworkBuilder's. Fails if the input is not constant.
  int32_t transposed(size_t input, const List<uint32_t>& order) const;
  int32_t constant(const format::TensorT& as, const Dims& of, ByteView data) const;

  template <typename Options>
  void write(BuiltinOperator code, Options options, const Numbers32& from, const Numbers32& to) {
    format::BuiltinOptionsUnion all;
    all.Set(std::move(options));
    file_.add_operator(code, std::move(all), from, to);
  }
  void write(BuiltinOperator code, const Numbers32& from, const Numbers32& to) {
    file_.add_operator(code, {}, from, to);
  }
  void write_custom(const std::string& name, const List<uint8_t>& options) {
    file_.add_custom_operator(name, options, inputs, outputs);
  }
  // Writes an operator with one result like the first operand, and returns that.
  int32_t derive(BuiltinOperator code, const Numbers32& from) { return derive(code, from, shape(from[0])); }
  int32_t derive(BuiltinOperator code, const Numbers32& from, const Dims& to);
  void write_cast(int32_t from, int32_t to);
  // Brings the data to the shape of the result.
  void write_reshape(int32_t from, int32_t to);
  // Transposes of the data, for operators on the last channels.
  int32_t moved(int32_t number, const List<int64_t>& order);
  void move_to(int32_t from, const List<int64_t>& order, int32_t to);

  // "TensorFlow Lite has no CONV2D with ...": `what` is the end of the sentence.
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... what) const {
    fail(unsupported("TensorFlow Lite has no ", short_name(op()), " with ", what..., "."));
  }

 private:
  FileWriter& file_;
  const nnrt::Node& node_;
  NodeView view_;
  BuiltinOperator code_;
};

}  // namespace nnrt::import::tflite
