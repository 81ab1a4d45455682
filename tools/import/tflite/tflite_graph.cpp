#include "tools/import/tflite/tflite_graph.h"

#include "core/base/counted.h"
#include "tools/import/network/shape_inference.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

constexpr size_t kMaxOperands = 65536;

const format::Operator& operator_at(const format::SubGraph& graph, size_t position) {
  return *(*graph.operators())[static_cast<flatbuffers::uoffset_t>(position)];
}

size_t graph_count(const format::Model& model) { return model.subgraphs() ? model.subgraphs()->size() : 0; }

std::pair<int32_t, std::string_view> code_of(const format::Model& model, const format::Operator& op) {
  const format::OperatorCode& code = *(*model.operator_numbers())[op.opcode_index()];
  const auto* name = code.custom_code();
  return {std::max<int32_t>(code.narrow_builtin_code(), code.builtin_code()),
          name ? std::string_view(name->c_str(), name->size()) : std::string_view()};
}

// "CONV_2D (operator 12)", "ADD (operator 3 of graph 1)"
std::string origin_of(const format::Model& model, uint32_t graph, size_t position) {
  const auto [code, custom_name] = code_of(model, operator_at(*(*model.subgraphs())[graph], position));
  return operator_name(code, custom_name) + " (operator " + std::to_string(position) +
         (graph == 0 ? "" : " of graph " + std::to_string(graph)) + ")";
}

// The subgraphs an operator runs.
List<int32_t> bodies_of(const format::Operator& op) {
  if (const auto* branches = op.builtin_options_as_IfOptions())
    return {branches->then_graph(), branches->else_graph()};
  if (const auto* loop = op.builtin_options_as_WhileOptions())
    return {loop->condition_graph(), loop->body_graph()};
  return {};
}

void check_numbers(const format::SubGraph& graph, std::span<const int32_t> ids, bool may_be_missing) {
  const auto count = static_cast<int64_t>(graph.tensors() ? graph.tensors()->size() : 0);
  const bool good =
      std::ranges::all_of(ids, [&](int64_t id) { return id < count && id >= (may_be_missing ? -1 : 0); });
  if (good && ids.size() <= kMaxOperands) return;
  fail({Code::invalid_file, "The file refers to a tensor that does not exist."});
}

void check_numbers(File& file, const format::SubGraph& graph) {
  check_numbers(graph, numbers(graph.inputs()), false);
  check_numbers(graph, numbers(graph.outputs()), false);
  for (size_t i = 0; graph.operators() && i < graph.operators()->size(); ++i) {
    const format::Operator& op = operator_at(graph, i);
    const std::span<const int32_t> read = numbers(op.inputs()), written = numbers(op.outputs());
    required(file.allowance.take((read.size() + written.size() + 4) * 4));
    check_numbers(graph, read, true);
    check_numbers(graph, written, false);
    if (!file.model.operator_numbers() || op.opcode_index() >= file.model.operator_numbers()->size())
      fail({Code::invalid_file, "Operator " + std::to_string(i) + " has no code."});
  }
}

// Data movement, applied to both parts of a complex number separately.
bool moves_elements(BuiltinOperator code) {
  using enum BuiltinOperator;
  constexpr BuiltinOperator kMoving[] = {
      RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, CONCATENATION, PACK,          UNPACK,     SPLIT,
      SPLIT_V, SLICE,   GATHER,      GATHER_ND, TILE,          STRIDED_SLICE, REVERSE_V2, BROADCAST_TO};
  return std::ranges::find(kMoving, code) != std::ranges::end(kMoving);
}

bool is_complex(const TensorSlot* slot) { return slot != nullptr && slot->imaginary.has_value(); }

// The slots with the imaginary part in place of the real one.
List<TensorSlot> imaginary_parts(std::span<TensorSlot* const> slots) {
  List<TensorSlot> parts;
  for (const TensorSlot* slot : slots) {
    parts.push_back(slot ? *slot : TensorSlot());
    if (is_complex(slot)) parts.back().id = *slot->imaginary;
  }
  return parts;
}

List<TensorSlot*> pointers_to(List<TensorSlot>& parts, std::span<TensorSlot* const> slots) {
  List<TensorSlot*> pointers;
  for (size_t i = 0; i < slots.size(); ++i) pointers.push_back(slots[i] ? &parts[i] : nullptr);
  return pointers;
}

