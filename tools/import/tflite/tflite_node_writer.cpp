#include "tools/import/tflite/tflite_node_writer.h"

#include "core/base/transpose.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace nnrt::import::tflite {
namespace {

using format::TensorT;
using format::TensorType;

// In files that a FlatBuffer can hold, with room for everything else.
constexpr size_t kMaxBytes = (size_t{1} << 31) - (size_t{1} << 25);

// Unknown dimensions are 1 in the shape, and -1 in the signature.
void set_shape(TensorT& tensor, const Dims& shape) {
  tensor.shape.clear();
  tensor.shape_signature.clear();
  for (const int64_t length : shape) tensor.shape.push_back(static_cast<int32_t>(length < 0 ? 1 : length));
  if (std::ranges::count(shape, -1) > 0) tensor.shape_signature.assign(shape.begin(), shape.end());
  tensor.has_rank = true;
}

// Interpreters want options of these operators.
void set_default_options(BuiltinOperator code, format::BuiltinOptionsUnion& options) {
  switch (code) {
    case BuiltinOperator::ADD: return options.Set(format::AddOptionsT());
    case BuiltinOperator::SUB: return options.Set(format::SubOptionsT());
    case BuiltinOperator::MUL: return options.Set(format::MulOptionsT());
    case BuiltinOperator::DIV: return options.Set(format::DivOptionsT());
    default: return;
  }
}

std::unique_ptr<format::QuantizationParametersT> quantization_of(const Quant& quant) {
  if (quant.empty()) return nullptr;
  auto made = std::make_unique<format::QuantizationParametersT>();
  made->scale.assign(quant.scales.begin(), quant.scales.end());
  made->zero_point.assign(quant.zero_points.begin(), quant.zero_points.end());
  return made;
}

}  // namespace

TensorType type_of(DType dtype) {
  switch (dtype) {
    case DType::boolean: return TensorType::BOOL;
    case DType::i8: return TensorType::INT8;
    case DType::i16: return TensorType::INT16;
    case DType::i32: return TensorType::INT32;
    case DType::i64: return TensorType::INT64;
    case DType::u8: return TensorType::UINT8;
    case DType::u16: return TensorType::UINT16;
    case DType::u32: return TensorType::UINT32;
    case DType::u64: return TensorType::UINT64;
    case DType::f32: return TensorType::FLOAT32;
    case DType::f64: return TensorType::FLOAT64;
    default: fail(unsupported("TensorFlow Lite does not compute in ", name(dtype), "."));
  }
}

FileWriter::FileWriter(const nnrt::Graph& graph) : graph_(graph) {
  for (const nnrt::Tensor& tensor : graph.tensors)
    constants_.push_back(tensor.is_constant() ? tensor.data->data() : nullptr);
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<format::BufferT>());  // of tensors without data
  model_.subgraphs.push_back(std::make_unique<format::SubGraphT>());
}

uint32_t FileWriter::buffer_of(ByteView data) {
  if (const auto found = buffers_.find(data.data()); found != buffers_.end()) return found->second;
  auto buffer = std::make_unique<format::BufferT>();
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  buffer->data.assign(bytes, bytes + data.size());
  model_.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(model_.buffers.size()) - 1;
}

int32_t FileWriter::add(TensorT made) {
  if (made.name.empty()) made.name = cat("tensor_", main().tensors.size());
  main().tensors.push_back(std::make_unique<TensorT>(std::move(made)));
  return static_cast<int32_t>(main().tensors.size()) - 1;
}

int32_t FileWriter::constant(TensorType type, const Dims& shape, ByteView data) {
  TensorT made;
  made.type = type;
  set_shape(made, shape);
  made.buffer = buffer_of(data);
  return add(std::move(made));
}

