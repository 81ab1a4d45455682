#include "tools/import/tflite/tflite_reader.h"

#include "tools/import/network/network_check.h"
#include "tools/import/tflite/tflite_graph.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <set>

namespace nnrt::import {
namespace tflite {
namespace {

// Reads a verified file into a network.
class Reader {
 public:
  Reader(const format::Model& model, const Options& options, const LendingBuffer& bytes,
         std::span<const SharedBytes> lent = {})
      : given_(options), file_(model, bytes, lent), builder_(file_.builder) {}

  Network read();
  HostedNetwork read_hosted();
  std::vector<Refusal> refusals();

 private:
  // Everything before the operators; `infers_shapes`: even if the file has them.
  void begin(GraphReader& graph, bool infers_shapes);
  void begin_hosted(GraphReader& graph);
  // `states`: further outputs.
  Network end(GraphReader& graph, const List<TensorId>& states = {});
  void read_options(const GraphReader& graph);
  bool overrides_known_sizes(const GraphReader& graph) const;
  void read_inputs(GraphReader& graph);
  List<TensorId> outputs(GraphReader& graph);

  const Options& given_;
  Options options_;  // with resolved input names
  File file_;
  NetworkBuilder& builder_;
  List<TensorId> inputs_;
};

void Reader::read_options(const GraphReader& graph) {
  List<std::string> names;
  for (const int32_t number : graph.inputs()) {
    const auto* name = graph.tensor_at(static_cast<size_t>(number)).name();
    names.push_back(name ? name->str() : "");
  }
  options_ = required(options_for(names, given_));
}

// Result sizes depend on input sizes; if those change, only the runtime can infer them.
bool Reader::overrides_known_sizes(const GraphReader& graph) const {
  return std::ranges::any_of(graph.inputs(), [&](int32_t number) {
    const format::Tensor& table = graph.tensor_at(static_cast<size_t>(number));
    const auto given =
        table.name() ? options_.input_shapes.find(table.name()->string_view()) : options_.input_shapes.end();
    if (given == options_.input_shapes.end()) return false;
    const Shape shape = signature_of(table);
    return !std::ranges::equal(shape, given->second, [](int32_t a, int32_t b) { return a == b || a == -1; });
  });
}

// UINT8 only exists at the interface; internally everything is INT8.
void Reader::read_inputs(GraphReader& graph) {
  for (const int32_t number : graph.inputs()) {
    TensorSlot& slot = graph.slot(number);
    graph.take_input(number);
    Tensor& tensor = builder_.tensor(slot.id);
    if (slot.imaginary)
      fail({Code::unsupported,
            "Input " + tensor.name + " has complex numbers, which OH_NN does not support."});
    tensor.shape = signature_of(graph.tensor_at(static_cast<size_t>(number)));
    const auto given = options_.input_shapes.find(tensor.name);
    tensor.shape = !slot.has_rank && given != options_.input_shapes.end()
                       ? given->second
                       : required(input_shape(options_, tensor.name, tensor.shape));
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
}

// Each output is a separate tensor written by an operation.
List<TensorId> Reader::outputs(GraphReader& graph) {
  std::set<TensorId> taken(inputs_.begin(), inputs_.end());
  List<TensorId> ids;
  builder_.set_layer({});
  for (const int32_t number : graph.outputs()) {
    const TensorSlot& slot = graph.slot(number);
    if (slot.imaginary)
      fail({Code::unsupported, "Output " + builder_.tensor(slot.id).name +
                                   " has complex numbers, which OH_NN does not support."});
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

void Reader::begin(GraphReader& graph, bool infers_shapes) {
  read_options(graph);
  file_.infers_shapes = infers_shapes || overrides_known_sizes(graph);
  graph.read_tensors();
  for (const int32_t number : graph.outputs()) graph.slot(number).is_output = true;
  return read_inputs(graph);
}

void Reader::begin_hosted(GraphReader& graph) {
  begin(graph, true);
  for (const int32_t number : graph.inputs())
    graph.slot(number).is_state = graph.tensor_at(static_cast<size_t>(number)).is_variable();
}

Network Reader::end(GraphReader& graph, const List<TensorId>& states) {
  List<TensorId> written = outputs(graph);
  written.insert(written.end(), states.begin(), states.end());
  Network network = std::move(builder_).finish(inputs_, std::move(written));
  open_empty_dimensions(network);
  required(check(network));
  return network;
}

Network Reader::read() {
  const bool run_graphs = check_graphs(file_);
  GraphReader graph(file_, 0);
  begin(graph, run_graphs);
  graph.read_operators();
  return end(graph);
}

HostedNetwork Reader::read_hosted() {
  check_graphs(file_);
  GraphReader graph(file_, 0);
  begin_hosted(graph);
  HostedNetwork hosted;
  for (size_t i = 0; i < graph.operator_count(); ++i) {
    graph.read_operator(i);
    hosted.ends.push_back(builder_.operation_count());
  }
  List<TensorId> states;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const TensorSlot& slot = graph.slot(graph.inputs()[i]);
    if (slot.next) {
      hosted.states.push_back(i);
      states.push_back(*slot.next);
    } else if (slot.is_state) {
      fail({Code::unsupported, "Tensor " + builder_.tensor(slot.id).name + " is state that nothing writes."});
    }
  }
  hosted.network = end(graph, states);
  return hosted;
}

std::vector<Refusal> Reader::refusals() {
  check_graphs(file_);
  GraphReader graph(file_, 0);
  begin_hosted(graph);
  std::vector<Refusal> refused;
  for (size_t i = 0; i < graph.operator_count(); ++i) {
    Status read = converting([&] { graph.read_operator(i); });
    if (read.ok()) continue;
    if (read.error().code == Code::memory) fail(std::move(read).error());
    refused.push_back({i, std::move(read).error()});
    graph.open_results(i);
  }
  return refused;
}

Result<const format::Model*> verified(const LendingBuffer& file) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(file.bytes().data()), file.bytes().size());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (bytes.size() < 8 || !format::VerifyModelBuffer(verifier))
    return Error{Code::invalid_file,
                 "The file is damaged, or it is not a TensorFlow Lite model of version 3."};
  return format::GetModel(bytes.data());
}

}  // namespace
}  // namespace tflite

Result<Network> read_tflite(const LendingBuffer& file, const Options& options) {
  NNRT_ASSIGN(const tflite::format::Model* model, tflite::verified(file));
  return converting([&] { return tflite::Reader(*model, options, file).read(); });
}

bool keeps_state(int32_t builtin_code) {
  return std::ranges::any_of(tflite::recurrent_rows(),
                             [&](const auto& row) { return int32_t(row.code) == builtin_code; });
}

Result<HostedNetwork> read_tflite(const HostedGraph& graph) {
  NNRT_ASSIGN(const tflite::format::Model* model, tflite::verified(graph.file));
  return converting([&] { return tflite::Reader(*model, {}, graph.file, graph.constants).read_hosted(); });
}

Result<std::vector<Refusal>> refused_operators(const HostedGraph& graph) {
  NNRT_ASSIGN(const tflite::format::Model* model, tflite::verified(graph.file));
  return converting([&] { return tflite::Reader(*model, {}, graph.file, graph.constants).refusals(); });
}

Result<Network> read_tflite(std::span<const std::byte> file, const Options& options) {
  return read_tflite(LendingBuffer::copy_of(file), options);
}

}  // namespace nnrt::import
