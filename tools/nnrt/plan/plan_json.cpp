#include "tools/nnrt/plan/plan.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const PlanTensor& tensor) {
  Json json{{"name", tensor.name},
            {"dtype", tensor.type},
            {"shape", tensor.shape},
            {"bytes", tensor.bytes > 0 ? Json(tensor.bytes) : Json()},
            {"constant", tensor.constant}};
  if (!tensor.scales.empty()) json.update({{"scales", tensor.scales}, {"zero_points", tensor.zero_points}});
  return json;
}

Json kernels_json(const PlanNode& node) {
  Json kernels = Json::array();
  for (const PlanKernel& kernel : node.kernels) {
    Json declined = Json::array();
    for (const auto& [name, why] : kernel.declined) declined.push_back({{"name", name}, {"why", why}});
    kernels.push_back({{"name", kernel.name}, {"declined", std::move(declined)}});
  }
  return kernels;
}

Json operation_json(const Plan& plan, const PlanNode& node) {
  Json attributes = Json::object();
  for (const auto& [name, value] : node.attributes) attributes[name] = value;
  Json json{{"operation", node.operation},   {"operator", node.op},     {"origin", node.origin},
            {"layer", plan.layer_of(node)},  {"device", node.device},   {"reason", node.reason},
            {"inputs", node.inputs},         {"outputs", node.outputs}, {"attributes", std::move(attributes)},
            {"kernels", kernels_json(node)}, {"fused", node.fused},     {"is_fused", node.is_fused},
            {"is_removed", node.is_removed}};
  if (node.ms > 0) json["ms"] = node.ms;
  return json;
}

Json arena_json(const Arena& arena) {
  Json blocks = Json::array();
  for (const ArenaBlock& block : arena.blocks) {
    blocks.push_back({{"name", block.name},
                      {"offset", block.offset},
                      {"bytes", block.bytes},
                      {"first", block.first},
                      {"last", block.last}});
  }
  return {{"device", arena.device},
          {"partition", arena.partition},
          {"bytes", arena.bytes},
          {"blocks", std::move(blocks)}};
}

Json pass_json(const PlanPass& pass) {
  return {{"device", pass.device},
          {"partition", pass.partition ? Json(*pass.partition) : Json()},
          {"name", pass.name},
          {"why_not", pass.why_not}};
}

template <typename Items, typename ToJson>
Json list_of(const Items& items, const ToJson& to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const Plan& plan) {
  const auto border_json = [&](const PlanEdge& edge) {
    return Json{
        {"tensor", edge.tensor}, {"from", plan.nodes[edge.from].device}, {"to", plan.nodes[edge.to].device}};
  };
  return {
      {"model", plan.model},
      {"device", plan.device.name},
      {"device_id", std::to_string(plan.device.id)},
      {"choice", plan.choice},
      {"inputs", plan.inputs},
      {"outputs", plan.outputs},
      {"tensors", list_of(plan.tensors, tensor_json)},
      {"operations", list_of(plan.nodes, [&](const PlanNode& node) { return operation_json(plan, node); })},
      {"borders", list_of(plan.borders(), border_json)},
      {"memory", list_of(plan.arenas, arena_json)},
      {"passes", list_of(plan.passes, pass_json)}};
}

}  // namespace nnrt::tool
