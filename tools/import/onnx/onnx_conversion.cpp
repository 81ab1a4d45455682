#include "tools/import/onnx/onnx_conversion.h"

#include "core/platform/log.h"
#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_quantization.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>

namespace nnrt::import::onnx {
namespace {

Dims read_shape(const onnx_file::ValueInfo& input, const Options& options) {
  if (!input.type().tensor_type().has_shape()) {
    for (const InputShapes* const known : {&options.input_shapes, &options.open_dimensions}) {
      const auto given = known->find(input.name());
      if (given == known->end()) continue;
      const Shape shape = required(input_shape(options, input.name(), given->second));
      return {shape.begin(), shape.end()};
    }
    fail(
        unsupported("The file does not give the rank of input ", input.name(), ": its shape must be given."));
  }
  Shape shape;
  for (const onnx_file::Dimension& dimension : input.type().tensor_type().shape().dim()) {
    const int64_t length = dimension.has_dim_value() ? dimension.dim_value() : kUnknown;
    if (length < -1 || length > std::numeric_limits<int32_t>::max())
      fail(damaged("Dimension (", length, ") of input ", input.name(), " is outside [-1, 2147483647]."));
    // Exporters write 0 for unknown dimensions.
    shape.push_back(length == 0 ? -1 : static_cast<int32_t>(length));
  }
  constexpr size_t kMaxRank = 8;
  if (shape.size() > kMaxRank)
    fail(unsupported("The rank (", shape.size(), ") of input ", input.name(), " is above 8."));
  shape = required(input_shape(options, input.name(), shape));
  return {shape.begin(), shape.end()};
}

// Rejects operators whose meaning changed with opset 5; older files are rare.
void check_age(const onnx_file::NodeProto& node, int64_t opset) {
  static constexpr std::pair<std::string_view, int64_t> kChanged[] = {
      {"Concat", 4}, {"GRU", 3},     {"GlobalLpPool", 2}, {"LpPool", 2},
      {"Pad", 2},    {"Reshape", 5}, {"Split", 2}};
  for (const auto& [type, since] : kChanged) {
    if (node.op_type() == type && opset < since && node.domain().empty())
      fail(unsupported(type, " as it was before opset ", since, " is not supported."));
  }
}

// As far as the file tells; 0 counts as unknown.
Dims declared_shape(const onnx_file::ValueInfo& value) {
  Dims shape;
  for (const onnx_file::Dimension& dimension : value.type().tensor_type().shape().dim())
    shape.push_back(dimension.dim_value() > 0 ? dimension.dim_value() : kUnknown);
  return shape;
}

void set_elements(nnrt::Tensor& tensor, int64_t value) {
  if (!kInteger.contains(tensor.dtype) && tensor.dtype != DType::boolean)
    fail(unsupported("Input ", tensor.name, " is fixed, but its elements are not integers."));
  std::ranges::replace(tensor.shape, kUnknown, 1);
  const size_t size = size_of(tensor.dtype);
  Bytes bytes(static_cast<size_t>(nnrt::element_count(tensor.shape).value_or(0)) * size);
  for (size_t i = 0; i < bytes.size(); i += size) std::memcpy(&bytes[i], &value, size);
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
}

// A dtype that holds all values, or DType::unknown. The second attempt uses float for small integers. FLOAT64
// has no substitute: FLOAT32 would silently lose precision.
DType substitute(DType dtype, int attempt) {
  switch (dtype) {
    case DType::i8:
    case DType::u8:
    case DType::i16:
    case DType::u16: return attempt == 0 ? DType::i32 : DType::f32;
    case DType::u32: return DType::i64;
    default: return DType::unknown;
  }
}

struct Attempt {
  List<Value> values;  // one per input
  DType from = DType::unknown, to = DType::unknown;
};

// Casts all inputs of the first dtype that has a substitute; empty if there is none.
std::optional<Attempt> cast_inputs(Call& call, int number) {
  Attempt attempt;
  for (const Value* const input : call.inputs) {
    Value value = input == nullptr ? Value{} : *input;
    if (value.plain && !value.dequantized) {
      const DType dtype = call.dtype(*value.plain);
      const DType other = substitute(dtype, number);
      if (other != DType::unknown && (attempt.from == DType::unknown || attempt.from == dtype)) {
        attempt.from = dtype;
        attempt.to = other;
        value.plain = call.cast(*value.plain, other);
      }
    }
    attempt.values.push_back(value);
  }
  if (attempt.from == DType::unknown) return {};
  return attempt;
}

// Bodies must not be converted twice.
bool has_body(const Call& call) {
  return std::ranges::any_of(call.node().attribute(),
                             [](const auto& attribute) { return attribute.has_g(); });
}

bool may_be_cast(const Call& call, const Result<Ids>& made) {
  return !made.ok() && made.error().code == Code::unsupported && !call.is_quantized_call() && !has_body(call);
}

// Runs the node's handler. If OH_NN lacks the operation for the inputs' dtype, runs it in a wider dtype and
// casts the results back.
Ids run_in_wider_types(Call& call) {
  const int8_t activation = call.activation;
  const List<Value*> inputs = call.inputs;
  Result<Ids> first = run_handler(call);
  constexpr int kAttempts = 2;
  for (int number = 0; number < kAttempts && may_be_cast(call, first); ++number) {
    call.inputs = inputs;
    auto cast = converting([&] { return cast_inputs(call, number); });
    if (!cast.ok() || !cast.value()) break;
    Attempt& attempt = *cast.value();
    for (size_t i = 0; i < inputs.size(); ++i) call.inputs[i] = inputs[i] ? &attempt.values[i] : nullptr;
    call.activation = activation;
    call.result.reset();
    Result<Ids> made = run_handler(call);
    call.inputs = inputs;
    if (!made.ok() || call.result) continue;
    Ids results = std::move(made).value();
    for (TensorId& id : results)
      if (call.dtype(id) == attempt.to) id = call.cast(id, attempt.from);
    return results;
  }
  return required(std::move(first));
}

}  // namespace

void Conversion::bind(const std::string& name, Value value) {
  if (!name.empty()) values_.insert_or_assign(name, value);
}

void Conversion::add_constants() {
  List<const onnx_file::TensorProto*> read;
  for (const onnx_file::TensorProto& initializer : graph_.initializer())
    if (nodes_.readers(initializer.name()) > 0) read.push_back(&initializer);
  read_ahead(read, model_.data);
  const auto add = [&](const onnx_file::TensorProto& proto, auto read_tensor) {
    if (values_.contains(proto.name())) fail(damaged("The constant ", proto.name(), " is defined twice."));
    if (nodes_.readers(proto.name()) == 0) return;
    nnrt::Tensor tensor = required(read_tensor());
    if (proto.data_location() == kExternal) emitter_.budget().grow(tensor.data->size());
    const TensorId id = emitter_.add(std::move(tensor));
    if (proto.data_type() == kString) model_.strings.mark(id);
    bind(proto.name(),
         {.plain = id, .bits = packed_bits(proto.data_type()), .narrow = narrow_float(proto.data_type())});
  };
  for (const onnx_file::TensorProto& proto : graph_.initializer())
    add(proto, [&] {
      return proto.data_type() == kString ? read_strings(proto, model_.strings)
                                          : read_constant(proto, model_.data);
    });
  for (const onnx_file::SparseTensor& sparse : graph_.sparse_initializer())
    add(sparse.values(), [&] { return read_constant(sparse, model_.data, emitter_.budget()); });
}

// A constant listed among the inputs (old files list all of them) may be overridden at run time: it becomes
// an input if its shape is given.
void Conversion::add_inputs(const Options& given) {
  std::set<std::string_view> constants, names;
  for (const onnx_file::TensorProto& initializer : graph_.initializer()) constants.insert(initializer.name());
  for (const onnx_file::SparseTensor& sparse : graph_.sparse_initializer())
    constants.insert(sparse.values().name());
  const auto is_fed = [&](const onnx_file::ValueInfo& input) {
    const bool is_given =
        given.input_shapes.contains(input.name()) || given.open_dimensions.contains(input.name());
    return is_given || !constants.contains(input.name());
  };
  List<std::string> inputs;
  for (const onnx_file::ValueInfo& input : graph_.input())
    if (is_fed(input)) inputs.push_back(input.name());
  const Options options = required(options_for(inputs, given));
  for (const onnx_file::ValueInfo& input : graph_.input()) {
    if (!is_fed(input)) continue;
    if (!names.insert(input.name()).second) fail(damaged("The input ", input.name(), " is defined twice."));
    if (!input.type().has_tensor_type()) fail(unsupported("The input ", input.name(), " is not a tensor."));
    nnrt::Tensor tensor;
    tensor.name = input.name();
    const int32_t type = input.type().tensor_type().elem_type();
    tensor.dtype = required(stored_dtype_of(type));
    tensor.shape = read_shape(input, options);
    if (const auto fixed = given.fixed_inputs.find(input.name()); fixed != given.fixed_inputs.end()) {
      set_elements(tensor, fixed->second);
      bind(input.name(), {.plain = emitter_.add(std::move(tensor))});
      continue;
    }
    if (input.type().tensor_type().has_shape() && !compatible(declared_shape(input), tensor.shape))
      has_file_shapes_ = false;
    inputs_.push_back(emitter_.add(std::move(tensor)));
    bind(input.name(), {.plain = inputs_.back(), .narrow = narrow_float(type)});
  }
}

Layer Conversion::layer_of(int position) const {
  const onnx_file::NodeProto& node = graph_.node(position);
  const bool is_named = !node.name().empty() || node.output_size() == 0;
  return {node.op_type(),
          layer_name_ + (is_named ? node.name() : node.output(0)),
          {},
          outermost_ >= 0 ? outermost_ : position};
}

Status Conversion::convert_nodes() {
  for (const int position : nodes_.order()) {
    if (done_[static_cast<size_t>(position)]) continue;
    position_ = position;
    const std::string origin = describe(graph_.node(position), position);
    emitter_.set_origin(origin_ + origin);
    emitter_.set_layer(layer_of(position));
    Status status = converting([&] {
      convert(position);
      return emitter_.budget().check();
    });
    if (!status.ok()) return of_file(std::move(status).error()).during(cat("converting ", origin));
  }
  return {};
}

Value* Conversion::find(const std::string& name) {
  if (name.empty() || absent_.contains(name)) return nullptr;
  const auto found = values_.find(name);
  if (found != values_.end()) return &found->second;
  if (outer_ != nullptr) return outer_->find(name);
  fail(damaged("The value ", name, " is not defined."));
}

Call Conversion::prepare(const onnx_file::NodeProto& node, const Row& row, int first) {
  Call call(row, node, opset_, emitter_);
  call.bodies = this;
  call.data = &model_.data;
  call.strings = &model_.strings;
  call.inputs.assign(static_cast<size_t>(first), nullptr);
  for (int i = first; i < node.input_size(); ++i) call.inputs.push_back(find(node.input(i)));
  while (!call.inputs.empty() && call.inputs.back() == nullptr) call.inputs.pop_back();
  for (const std::string& name : node.output())
    call.wanted.push_back(!name.empty() && nodes_.readers(name) > 0);
  call.graph_inputs = &graph_.input();
  call.graph_outputs = &graph_.output();
  return call;
}

int8_t Conversion::take_activation(std::string& value) {
  const int position = nodes_.only_reader(value);
  if (position < 0) return 0;
  const onnx_file::NodeProto& node = graph_.node(position);
  if (node.output_size() != 1 || node.input_size() == 0 || node.input(0) != value ||
      (node.op_type() != "Relu" && node.op_type() != "Clip"))
    return 0;
  int8_t activation = 1;
  if (node.op_type() == "Clip") {
    const Attributes attributes(node);
    const auto bound = [&](int input, std::string_view attribute) -> std::optional<double> {
      if (node.input_size() <= input || node.input(input).empty())
        return attributes.has(attribute) ? std::optional<double>(attributes.real(attribute, 0))
                                         : std::nullopt;
      const auto found = values_.find(node.input(input));
      if (found == values_.end() || !found->second.plain) return {};
      const auto numbers = emitter_.known_numbers(*found->second.plain);
      return numbers && numbers->size() == 1 ? std::optional(numbers->at(0)) : std::nullopt;
    };
    if (bound(1, "min") != 0.0 || bound(2, "max") != 6.0) return 0;
    activation = 2;
  }
  done_[static_cast<size_t>(position)] = true;
  emitter_.layer_at(*emitter_.layer()).fused.push_back(node.op_type());
  value = node.output(0);
  return activation;
}

int Conversion::quantizer(const std::string& value) const {
  const int position = nodes_.only_reader(value);
  if (position < 0) return -1;
  const onnx_file::NodeProto& node = graph_.node(position);
  const bool quantizes = node.op_type() == "QuantizeLinear" && node.output_size() == 1;
  return quantizes && node.input_size() > 0 && node.input(0) == value ? position : -1;
}

// True if all participating inputs are quantized: constants, or per-tensor.
bool Conversion::is_quantized_value(const Call& call) const {
  const int quantized = call.row().quantized;
  const size_t count = quantized == kAllInputsQuantized ? call.input_count() : static_cast<size_t>(quantized);
  if (count == 0 || call.input_count() < count) return false;
  for (size_t i = 0; i < count; ++i) {
    const Value* const value = call.inputs[i];
    if (value == nullptr || !value->dequantized || value->blocks ||
        emitter_.dtype(*value->quantized) != DType::i8)
      return false;
    const bool one_scale = emitter_.tensor(*value->quantized).quantization.scales.size() == 1;
    if (!one_scale && (i != 1 || !emitter_.is_constant(*value->quantized))) return false;
  }
  return true;
}

Ids Conversion::run(Call& call, int position, std::string& output) {
  const int quantize = quantizer(output);
  if (quantize >= 0 && is_quantized_value(call)) {
    Call next = prepare(graph_.node(quantize), *find_row("QuantizeLinear", ""), 1);
    const std::optional<Coding> coding = byte_coding(next);
    if (coding && coding->quant.scales.size() == 1) {
      done_[static_cast<size_t>(quantize)] = true;
      emitter_.set_origin(origin_ + describe(graph_.node(position), position));
      call.result = run_quantized(call, *coding);
      output = graph_.node(quantize).output(0);
      return {*call.result->quantized};
    }
  }
  Ids made = run_in_wider_types(call);
  if (call.activation != 0) made[0] = emitter_.emit(call.activation == 1 ? Op::relu : Op::relu6, {made[0]});
  return made;
}

void Conversion::convert(int position) {
  const onnx_file::NodeProto& node = graph_.node(position);
  if (node.output_size() == 0) fail(damaged("The node has no output."));
  std::string output = node.output(0);
  if (const onnx_file::FunctionProto* const function = model_.functions.find(node)) {
    static constexpr Row kFunction{};
    Call call = prepare(node, kFunction, 0);
    return bind_outputs(call, node, output, call_function(*function, call));
  }
  const Row* const row = find_row(node.op_type(), node.domain());
  if (row == nullptr) return required(refuse(List<std::string>{describe(node, position)}));
  check_age(node, opset_);
  Call call = prepare(node, *row, 0);
  const bool gives_strings = reads_strings(call);
  if (row->activates) call.activation = take_activation(output);
  const Ids made = run(call, position, output);
  if (gives_strings) std::ranges::for_each(made, [&](TensorId id) { model_.strings.mark(id); });
  bind_outputs(call, node, output, made);
}

// Returns whether the results of a node are strings.
bool Conversion::reads_strings(const Call& call) const {
  constexpr std::array<std::string_view, 16> kMoves = {
      "Compress", "Concat", "Expand", "Flatten", "Gather", "GatherElements", "GatherND",  "Identity",
      "Reshape",  "Slice",  "Split",  "Squeeze", "Tile",   "Transpose",      "Unsqueeze", "Where"};
  constexpr std::array<std::string_view, 5> kReads = {"Cast", "CastLike", "Equal", "Shape", "Size"};
  if (std::ranges::none_of(call.inputs, [&](const Value* value) {
        return value != nullptr && value->plain && model_.strings.is_marked(*value->plain);
      }))
    return false;
  if (std::ranges::count(kReads, call.type()) > 0) return false;
  if (std::ranges::count(kMoves, call.type()) > 0) return true;
  fail(unsupported(call.type(), " of strings is not supported."));
}

// The type that operators on BFLOAT16 or FLOAT8 values give their FLOAT32 results; CastLike reads it.
const NarrowFloat* Conversion::narrow_result(const Call& call, TensorId made) const {
  if (emitter_.dtype(made) != DType::f32) return nullptr;
  for (const Value* const input : call.inputs)
    if (input != nullptr && input->narrow != nullptr) return input->narrow;
  return nullptr;
}

// `first` is the name of the first output, or of the node fused into it.
void Conversion::bind_outputs(Call& call, const onnx_file::NodeProto& node, const std::string& first,
                              const Ids& made) {
  for (size_t i = 0; i < call.wanted.size(); ++i) {
    if (!call.wanted[i]) continue;
    const std::string& name = i == 0 ? first : node.output(static_cast<int>(i));
    if (const auto found = call.sequences.find(i); found != call.sequences.end()) {
      bind(name, {.elements = found->second});
      continue;
    }
    if (i >= made.size()) fail(unsupported("Output ", i, " (", name, ") is not supported."));
    const bool is_result = i == 0 && call.result;
    if (origin_.empty()) emitter_.give_name(made[i], name);
    bind(name, is_result ? *call.result : Value{.plain = made[i], .narrow = narrow_result(call, made[i])});
  }
}

// The tensor keeps its own shape, but one of the two must be wrong.
void Conversion::compare_declared(const onnx_file::ValueInfo& output, TensorId id) const {
  if (!has_file_shapes_ || !output.type().tensor_type().has_shape()) return;
  const Dims declared = declared_shape(output);
  if (compatible(declared, emitter_.shape(id))) return;
  log(LogLevel::warning, cat("The file declares the shape ", to_string(declared), " for output ",
                             output.name(), ", but its nodes give ", to_string(emitter_.shape(id)), "."));
}

// Each graph output gets its own tensor, written by an operation and named as in the file; a sequence one for
// each element.
Network Conversion::finish() && {
  Ids outputs;
  std::set<TensorId> taken(inputs_.begin(), inputs_.end());
  const auto add_output = [&](TensorId id, const std::string& name) {
    if (emitter_.is_constant(id) || taken.contains(id)) id = emitter_.copy(id);
    taken.insert(id);
    emitter_.rename(id, name);
    outputs.push_back(id);
  };
  for (const onnx_file::ValueInfo& output : graph_.output()) {
    Value* const value = find(output.name());
    if (value == nullptr) fail(damaged("An output has no name."));
    emitter_.set_origin(cat("output ", output.name()));
    emitter_.set_layer({});
    if (value->elements) {
      for (size_t i = 0; i < value->elements->size(); ++i)
        add_output((*value->elements)[i], cat(output.name(), "[", i, "]"));
    } else {
      const TensorId id = plain_of(emitter_, *value);
      if (model_.strings.is_marked(id))
        fail(unsupported("The output ", output.name(), " has strings, which OH_NN lacks."));
      compare_declared(output, id);
      add_output(id, output.name());
    }
  }
  emitter_.drop_unused(outputs);
  return std::move(emitter_).finish(inputs_, outputs);
}

}  // namespace nnrt::import::onnx