// Converts an operator; data movement of complex numbers is converted once per part.
void convert(File& file, const format::Operator& table, const Row& row, Bodies& bodies,
             const List<TensorSlot*>& inputs, const List<TensorSlot*>& outputs) {
  Operator op(file.builder, table, row, bodies, inputs, outputs);
  if (op.input_count() < row.min_inputs || (row.max_inputs != kMany && op.input_count() > row.max_inputs) ||
      op.output_count() == 0)
    op.damaged("has ", counted(op.input_count(), "input"));
  for (size_t i = 0; i < row.min_inputs; ++i)
    if (!op.has(i)) op.damaged("lacks input ", i);
  const bool reads = std::ranges::any_of(inputs, is_complex);
  const bool writes = std::ranges::any_of(outputs, is_complex);
  const bool moves = (reads || writes) && row.numbers != Numbers::complex;
  if (moves && !moves_elements(row.code)) op.refuse("computes with complex numbers");
  if (moves && !(reads && std::ranges::all_of(outputs, is_complex)))
    op.damaged("moves complex numbers to real ones");
  op.check_wide();
  row.convert(op);
  op.finish();
  if (!moves) return;
  List<TensorSlot> read = imaginary_parts(inputs), written = imaginary_parts(outputs);
  Operator other(file.builder, table, row, bodies, pointers_to(read, inputs), pointers_to(written, outputs));
  row.convert(other);
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i]->imaginary = written[i].id;
}

}  // namespace

size_t File::total_size(const LendingBuffer& bytes, std::span<const SharedBytes> lent) {
  size_t total = bytes.bytes().size();
  for (const SharedBytes& part : lent) total += part ? part->size() : 0;
  return total;
}

std::span<const int32_t> numbers(const flatbuffers::Vector<int32_t>* vector) {
  return vector ? std::span(vector->data(), vector->size()) : std::span<const int32_t>();
}

bool check_graphs(File& file) {
  constexpr size_t kMaxNamed = 32;
  const size_t count = graph_count(file.model);
  if (count == 0) fail({Code::invalid_file, "The file has no graph."});
  List<std::string> unknown;
  List<bool> is_seen(count);
  List<uint32_t> open{0};
  bool run_graphs = false;
  for (is_seen[0] = true; !open.empty();) {
    const uint32_t index = open.back();
    open.pop_back();
    const format::SubGraph& graph = *(*file.model.subgraphs())[index];
    check_numbers(file, graph);
    for (size_t i = 0; graph.operators() && i < graph.operators()->size(); ++i) {
      const auto [code, custom_name] = code_of(file.model, operator_at(graph, i));
      if (!find_row(code, custom_name) && unknown.size() < kMaxNamed)
        unknown.push_back(origin_of(file.model, index, i));
      for (const int32_t body : bodies_of(operator_at(graph, i))) {
        if (body < 0 || static_cast<size_t>(body) >= count)
          fail({Code::invalid_file, "The file refers to a graph that does not exist."});
        run_graphs = true;
        if (is_seen[static_cast<size_t>(body)]) continue;
        is_seen[static_cast<size_t>(body)] = true;
        open.push_back(static_cast<uint32_t>(body));
      }
    }
  }
  required(refuse(unknown));
  return run_graphs;
}

GraphReader::GraphReader(File& file, uint32_t index)
    : file_(file), index_(index), graph_(*(*file.model.subgraphs())[index]) {}

std::span<const ReadTensor> GraphReader::tensors() {
  const auto [found, is_new] = file_.tensors.try_emplace(index_);
  List<ReadTensor>& read = found->second;
  if (!is_new) return read;
  const size_t count = graph_.tensors() ? graph_.tensors()->size() : 0;
  List<bool> is_written(count);
  const auto mark = [&](std::span<const int32_t> ids) {
    for (const int32_t id : ids) is_written[static_cast<size_t>(id)] = true;
  };
  mark(inputs());
  for (size_t i = 0; i < operator_count(); ++i) mark(numbers(operator_at(graph_, i).outputs()));
  for (size_t i = 0; i < count; ++i) {
    read.push_back(required(file_.reader.read(tensor_at(i), is_written[i], !file_.infers_shapes)));
  }
  return read;
}

void GraphReader::read_tensors() {
  infers_shapes_ = file_.infers_shapes;
  for (const ReadTensor& read : tensors()) {
    is_known_.push_back(read.tensor.data != nullptr);
    slots_.push_back(read.slot);
    if (read.is_complex) {
      Tensor imaginary = read.tensor;
      imaginary.name += " (imaginary)";
      slots_.back().imaginary = file_.builder.add(std::move(imaginary));
    }
    slots_.back().id = file_.builder.add(read.tensor);
    infers_shapes_ = infers_shapes_ || !(read.slot.has_rank || is_known_.back());
  }
}

void GraphReader::take_input(int32_t number) {
  if (is_known_[static_cast<size_t>(number)]) fail({Code::invalid_file, "An input is given twice."});
  is_known_[static_cast<size_t>(number)] = true;
}

void GraphReader::check_output(int32_t number) const {
  if (is_known_[static_cast<size_t>(number)]) return;
  fail({Code::invalid_file,
        "An output of graph " + std::to_string(index_) + " is not written by any operator."});
}

void GraphReader::read_operators() {
  for (size_t i = 0; i < operator_count(); ++i) read_operator(i);
}