int32_t FileWriter::tensor_of(TensorId id) {
  if (const auto found = numbers_.find(id); found != numbers_.end()) return found->second;
  const nnrt::Tensor& from = graph_.tensors[id];
  TensorT made;
  made.name = from.name;
  made.type = type_of(from.dtype);
  made.quantization = quantization_of(from.quant);
  set_shape(made, from.is_constant() ? from.shape : graph_.shapes[id]);
  if (from.is_constant()) {
    made.buffer = buffer_of(*from.data);
    buffers_.emplace(from.data->data(), made.buffer);  // it outlives the writer
  }
  return numbers_[id] = add(std::move(made));
}

uint32_t FileWriter::code_number(BuiltinOperator code, int32_t version, const std::string& custom_name) {
  constexpr int32_t kLastNarrow = 127;
  const auto number = static_cast<int32_t>(code);
  auto& codes = model_.operator_numbers;
  auto found = std::ranges::find_if(
      codes, [&](const auto& it) { return it->builtin_code == number && it->custom_code == custom_name; });
  if (found == codes.end()) {
    auto made = std::make_unique<format::OperatorCodeT>();
    made->narrow_builtin_code = static_cast<int8_t>(std::min(number, kLastNarrow));
    made->builtin_code = number;
    made->custom_code = custom_name;
    codes.push_back(std::move(made));
    found = codes.end() - 1;
  }
  (*found)->version = std::max((*found)->version, version);
  return static_cast<uint32_t>(found - codes.begin());
}

void FileWriter::add_operator(BuiltinOperator code, format::BuiltinOptionsUnion options,
                              const Numbers32& inputs, const Numbers32& outputs) {
  List<const TensorT*> read, written;
  for (const int32_t number : inputs) read.push_back(number < 0 ? nullptr : &tensor(number));
  for (const int32_t number : outputs) written.push_back(&tensor(number));
  if (options.type == format::BuiltinOptions::NONE) set_default_options(code, options);
  auto made = std::make_unique<format::OperatorT>();
  made->opcode_index = code_number(code, version_of(code, options, read, written), {});
  made->builtin_options = std::move(options);
  made->inputs = inputs;
  made->outputs = outputs;
  main().operators.push_back(std::move(made));
}

void FileWriter::add_custom_operator(const std::string& name, const List<uint8_t>& options,
                                     const Numbers32& inputs, const Numbers32& outputs) {
  auto made = std::make_unique<format::OperatorT>();
  made->opcode_index = code_number(BuiltinOperator::CUSTOM, 1, name);
  made->custom_options = options;
  made->inputs = inputs;
  made->outputs = outputs;
  main().operators.push_back(std::move(made));
}

std::string FileWriter::finish() {
  for (const TensorId id : graph_.inputs) main().inputs.push_back(tensor_of(id));
  for (const TensorId id : graph_.outputs) main().outputs.push_back(tensor_of(id));
  drop_unused_tensors();
  size_t bytes = 0;
  for (const auto& buffer : model_.buffers) bytes += buffer->data.size();
  if (bytes > kMaxBytes)
    fail(
        unsupported("The model has ", bytes, " bytes of constants, but a .tflite file holds at most 2 GiB."));
  return packed(model_);
}

// Such as weights that an operator has in another order.
void FileWriter::drop_unused_tensors() {
  Numbers32 positions(main().tensors.size(), -1);
  List<uint32_t> buffers(model_.buffers.size(), 0);
  List<std::unique_ptr<TensorT>> tensors;
  List<std::unique_ptr<format::BufferT>> kept;
  kept.push_back(std::move(model_.buffers[0]));
  const auto keep = [&](auto& numbers) {
    for (int32_t& number : numbers) {
      if (number < 0) continue;
      int32_t& position = positions[static_cast<size_t>(number)];
      if (position < 0) {
        position = static_cast<int32_t>(tensors.size());
        tensors.push_back(std::move(main().tensors[static_cast<size_t>(number)]));
        uint32_t& buffer = buffers[tensors.back()->buffer];
        if (buffer == 0 && tensors.back()->buffer != 0) {
          buffer = static_cast<uint32_t>(kept.size());
          kept.push_back(std::move(model_.buffers[tensors.back()->buffer]));
        }
        tensors.back()->buffer = buffer;
      }
      number = position;
    }
  };
  keep(main().inputs);
  for (const auto& op : main().operators) {
    keep(op->inputs);
    keep(op->outputs);
  }
  keep(main().outputs);
  main().tensors = std::move(tensors);
  model_.buffers = std::move(kept);
}

