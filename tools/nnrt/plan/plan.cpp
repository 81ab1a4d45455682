#include "tools/nnrt/plan/plan.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/temporary_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace nnrt::tool {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOperatorPrefix = "OH_NN_OPS_";

// "OH_NN_CONV2D_PAD_MODE" of CONV2D becomes "pad mode".
std::string attribute_name(std::string name, const std::string& op) {
  for (const std::string& prefix : {std::string("OH_NN_"), op + "_"}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return c == '_' ? ' ' : std::tolower(c); });
  return name;
}

std::string attribute_value(const std::string& name, const std::string& value) {
  constexpr const char* kActivations[] = {"none", "RELU", "RELU6"};
  if (!name.starts_with("activation") || value.size() != 1 || value[0] < '0' || value[0] > '2') return value;
  return kActivations[value[0] - '0'];
}

class Reader {
 public:
  explicit Reader(Plan& plan) : plan_(plan) {}

  // Missing or mistyped members throw nlohmann's exceptions.
  void read(const Json& placement) {
    plan_.choice = placement.at("choice");
    plan_.inputs = tensors(placement.at("inputs"));
    for (const Json& node : placement.at("nodes")) plan_.nodes.push_back(read_node(node));
    plan_.outputs = tensors(placement.at("outputs"));
    for (const Json& pass : placement.at("passes"))
      plan_.passes.push_back({"", std::nullopt, pass.at("name"), pass.at("why_not")});
    size_t number = 0;
    for (const Json& partition : placement.at("partitions")) {
      add_arena(partition, number);
      add_passes(partition, number);
      mark_fused(partition);
      ++number;
    }
  }

 private:
  std::vector<size_t> tensors(const Json& list) {
    std::vector<size_t> positions;
    for (const Json& tensor : list) positions.push_back(position(tensor));
    return positions;
  }

  size_t position(const Json& tensor) {
    const auto [found, is_new] = places_.emplace(tensor.at("id").get<uint64_t>(), plan_.tensors.size());
    if (is_new) {
      const Json& bytes = tensor.at("bytes");
      plan_.tensors.push_back({tensor.at("name"), tensor.at("dtype"), tensor.at("shape").get<Shape>(),
                               bytes.is_null() ? 0 : bytes.get<uint64_t>(), tensor.value("constant", false),
                               tensor.value("scales", std::vector<double>()),
                               tensor.value("zero_points", std::vector<int32_t>())});
    }
    return found->second;
  }

  PlanNode read_node(const Json& json) {
    PlanNode node;
    node.operation = json.at("operation");
    node.op = json.at("operator");
    if (node.op.starts_with(kOperatorPrefix)) node.op.erase(0, kOperatorPrefix.size());
    node.device = json.at("device");
    node.reason = json.at("reason");
    if (json.at("partitions").empty()) node.reason = "Folded into a constant, or its results are unused.";
    node.inputs = tensors(json.at("inputs"));
    node.outputs = tensors(json.at("outputs"));
    for (const auto& [role, value] : json.at("attributes").items()) {
      const std::string name = attribute_name(role, node.op);
      node.attributes.emplace_back(name, attribute_value(name, value.get<std::string>()));
    }
    for (const Json& kernel : json.at("kernels")) node.kernels.push_back(read_kernel(kernel));
    node.fused = json.at("fused").get<std::vector<size_t>>();
    computed_.insert(node.fused.begin(), node.fused.end());
    return node;
  }

  static PlanKernel read_kernel(const Json& json) {
    PlanKernel kernel{json.at("name"), {}};
    for (const Json& declined : json.at("declined"))
      kernel.declined.emplace_back(declined.at("name"), declined.at("why"));
    return kernel;
  }

