#include "tools/import/tflite/tflite_reader.h"

#include "tools/import/network/shape_inference.h"
#include "tools/import/tflite/tflite_operators.h"
#include "tools/import/tflite/tflite_tensors.h"

#include <algorithm>
#include <set>

namespace nnrt::import {
namespace tflite {
namespace {

constexpr size_t kMaxOperands = 65536;

// The numbers of a vector that may be missing.
std::span<const int32_t> numbers(const flatbuffers::Vector<int32_t>* vector) {
  return vector ? std::span(vector->data(), vector->size()) : std::span<const int32_t>();
}

// A file that is verified, on its way into a network.
class Reader {
 public:
  Reader(const format::Model& model, const Options& options, size_t file_size)
      : model_(model), given_(options), allowance_(file_size), builder_(file_size) {}

  Result<Network> read();

 private:
  Status open();
  Status check_operators();
  Status read_options();
  Status check_numbers(std::span<const int32_t> ids, bool may_be_missing) const;
  bool overrides_known_sizes() const;
  Status read_tensors();
  Status read_inputs();
  Status read_operator(size_t position);
  Status infer_shapes(size_t first_operation, std::span<TensorSlot* const> outputs);
  Result<std::vector<TensorSlot*>> slots(std::span<const int32_t> ids, bool are_read);
  std::vector<TensorId> outputs();

  std::pair<int32_t, std::string_view> code_of(const format::Operator& op) const;
  std::string origin_of(size_t position) const;
  Layer layer_of(size_t position) const;
  const format::Operator& operator_at(size_t position) const {
    return *(*graph_->operators())[static_cast<flatbuffers::uoffset_t>(position)];
  }
  size_t operator_count() const { return graph_->operators() ? graph_->operators()->size() : 0; }
  const format::Tensor& tensor_at(size_t number) const {
    return *(*graph_->tensors())[static_cast<flatbuffers::uoffset_t>(number)];
  }