std::string packed(const format::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::CreateModel(builder, &model));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

NodeWriter::NodeWriter(FileWriter& file, const nnrt::Node& node, BuiltinOperator code)
    : NodeAttributes(node), file_(file), node_(node), view_(file.view(node)), code_(code) {
  for (const TensorId id : node.inputs) inputs.push_back(file.tensor_of(id));
  for (const TensorId id : node.outputs) outputs.push_back(file.tensor_of(id));
}

int32_t NodeWriter::option(Attr attr) {
  const int64_t value = integer(attr);
  if (!std::in_range<int32_t>(value)) refuse("a value of ", value);
  return static_cast<int32_t>(value);
}

bool NodeWriter::is_read(size_t output) const {
  const nnrt::Graph& graph = file_.graph();
  const TensorId id = node_.outputs[output];
  return std::ranges::count(graph.outputs, id) > 0 ||
         std::ranges::any_of(graph.nodes,
                             [&](const nnrt::Node& it) { return std::ranges::count(it.inputs, id) > 0; });
}

bool NodeWriter::is_zero(size_t i) const {
  const nnrt::Graph& graph = file_.graph();
  TensorId id = node_.inputs[i];
  const auto writer = std::ranges::find_if(
      graph.nodes, [&](const nnrt::Node& it) { return std::ranges::count(it.outputs, id) > 0; });
  if (writer != graph.nodes.end() && writer->op == Op::fill) id = writer->inputs[0];
  const nnrt::Tensor& tensor = graph.tensors[id];
  return tensor.is_constant() &&
         std::ranges::all_of(*tensor.data, [](std::byte byte) { return byte == std::byte{0}; });
}

int32_t NodeWriter::state(const Dims& of) const {
  TensorT made;
  made.type = TensorType::FLOAT32;
  made.is_variable = true;
  set_shape(made, of);
  return file_.add(std::move(made));
}

Activation NodeWriter::activation() {
  if (!has(Attr::activation)) return Activation::NONE;
  constexpr Activation kCodes[] = {Activation::NONE, Activation::RELU, Activation::RELU6};
  return kCodes[node_.attrs.integer(Attr::activation)];
}

Dims NodeWriter::shape(int32_t number) const {
  const TensorT& of = file_.tensor(number);
  const auto& dims = of.shape_signature.empty() ? of.shape : of.shape_signature;
  return {dims.begin(), dims.end()};
}

List<int64_t> NodeWriter::values(size_t i) const {
  auto found = i < view_.input_count() ? view_.integers(i) : std::nullopt;
  if (!found) refuse("a computed input ", i);
  return *std::move(found);
}

List<float> NodeWriter::reals(size_t i) const {
  const nnrt::Tensor& given = view_.input(i);
  if (!given.is_constant() || given.dtype != DType::f32) refuse("a computed input ", i);
  List<float> made(given.data->size() / sizeof(float));
  std::memcpy(made.data(), given.data->data(), made.size() * sizeof(float));
  return made;
}

void NodeWriter::check_coding(const FixedCoding& coding) const {
  const auto& quantization = tensor(outputs[0]).quantization;
  const bool fits =
      !quantization || (quantization->scale.size() == 1 && quantization->scale[0] == coding.scale &&
                        quantization->zero_point[0] == coding.zero_point);
  if (!fits) refuse("a result whose scale is not 1/", std::lround(1 / coding.scale));
}

int32_t NodeWriter::requantized(int32_t number, int32_t as) {
  const auto &from = tensor(number).quantization, &to = tensor(as).quantization;
  if (!from || !to || (from->scale == to->scale && from->zero_point == to->zero_point)) return number;
  const int32_t made = like(as, shape(number));
  write(BuiltinOperator::QUANTIZE, {number}, {made});
  return made;
}

