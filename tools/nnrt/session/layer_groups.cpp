#include "tools/nnrt/session/layer_groups.h"

#include "tools/import/network/layers.h"

#include <algorithm>
#include <map>

namespace nnrt::tool {
namespace {

// An operator of the file, or another purpose of an operation: "output y".
using Owner = std::pair<std::optional<uint32_t>, std::string>;

Owner owner_of(const import::Operation& operation) {
  return {operation.layer, operation.layer ? std::string() : operation.origin};
}

class Grouping {
 public:
  explicit Grouping(const import::Network& network) : network_(network) {
    for (const import::Operation& operation : network.operations) owners_.push_back(owner_of(operation));
  }

  void join(std::vector<size_t> kernel) {
    std::erase_if(kernel, [&](size_t operation) { return operation >= owners_.size(); });
    if (kernel.size() < 2) return;
    std::ranges::sort(kernel);
    const auto weight = [&](size_t operation) {
      return import::importance(network_.operations[operation].type);
    };
    const size_t leader = *std::ranges::max_element(kernel, {}, weight);
    for (const size_t operation : kernel) owners_[operation] = owner_of(network_.operations[leader]);
  }

  std::vector<LayerGroup> groups() const {
    std::map<Owner, size_t> places;
    std::vector<LayerGroup> groups;
    for (size_t i = 0; i < owners_.size(); ++i) {
      const auto [place, is_new] = places.emplace(owners_[i], groups.size());
      if (is_new) groups.push_back(named(owners_[i]));
      groups[place->second].operations.push_back(i);
    }
    for (LayerGroup& group : groups) name_fused(group);
    return groups;
  }

 private:
  LayerGroup named(const Owner& owner) const {
    if (!owner.first) return {owner.second, owner.second, {}};
    const import::Layer& layer = network_.layers[*owner.first];
    return {import::operators_of(layer), import::label_of(layer), {}};
  }

  // Appends the operators of other layers, except those that only move or convert data.
  void name_fused(LayerGroup& group) const {
    constexpr size_t kMaxNamed = 4;
    std::vector<uint32_t> others;
    for (const size_t i : group.operations) {
      const import::Operation& operation = network_.operations[i];
      const bool is_other = operation.layer && owner_of(operation) != owners_[i];
      if (!is_other || import::importance(operation.type) == 0) continue;
      if (std::ranges::find(others, *operation.layer) == others.end()) others.push_back(*operation.layer);
    }
    std::string names;
    for (size_t i = 0; i < std::min(others.size(), kMaxNamed); ++i)
      names += " + " + import::operators_of(network_.layers[others[i]]);
    if (others.size() > kMaxNamed) names += " + " + std::to_string(others.size() - kMaxNamed) + " more";
    group.operators += names;
    group.label += names;
  }

  const import::Network& network_;
  std::vector<Owner> owners_;  // one per operation
};

}  // namespace

std::vector<LayerGroup> group_by_layers(const import::Network& network,
                                        std::span<const std::vector<size_t>> kernels) {
  if (network.layers.empty()) return {};
  Grouping grouping(network);
  for (const std::vector<size_t>& kernel : kernels) grouping.join(kernel);
  return grouping.groups();
}

std::vector<size_t> groups_of_operations(std::span<const LayerGroup> groups, size_t operations) {
  std::vector<size_t> places(operations, 0);
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const size_t operation : groups[i].operations) places[operation] = i;
  }
  return places;
}

}  // namespace nnrt::tool