  const format::Model& model_;
  const Options& given_;
  Options options_;  // the same, with the names of inputs
  Allowance allowance_;
  const format::SubGraph* graph_ = nullptr;
  NetworkBuilder builder_;
  std::vector<TensorSlot> slots_;
  std::vector<bool> is_known_;  // a constant, or written by now
  bool infers_shapes_ = false;  // the file lacks some, or has those of other inputs
  std::vector<TensorId> inputs_;
};

Status Reader::check_numbers(std::span<const int32_t> ids, bool may_be_missing) const {
  const auto count = static_cast<int64_t>(graph_->tensors() ? graph_->tensors()->size() : 0);
  const bool good =
      std::ranges::all_of(ids, [&](int64_t id) { return id < count && id >= (may_be_missing ? -1 : 0); });
  if (good && ids.size() <= kMaxOperands) return {};
  return Error{Code::invalid_file, "The file names a tensor that it does not have."};
}

Status Reader::open() {
  if (!model_.subgraphs() || model_.subgraphs()->size() == 0)
    return Error{Code::invalid_file, "The file holds no graph."};
  graph_ = (*model_.subgraphs())[0];
  NNRT_TRY(check_numbers(numbers(graph_->inputs()), false));
  NNRT_TRY(check_numbers(numbers(graph_->outputs()), false));
  for (size_t i = 0; i < operator_count(); ++i) {
    const format::Operator& op = operator_at(i);
    NNRT_TRY(allowance_.take(
        (size_t{size_t(numbers(op.inputs()).size())} + numbers(op.outputs()).size() + 4) * 4));
    NNRT_TRY(check_numbers(numbers(op.inputs()), true));
    NNRT_TRY(check_numbers(numbers(op.outputs()), false));
    if (!model_.operator_numbers() || op.opcode_index() >= model_.operator_numbers()->size())
      return Error{Code::invalid_file, "Operator " + std::to_string(i) + " has no code."};
  }
  return {};
}

std::pair<int32_t, std::string_view> Reader::code_of(const format::Operator& op) const {
  const format::OperatorCode& code = *(*model_.operator_numbers())[op.opcode_index()];
  const auto* name = code.custom_code();
  return {std::max<int32_t>(code.narrow_builtin_code(), code.builtin_code()),
          name ? std::string_view(name->c_str(), name->size()) : std::string_view()};
}

std::string Reader::origin_of(size_t position) const {
  const auto [code, custom_name] = code_of(operator_at(position));
  return operator_name(code, custom_name) + " (operator " + std::to_string(position) + ")";
}

Layer Reader::layer_of(size_t position) const {
  const auto [code, custom_name] = code_of(operator_at(position));
  const std::span<const int32_t> outputs = numbers(operator_at(position).outputs());
  Layer layer{operator_name(code, custom_name), "", {}};
  if (!outputs.empty()) layer.name = builder_.tensor(slots_[static_cast<size_t>(outputs[0])].id).name;
  return layer;
}

// Before anything is built: the message names every operator that cannot be read.
Status Reader::check_operators() {
  std::vector<std::string> unknown;
  constexpr size_t kMaxNamed = 32;
  for (size_t i = 0; i < operator_count() && unknown.size() < kMaxNamed; ++i) {
    const auto [code, custom_name] = code_of(operator_at(i));
    if (!find_row(code, custom_name)) unknown.push_back(origin_of(i));
  }
  return refuse(unknown);
}

Status Reader::read_options() {
  std::vector<std::string> names;
  for (const int32_t number : numbers(graph_->inputs())) {
    const auto* name = tensor_at(static_cast<size_t>(number)).name();
    names.push_back(name ? name->str() : "");
  }
  NNRT_ASSIGN(options_, options_for(names, given_));
  return {};
}

// Sizes of results follow from those of the inputs; if these change, only the runtime finds them out.
bool Reader::overrides_known_sizes() const {
  return std::ranges::any_of(numbers(graph_->inputs()), [&](int32_t number) {
    const format::Tensor& table = tensor_at(static_cast<size_t>(number));
    const auto given =
        table.name() ? options_.input_shapes.find(table.name()->string_view()) : options_.input_shapes.end();
    if (given == options_.input_shapes.end()) return false;
    const Shape shape = signature_of(table);
    return !std::ranges::equal(shape, given->second, [](int32_t a, int32_t b) { return a == b || a == -1; });
  });
}

Status Reader::read_tensors() {
  const size_t count = graph_->tensors() ? graph_->tensors()->size() : 0;
  std::vector<bool> is_written(count);
  const auto mark = [&](std::span<const int32_t> ids) {
    for (const int32_t id : ids) is_written[static_cast<size_t>(id)] = true;
  };
  mark(numbers(graph_->inputs()));
  for (size_t i = 0; i < operator_count(); ++i) mark(numbers(operator_at(i).outputs()));

  infers_shapes_ = overrides_known_sizes();
  TensorReader reader(model_, allowance_, !infers_shapes_);
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(ReadTensor read, reader.read(tensor_at(i), is_written[i]));
    is_known_.push_back(read.tensor.data != nullptr);
    read.slot.id = builder_.add(std::move(read.tensor));
    slots_.push_back(read.slot);
    infers_shapes_ = infers_shapes_ || !(read.slot.has_rank || is_known_.back());
  }
  for (const int32_t id : numbers(graph_->outputs())) slots_[static_cast<size_t>(id)].is_output = true;
  return {};
}

// UINT8 stays outside; inside, all is INT8.
Status Reader::read_inputs() {
  for (const int32_t number : numbers(graph_->inputs())) {
    TensorSlot& slot = slots_[static_cast<size_t>(number)];
    if (is_known_[static_cast<size_t>(number)]) return Error{Code::invalid_file, "An input is given twice."};
    is_known_[static_cast<size_t>(number)] = true;
    Tensor& tensor = builder_.tensor(slot.id);
    tensor.shape = signature_of(tensor_at(static_cast<size_t>(number)));
    const auto given = options_.input_shapes.find(tensor.name);
    if (!slot.has_rank && given != options_.input_shapes.end()) {
      tensor.shape = given->second;
    } else {
      NNRT_ASSIGN(tensor.shape, input_shape(options_, tensor.name, tensor.shape));
    }
    inputs_.push_back(slot.id);
    if (!slot.is_shifted) continue;
    Tensor inside = tensor;
    tensor.type = OH_NN_UINT8;
    for (int32_t& zero_point : tensor.quantization.zero_points) zero_point += 128;
    inside.name += " as INT8";
    builder_.set_origin("input " + tensor.name);
    slot.id = builder_.add(std::move(inside));
    builder_.cast_quantized(inputs_.back(), slot.id);
  }
  return {};
}

Result<std::vector<TensorSlot*>> Reader::slots(std::span<const int32_t> ids, bool are_read) {
  std::vector<TensorSlot*> result;
  for (const int32_t id : ids) {
    const auto number = static_cast<size_t>(id);
    result.push_back(id < 0 ? nullptr : &slots_[number]);
    if (are_read || id < 0) continue;
    if (is_known_[number])
      return Error{Code::invalid_file, builder_.origin() + " writes a tensor that is there already."};
    is_known_[number] = true;
  }
  return result;
}

Status Reader::read_operator(size_t position) {
  const format::Operator& table = operator_at(position);
  const auto [code, custom_name] = code_of(table);
  const Row& row = *find_row(code, custom_name);
  builder_.set_origin(origin_of(position));
  builder_.set_layer(layer_of(position));
  NNRT_ASSIGN(std::vector<TensorSlot*> inputs, slots(numbers(table.inputs()), true));
  NNRT_ASSIGN(const std::vector<TensorSlot*> outputs, slots(numbers(table.outputs()), false));
  Operator op(builder_, table, row, std::move(inputs), outputs);
  if (op.input_count() < row.min_inputs || (row.max_inputs != kMany && op.input_count() > row.max_inputs) ||
      op.output_count() == 0)
    return op.damaged("has " + std::to_string(op.input_count()) + " inputs");
  for (size_t i = 0; i < row.min_inputs; ++i)
    if (!op.has(i)) return op.damaged("lacks input " + std::to_string(i));
  const size_t first = builder_.operation_count();
  NNRT_TRY(op.check_wide());
  NNRT_TRY(row.convert(op));
  op.finish();
  NNRT_TRY(infer_shapes(first, outputs));
  if (Status status = builder_.budget().check(); !status.ok())
    return std::move(status).error().during("reading " + builder_.origin());
  return {};
}

// Infers the shapes of results of the operations from there on, which are those of an operator with these
// outputs.
Status Reader::infer_shapes(size_t first_operation, std::span<TensorSlot* const> outputs) {
  if (!infers_shapes_) return {};
  const bool all_ranks = std::ranges::all_of(outputs, &TensorSlot::has_rank);
  const Inference inference{
      .is_output =
          [&](TensorId id) {
            return std::ranges::any_of(outputs,
                                       [&](const TensorSlot* it) { return it->is_output && it->id == id; });
          },
      .has_rank = [&](TensorId id) { return all_ranks || !builder_.tensor(id).shape.empty(); }};
  Status status = inference.complete(builder_, first_operation);
  if (!status.ok()) return std::move(status).error().during("reading " + builder_.origin());
  return {};
}

// Each is a tensor of its own that an operation writes.
std::vector<TensorId> Reader::outputs() {
  std::set<TensorId> taken(inputs_.begin(), inputs_.end());
  std::vector<TensorId> ids;
  builder_.set_layer({});
  for (const int32_t number : numbers(graph_->outputs())) {
    const TensorSlot& slot = slots_[static_cast<size_t>(number)];
    ids.push_back(slot.id);
    builder_.set_origin("output " + builder_.tensor(slot.id).name);
    if (!slot.is_shifted) {
      if (builder_.is_constant(slot.id) || !taken.insert(slot.id).second) {
        ids.back() = builder_.copy(slot.id);
        builder_.tensor(ids.back()).name = builder_.tensor(slot.id).name;
      }
      continue;
    }
    Tensor outside = builder_.tensor(slot.id);
    builder_.tensor(slot.id).name += " as INT8";
    outside.type = OH_NN_UINT8;
    for (int32_t& zero_point : outside.quantization.zero_points) zero_point += 128;
    ids.back() = builder_.add(std::move(outside));
    builder_.cast_quantized(slot.id, ids.back());
  }
  return ids;
}

Result<Network> Reader::read() {
  NNRT_TRY(open());
  NNRT_TRY(check_operators());
  NNRT_TRY(read_options());
  NNRT_TRY(read_tensors());
  NNRT_TRY(read_inputs());
  for (size_t i = 0; i < operator_count(); ++i) NNRT_TRY(read_operator(i));
  std::vector<TensorId> written = outputs();
  Network network = std::move(builder_).finish(inputs_, std::move(written));
  NNRT_TRY(check(network));
  return network;
}

}  // namespace
}  // namespace tflite

Result<Network> read_tflite(std::span<const std::byte> file, const Options& options) {
  // Verified offsets count from the first byte, which therefore has to be where any number may be.
  constexpr size_t kAlignment = 16;
  if (reinterpret_cast<uintptr_t>(file.data()) % kAlignment != 0) {
    const Bytes copy(file.begin(), file.end());
    return read_tflite(copy, options);
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  flatbuffers::Verifier verifier(bytes, file.size());
  if (file.size() < 8 || !tflite::format::VerifyModelBuffer(verifier))
    return Error{Code::invalid_file, "The file is damaged, or no TensorFlow Lite model of version 3."};
  return tflite::Reader(*tflite::format::GetModel(bytes), options, file.size()).read();
}

}  // namespace nnrt::import