void GraphReader::open_results(size_t position) {
  const std::span<const ReadTensor> all = tensors();
  for (const int32_t id : numbers(operator_at(graph_, position).outputs())) {
    const auto number = static_cast<size_t>(id);
    Tensor result = all[number].tensor;
    result.shape = signature_of(tensor_at(number));
    slots_[number] = all[number].slot;
    slots_[number].id = file_.builder.add(std::move(result));
    is_known_[number] = true;
  }
}

List<TensorSlot*> GraphReader::slots(std::span<const int32_t> ids, bool are_read) {
  List<TensorSlot*> result;
  for (const int32_t id : ids) {
    const auto number = static_cast<size_t>(id);
    result.push_back(id < 0 ? nullptr : &slots_[number]);
    if (are_read || id < 0) continue;
    if (is_known_[number])
      fail({Code::invalid_file, file_.builder.origin() + " writes a tensor that is already written."});
    is_known_[number] = true;
  }
  return result;
}

void GraphReader::read_operator(size_t position) {
  const format::Operator& table = operator_at(graph_, position);
  const auto [code, custom_name] = code_of(file_.model, table);
  const Row& row = *find_row(code, custom_name);
  NetworkBuilder& builder = file_.builder;
  builder.set_origin(origin_of(file_.model, index_, position));
  Layer layer{operator_name(code, custom_name), "", {}};
  const std::span<const int32_t> written = numbers(table.outputs());
  if (!written.empty()) layer.name = builder.tensor(slot(written[0]).id).name;
  builder.set_layer(std::move(layer));
  const List<TensorSlot*> inputs = slots(numbers(table.inputs()), true);
  const List<TensorSlot*> outputs = slots(written, false);
  const size_t first = builder.operation_count();
  convert(file_, table, row, *this, inputs, outputs);
  // Subgraphs have inferred their own shapes.
  if (bodies_of(table).empty()) infer_shapes(first, outputs);
  if (Status status = builder.budget().check(); !status.ok())
    fail(std::move(status).error().during("reading " + builder.origin()));
}

// Infers the shapes of the results of operations from there on, which belong to an operator with these
// outputs.
void GraphReader::infer_shapes(size_t first_operation, std::span<TensorSlot* const> outputs) {
  if (!infers_shapes_) return;
  const bool all_ranks = std::ranges::all_of(outputs, &TensorSlot::has_rank);
  const Inference inference{
      .is_output =
          [&](TensorId id) {
            return std::ranges::any_of(outputs,
                                       [&](const TensorSlot* it) { return it->is_output && it->id == id; });
          },
      .has_rank = [&](TensorId id) { return all_ranks || !file_.builder.tensor(id).shape.empty(); }};
  Status status = inference.complete(file_.builder, first_operation);
  if (!status.ok()) fail(std::move(status).error().during("reading " + file_.builder.origin()));
}

// Binds the graph's inputs to the given tensors.
void GraphReader::bind(std::span<TensorSlot* const> given) {
  if (given.size() != inputs().size())
    fail({Code::invalid_file, file_.builder.origin() + " runs a graph of " +
                                  counted(inputs().size(), "input") + " with " +
                                  std::to_string(given.size()) + "."});
  for (size_t i = 0; i < given.size(); ++i) {
    const int32_t number = inputs()[i];
    take_input(number);
    if (given[i] == nullptr)
      fail({Code::invalid_file, file_.builder.origin() + " has no value for an input of a graph."});
    const Tensor &declared = file_.builder.tensor(slot(number).id), &it = file_.builder.tensor(given[i]->id);
    if (it.type != declared.type || it.quantization != declared.quantization ||
        is_complex(given[i]) != is_complex(&slot(number)))
      fail({Code::invalid_file, file_.builder.origin() + " runs a graph with an input of another type."});
    slot(number) = *given[i];
    slot(number).is_output = false;
  }
}

List<TensorSlot> GraphReader::run(int32_t graph, std::span<TensorSlot* const> inputs) {
  constexpr size_t kMaxDepth = 16;
  if (file_.depth == kMaxDepth)
    fail({Code::unsupported, file_.builder.origin() + " runs graphs nested more than 16 levels deep."});
  const std::string origin = file_.builder.origin();
  const std::optional<uint32_t> layer = file_.builder.layer();
  GraphReader body(file_, static_cast<uint32_t>(graph));
  body.read_tensors();
  required(file_.nodes.take(body.operator_count() + body.slots_.size() + 1));
  body.bind(inputs);
  ++file_.depth;
  Status status = converting([&] { body.read_operators(); });
  --file_.depth;
  required(std::move(status));
  file_.builder.set_origin(origin);
  file_.builder.return_to_layer(layer);
  List<TensorSlot> made;
  for (const int32_t number : body.outputs()) {
    body.check_output(number);
    made.push_back(body.slot(number));
  }
  return made;
}

}  // namespace nnrt::import::tflite
