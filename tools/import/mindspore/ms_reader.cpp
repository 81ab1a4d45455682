#include "tools/import/mindspore/ms_reader.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "mindspore/file/unpack.h"
#include "mindspore/lower/lower_graph.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/files/data_files.h"
#include "tools/import/network/network_check.h"

#include <algorithm>

namespace nnrt::import {
namespace {

using namespace nnrt::mindspore;

class Reader {
 public:
  Reader(const std::filesystem::path& folder, const Options& options) : given_(options), folder_(folder) {}

  Result<Network> read(const LendingBuffer& file);

 private:
  Status unpack(SourceGraph& graph, size_t file_size) const;
  Status set_input_shapes(SourceGraph& graph) const;
  Result<Network> lower(const SourceGraph& graph);

  const Options& given_;
  const std::filesystem::path& folder_;
};

// Files before 1.5 do not name their tensors.
void name_tensors(SourceGraph& graph) {
  const auto name = [&](std::span<const uint32_t> ids, std::string_view what) {
    for (size_t i = 0; i < ids.size(); ++i)
      if (std::string& it = graph.tensors[ids[i]].name; it.empty()) it = cat(what, "_", i);
  };
  name(graph.inputs, "input");
  name(graph.outputs, "output");
}

// Constants may be in files beside the model.
Status Reader::unpack(SourceGraph& graph, size_t file_size) const {
  ConstantBudget budget(file_size);
  DataFiles files({folder_, given_.external_folders, given_.sources});
  const auto external = [&](const ExternalData& data, size_t size) -> Result<SharedBytes> {
    if (data.length < 0 || static_cast<uint64_t>(data.length) >= size)
      return files.read({data.location, static_cast<uint64_t>(data.offset), size});
    return Error{Code::invalid_file,
                 cat("The length of external data (", data.length, ") is below ", size, ".")};
  };
  NNRT_TRY(unpack_constants(graph, {external, [&](size_t bytes) { return budget.take(bytes); }}));
  return files.check_unchanged();
}

Status Reader::set_input_shapes(SourceGraph& graph) const {
  std::vector<std::string> names;
  for (const uint32_t id : graph.inputs) names.push_back(graph.tensors[id].name);
  NNRT_ASSIGN(const Options options, options_for(names, given_));
  for (const uint32_t id : graph.inputs) {
    SourceTensor& tensor = graph.tensors[id];
    constexpr auto fits = [](int64_t length) { return length >= -1 && length <= INT32_MAX; };
    if (!std::ranges::all_of(tensor.dims, fits))
      return Error{Code::invalid_file, cat("A dimension of input ", tensor.name, " is negative.")};
    NNRT_ASSIGN(const Shape shape,
                input_shape(options, tensor.name, Shape(tensor.dims.begin(), tensor.dims.end())));
    tensor.dims.assign(shape.begin(), shape.end());
  }
  return {};
}

std::string origin_of(const SourceGraph& graph, uint32_t index) {
  const SourceNode& node = graph.nodes[index];
  const std::string type(node.primitive ? node.primitive->row().name : "primitive");
  return cat(type, " (node ", index, node.name.empty() ? "" : ", ", node.name, ")");
}

Status check_refusals(const SourceGraph& graph, const LoweredGraph& lowered) {
  constexpr size_t kMaxNamed = 32;
  std::string list;
  size_t count = 0;
  for (uint32_t i = 0; i < lowered.refusals.size(); ++i) {
    if (!lowered.refusals[i]) continue;
    if (count++ < kMaxNamed) list += cat(" ", origin_of(graph, i), ": ", lowered.refusals[i]->message);
  }
  if (count == 0) return {};
  return unsupported("The model has ", counted(count, "node"), " that cannot be expressed.", list);
}

Result<Network> Reader::lower(const SourceGraph& graph) {
  const auto fold = [](const GraphPtr& it) -> Result<std::vector<Bytes>> {
    const nnrt::Node& node = it->nodes.at(0);
    if (!worth_computing(*it, node)) return unsupported(short_name(node.op), " is not folded.");
    NNRT_ASSIGN(const std::vector<SharedBytes> results, evaluate(*it, node));
    std::vector<Bytes> copies;  // only small constants are folded
    for (const SharedBytes& one : results) copies.emplace_back(one->begin(), one->end());
    return copies;
  };
  auto made = lower_graph(graph, fold);
  if (!made.ok()) return of_file(std::move(made).error());
  const LoweredGraph& lowered = made.value();
  NNRT_TRY(check_refusals(graph, lowered));
  if (lowered.graph == nullptr) return Error{Code::invalid_file, "The model has no nodes."};
  NNRT_ASSIGN(Network network, to_network(*lowered.graph));
  for (const SourceNode& node : graph.nodes)
    network.layers.push_back({std::string(node.primitive->row().name), node.name, {}});
  for (size_t i = 0; i < network.operations.size(); ++i) {
    const uint32_t node = lowered.origins[i];
    network.operations[i].origin = node == kNoNode ? "an output" : origin_of(graph, node);
    if (node != kNoNode) network.operations[i].layer = node;
  }
  for (size_t i = 0; i < network.inputs.size(); ++i)
    network.tensors[network.inputs[i]].name = graph.tensors[graph.inputs[i]].name;
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    Tensor& output = network.tensors[network.outputs[i]];
    const SourceTensor& declared = graph.tensors[graph.outputs[i]];
    output.name = declared.name;
    // A full reduction has one element, of either rank.
    if (declared.dims.empty() && output.shape == Shape{1}) output.shape.clear();
  }
  open_empty_dimensions(network);
  NNRT_TRY(check(network));
  return network;
}

Result<Network> Reader::read(const LendingBuffer& file) {
  const KeepBytes keep = [&](ByteView part) { return file.lend(part); };
  NNRT_ASSIGN(SourceGraph graph, read_model_file(file.bytes(), keep));
  NNRT_TRY(drop_unread_nodes(graph));
  name_tensors(graph);
  NNRT_TRY(set_input_shapes(graph));
  NNRT_TRY(unpack(graph, file.bytes().size()));
  return lower(graph);
}

}  // namespace

bool is_mindspore(std::span<const std::byte> file) { return is_model_file(file) || is_old_model_file(file); }

Result<Network> read_mindspore(const LendingBuffer& file, const std::filesystem::path& folder,
                               const Options& options) {
  return Reader(folder, options).read(file);
}

Result<Network> read_mindspore(std::span<const std::byte> file, const std::filesystem::path& folder,
                               const Options& options) {
  return read_mindspore(LendingBuffer::copy_of(file), folder, options);
}

}  // namespace nnrt::import