  // A device reports kernels for all operations of a partition or for none.
  void mark_fused(const Json& partition) {
    const auto operations = partition.at("operations").get<std::set<size_t>>();
    std::vector<PlanNode*> silent;
    bool reports = false;
    for (PlanNode& node : plan_.nodes) {
      if (!operations.contains(node.operation)) continue;
      if (node.kernels.empty()) silent.push_back(&node);
      reports |= !node.kernels.empty();
    }
    for (PlanNode* node : silent) {
      node->is_fused = computed_.contains(node->operation);
      node->is_removed = reports && !node->is_fused;
    }
  }

  void add_arena(const Json& partition, size_t number) {
    const Json& arena = partition.at("arena");
    if (arena.at("allocations").empty()) return;
    Arena made{partition.at("device"), number, arena.at("bytes"), {}};
    for (const Json& block : arena.at("allocations")) {
      made.blocks.push_back(
          {block.at("name"), block.at("offset"), block.at("bytes"), block.at("first"), block.at("last")});
    }
    plan_.arenas.push_back(std::move(made));
  }

  void add_passes(const Json& partition, size_t number) {
    for (const Json& pass : partition.at("passes"))
      plan_.passes.push_back({partition.at("device"), number, pass.at("name"), pass.at("why_not")});
  }

  Plan& plan_;
  std::map<uint64_t, size_t> places_;  // by tensor id
  std::set<size_t> computed_;          // operations that kernels of others compute
};

// The library lists operations in execution order, which the drawing needs.
Status read_placement(Plan& plan, const std::filesystem::path& path) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  try {
    Reader(plan).read(Json::parse(reinterpret_cast<const char*>(file.data()),
                                  reinterpret_cast<const char*>(file.data()) + file.size()));
    return {};
  } catch (const Json::exception& error) {
    return Error{Code::failed, cat("The library's report of the placement cannot be read: ", error.what())};
  }
}

std::vector<std::vector<size_t>> kernels_of(const Plan& plan) {
  std::vector<std::vector<size_t>> kernels;
  for (const PlanNode& node : plan.nodes) {
    kernels.push_back(node.fused);
    kernels.back().insert(kernels.back().begin(), node.operation);
  }
  return kernels;
}

// Adds the names of operations in the file.
void add_names(Plan& plan, const import::Network& network) {
  plan.layers = group_by_layers(network, kernels_of(plan));
  const std::vector<size_t> places = groups_of_operations(plan.layers, network.operations.size());
  for (PlanNode& node : plan.nodes) {
    if (node.operation >= network.operations.size()) continue;
    node.origin = network.operations[node.operation].origin;
    if (!plan.layers.empty()) node.layer = places[node.operation];
  }
}

}  // namespace

std::vector<PlanEdge> Plan::edges() const {
  std::vector<size_t> writers(tensors.size(), nodes.size());
  std::vector<PlanEdge> edges;
  for (size_t id = 0; id < nodes.size(); ++id) {
    for (const size_t tensor : nodes[id].inputs) {
      if (writers[tensor] < nodes.size()) edges.push_back({writers[tensor], id, tensor});
    }
    for (const size_t tensor : nodes[id].outputs) writers[tensor] = id;
  }
  return edges;
}

std::vector<PlanEdge> Plan::borders() const {
  std::vector<PlanEdge> borders;
  std::set<std::pair<size_t, std::string>> seen;
  for (const PlanEdge& edge : edges()) {
    const std::string& target = nodes[edge.to].device;
    if (nodes[edge.from].device != target && seen.emplace(edge.tensor, target).second)
      borders.push_back(edge);
  }
  return borders;
}

Result<Plan> make_plan(const ModelFile& file, const Device& device, BuildOptions options) {
  NNRT_ASSIGN(const TemporaryFile report, TemporaryFile::create("placement.json"));
  options.placement = report.path().string();
  NNRT_ASSIGN(const Executable executable, Executable::build(file, device, options));
  Plan plan;
  plan.model = file.path.filename().string();
  plan.device = device;
  NNRT_TRY(read_placement(plan, report.path()));
  if (file.network) add_names(plan, *file.network);
  return plan;
}

}  // namespace nnrt::tool
