// Subgraphs: node bodies and functions.
#include "core/base/counted.h"
#include "tools/import/network/network_check.h"
#include "tools/import/onnx/onnx_conversion.h"

#include <map>
#include <set>

namespace nnrt::import::onnx {
namespace {

using onnx_file::FunctionProto;
using onnx_file::NodeProto;

constexpr int64_t kMinOpset = 1, kMaxOpset = 27;

// Restores the current origin at scope exit.
class ScopedOrigin {
 public:
  explicit ScopedOrigin(Model& model)
      : model_(model), origin_(model.emitter.origin()), layer_(*model.emitter.layer()) {
    constexpr size_t kMaxDepth = 40;
    if (model_.depth == kMaxDepth)
      fail(unsupported("Functions and bodies are nested more than ", kMaxDepth, " levels deep."));
    ++model_.depth;
  }
  ~ScopedOrigin() {
    --model_.depth;
    model_.emitter.set_origin(origin_);
    model_.emitter.return_to_layer(layer_);
  }
  ScopedOrigin(const ScopedOrigin&) = delete;
  ScopedOrigin& operator=(const ScopedOrigin&) = delete;

  const std::string& origin() const { return origin_; }
  const Layer& layer() const { return model_.emitter.layer_at(layer_); }

 private:
  Model& model_;
  std::string origin_;
  uint32_t layer_;
};

using Calls = std::map<const FunctionProto*, std::set<const FunctionProto*>>;

// Repeatedly removes functions that call no remaining ones; whatever is left is recursive.
Status check_recursion(Calls calls) {
  std::map<const FunctionProto*, List<const FunctionProto*>> callers;
  List<const FunctionProto*> done;
  for (const auto& [caller, called] : calls) {
    for (const FunctionProto* const function : called) callers[function].push_back(caller);
    if (called.empty()) done.push_back(caller);
  }
  while (!done.empty()) {
    const FunctionProto* const function = done.back();
    done.pop_back();
    calls.erase(function);
    for (const FunctionProto* const caller : callers[function]) {
      std::set<const FunctionProto*>& left = calls[caller];
      left.erase(function);
      if (left.empty()) done.push_back(caller);
    }
  }
  if (calls.empty()) return {};
  return unsupported("The function ", calls.begin()->first->name(), " calls itself, directly or indirectly.");
}

}  // namespace

Result<int64_t> read_opset(const onnx_file::Messages<onnx_file::OperatorSet>& sets) {
  for (const onnx_file::OperatorSet& set : sets) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    if (set.version() >= kMinOpset && set.version() <= kMaxOpset) return set.version();
    return unsupported("The opset (", set.version(), ") is outside [", kMinOpset, ", ", kMaxOpset, "].");
  }
  return kMaxOpset;  // only nodes of other domains
}

Result<int64_t> read_opset(const onnx_file::ModelProto& model) {
  if (model.opset_import_size() > 0) return read_opset(model.opset_import());
  // The first versions of the format had no opsets. In others, the file may be cut off behind its graph.
  constexpr int64_t kHasOpsets = 3;
  if (model.ir_version() >= 1 && model.ir_version() < kHasOpsets) return kMinOpset;
  return damaged("The file declares no opset.");
}

Status check_operators(const onnx_file::GraphProto& graph, const Nodes& nodes, const Functions& functions) {
  List<std::string> refused;
  Calls calls;
  List<const FunctionProto*> open;
  const auto look_at = [&](const NodeProto& node, int position, const FunctionProto* within) {
    const FunctionProto* const function = functions.find(node);
    if (function == nullptr && find_row(node.op_type(), node.domain()) == nullptr)
      refused.push_back(describe(node, position) + (within == nullptr ? "" : " of " + within->name()));
    if (function == nullptr) return;
    if (calls.try_emplace(function).second) open.push_back(function);
    if (within != nullptr) calls[within].insert(function);
  };
  for (const int position : nodes.order()) look_at(graph.node(position), position, nullptr);
  while (!open.empty()) {
    const FunctionProto& function = *open.back();
    open.pop_back();
    for (int i = 0; i < function.node_size(); ++i) look_at(function.node(i), i, &function);
  }
  NNRT_TRY(refuse(refused));
  return check_recursion(std::move(calls));
}

Model::Body& Conversion::read_body(const onnx_file::GraphProto& body) {
  const auto found = model_.bodies.find(&body);
  if (found != model_.bodies.end()) return found->second;
  Nodes nodes = required(Nodes::read(body));
  Conversion reader(body, nodes, opset_, model_);
  reader.add_constants();
  const auto made = model_.bodies.emplace(&body, Model::Body{std::move(nodes), std::move(reader.values_)});
  return made.first->second;
}

Result<Values> Conversion::run_body(const onnx_file::GraphProto& body, const Values& inputs) {
  return converting([&] {
    const ScopedOrigin within(model_);
    const Model::Body& read = read_body(body);
    Conversion inner(body, read.nodes, opset_, model_, this);
    inner.set_place(within.origin(), within.layer());
    if (static_cast<size_t>(body.input_size()) != inputs.size())
      fail(damaged("The body has ", counted(body.input_size(), "input"), " instead of ", inputs.size(), "."));
    for (size_t i = 0; i < inputs.size(); ++i) inner.bind(body.input(static_cast<int>(i)).name(), inputs[i]);
    return inner.run_inner(read);
  });
}

Ids Conversion::call_function(const FunctionProto& function, Call& call) {
  const ScopedOrigin within(model_);
  const onnx_file::GraphProto* const body =
      required(model_.functions.body(function, call.node(), emitter_.budget()));
  const Model::Body& read = read_body(*body);
  const bool has_opset = function.opset_import_size() > 0;
  Conversion inner(*body, read.nodes, has_opset ? required(read_opset(function.opset_import())) : opset_,
                   model_);
  inner.set_place(within.origin(), within.layer());
  const auto given = static_cast<int>(call.input_count());
  if (given > body->input_size())
    fail(damaged("The function has ", counted(body->input_size(), "input"), " instead of ", given, "."));
  for (int i = 0; i < body->input_size(); ++i) {
    const bool has = i < given && call.inputs[static_cast<size_t>(i)] != nullptr;
    inner.absent_.insert(has ? std::string() : body->input(i).name());
    if (has) inner.bind(body->input(i).name(), *call.inputs[static_cast<size_t>(i)]);
  }
  return outputs_of(call, inner.run_inner(read));
}

Values Conversion::run_inner(const Model::Body& body) {
  required(model_.node_budget.take(body.nodes.order().size() + 1));
  for (const auto& [name, value] : body.constants) values_.emplace(name, value);
  required(convert_nodes());
  Values made;
  for (const onnx_file::ValueInfo& output : graph_.output()) {
    Value* const value = find(output.name());
    if (value == nullptr) fail(damaged("An output has no name."));
    made.push_back({.elements = value->elements});
    if (value->elements) continue;
    made.back().plain = plain_of(emitter_, *value);
    if (outer_ != nullptr && model_.strings.is_marked(*made.back().plain))
      fail(unsupported("Strings as results of a body are not supported."));
  }
  return made;
}

}  // namespace nnrt::import::onnx