int32_t NodeWriter::narrowed(size_t i) {
  if (dtype(i) == DType::i32) return inputs[i];
  if (!is_constant(i)) {
    const int32_t made = like(inputs[i], shape(inputs[i]));
    tensor(made).type = TensorType::INT32;
    write_cast(inputs[i], made);
    return made;
  }
  const List<int64_t> wide = values(i);
  const bool may_lie_beyond = op() == Op::slice || op() == Op::strided_slice;
  for (const int64_t value : wide)
    if (!may_lie_beyond && !std::in_range<int32_t>(value)) refuse("a value of ", value);
  const int32_t made = integers32(wide);
  set_shape(tensor(made), shape(inputs[i]));
  return made;
}

int64_t NodeWriter::axis(int64_t given, size_t of_rank) const {
  return given < 0 ? given + static_cast<int64_t>(of_rank) : given;
}

int32_t NodeWriter::integers32(const List<int64_t>& values) const {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  Numbers32 narrow;
  for (const int64_t value : values) narrow.push_back(static_cast<int32_t>(std::clamp(value, kMin, kMax)));
  return file_.constant(TensorType::INT32, {static_cast<int64_t>(values.size())},
                        std::as_bytes(std::span(narrow)));
}

int32_t NodeWriter::integer32(int64_t value) const {
  const int32_t made = integers32({value});
  set_shape(tensor(made), {});
  return made;
}

int32_t NodeWriter::floats(const Dims& of, const List<float>& values) const {
  return file_.constant(TensorType::FLOAT32, of, std::as_bytes(std::span(values)));
}

int32_t NodeWriter::like(int32_t number, const Dims& of) const {
  TensorT made(tensor(number));
  made.name.clear();
  made.buffer = 0;
  set_shape(made, of);
  return file_.add(std::move(made));
}

int32_t NodeWriter::constant(const TensorT& as, const Dims& of, ByteView data) const {
  const int32_t made = file_.constant(as.type, of, data);
  tensor(made).name = as.name;
  if (as.quantization)
    tensor(made).quantization = std::make_unique<format::QuantizationParametersT>(*as.quantization);
  return made;
}

int32_t NodeWriter::transposed(size_t input, const List<uint32_t>& order) const {
  const nnrt::Tensor& from = view_.input(input);
  if (!from.is_constant()) refuse("computed weights");
  Dims shape;
  for (const uint32_t d : order) shape.push_back(from.shape[d]);
  return constant(
      tensor(inputs[input]), shape,
      nnrt::transposed(*from.data, from.shape, {order.begin(), order.end()}, size_of(from.dtype)));
}

int32_t NodeWriter::derive(BuiltinOperator code, const Numbers32& from, const Dims& to) {
  const int32_t made = like(from[0], to);
  write(code, from, {made});
  return made;
}

void NodeWriter::write_cast(int32_t from, int32_t to) {
  format::CastOptionsT options;
  options.in_type = tensor(from).type;
  options.out_type = tensor(to).type;
  write(BuiltinOperator::CAST, options, {from}, {to});
}

void NodeWriter::write_reshape(int32_t from, int32_t to) {
  const Dims to_shape = shape(to);
  format::ReshapeOptionsT options;
  options.new_shape.assign(to_shape.begin(), to_shape.end());
  write(BuiltinOperator::RESHAPE, std::move(options), {from, integers32({to_shape.begin(), to_shape.end()})},
        {to});
}

int32_t NodeWriter::moved(int32_t number, const List<int64_t>& order) {
  const Dims from = shape(number);
  Dims to;
  for (const int64_t d : order) to.push_back(from[static_cast<size_t>(d)]);
  return derive(BuiltinOperator::TRANSPOSE, {number, integers32(order)}, to);
}

void NodeWriter::move_to(int32_t from, const List<int64_t>& order, int32_t to) {
  write(BuiltinOperator::TRANSPOSE, {from, integers32(order)}, {to});
}

}  // namespace nnrt::import::tflite
