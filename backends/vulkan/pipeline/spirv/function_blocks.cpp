#include "backends/vulkan/pipeline/spirv/function_blocks.h"

#include "backends/vulkan/pipeline/spirv/instruction_ids.h"

#include <spirv/unified1/spirv.h>

#include <algorithm>

namespace nnrt::vulkan::spirv {
namespace {

bool is_terminator(uint32_t opcode) { return opcode >= SpvOpBranch && opcode <= SpvOpUnreachable; }

Exits exits_of_condition(const Block& block, const ConstantValues& values) {
  const Instruction& branch = block.terminator();
  const auto condition = values.value_of(branch[1]);
  // A loop header's merge instruction cannot be removed.
  const bool is_loop = block.merge() != nullptr && block.merge()->opcode == SpvOpLoopMerge;
  if (!condition || is_loop) return {{branch[2], branch[3]}};
  return {{branch[*condition != 0 ? 2 : 3]}, true};
}

Exits exits_of_switch(const Instruction& branch, const ConstantValues& values) {
  const auto selector = values.value_of(branch[1]);
  Exits exits{{branch[2]}, selector.has_value()};
  for (size_t i = 3; i + 1 < branch.words.size(); i += 2) {
    if (!selector) exits.labels.push_back(branch[i + 1]);
    if (selector == branch[i]) exits.labels = {branch[i + 1]};
  }
  return exits;
}

Exits exits_of(const Block& block, const ConstantValues& values) {
  const Instruction& last = block.terminator();
  switch (last.opcode) {
    case SpvOpBranch: return {{last[1]}};
    case SpvOpBranchConditional: return exits_of_condition(block, values);
    case SpvOpSwitch: return exits_of_switch(last, values);
    default: return {};
  }
}

void add_merges(const Block& block, const Exits& exits, ControlFlow& flow) {
  const Instruction* const merge = block.merge();
  const bool is_removed = exits.is_decided && block.terminator().opcode == SpvOpBranchConditional;
  if (merge == nullptr || is_removed) return;
  flow.merges.insert((*merge)[1]);
  if (merge->opcode != SpvOpLoopMerge) return;
  flow.merges.insert((*merge)[2]);
  flow.headers[(*merge)[2]] = block.label;
}

ControlFlow reachable_from_entry(const Function& function, const ConstantValues& values) {
  std::unordered_map<uint32_t, const Block*> blocks;
  for (const Block& block : function.blocks) blocks[block.label] = &block;
  ControlFlow flow;
  std::vector<uint32_t> pending{function.blocks.front().label};
  while (!pending.empty()) {
    const uint32_t label = pending.back();
    pending.pop_back();
    const auto block = blocks.find(label);
    if (block == blocks.end() || flow.reaches(label)) continue;
    const Exits exits = exits_of(*block->second, values);
    add_merges(*block->second, exits, flow);
    pending.insert(pending.end(), exits.labels.begin(), exits.labels.end());
    flow.exits[label] = exits;
  }
  return flow;
}

// The value of a phi that only one edge still leads to.
std::optional<uint32_t> value_of_phi(const Instruction& phi, uint32_t label, const ControlFlow& flow,
                                     const ConstantValues& values) {
  uint32_t only = 0, edges = 0;
  for (size_t i = 3; i + 1 < phi.words.size(); i += 2) {
    if (!flow.has_edge(phi[i + 1], label)) continue;
    only = phi[i];
    ++edges;
  }
  return edges == 1 ? values.value_of(only) : std::nullopt;
}

bool learn_from_phis(const Function& function, const ControlFlow& flow, ConstantValues& values) {
  bool learned = false;
  for (const Block& block : function.blocks) {
    for (const Instruction& i : block.body) {
      if (i.opcode != SpvOpPhi || !flow.reaches(block.label) || values.value_of(i[2])) continue;
      const auto value = value_of_phi(i, block.label, flow, values);
      if (value) values.set(i[2], *value);
      learned = learned || value.has_value();
    }
  }
  return learned;
}

}  // namespace

const Instruction* Block::merge() const {
  if (body.size() < 2) return nullptr;
  const Instruction& one = body[body.size() - 2];
  return one.opcode == SpvOpSelectionMerge || one.opcode == SpvOpLoopMerge ? &one : nullptr;
}

bool add_to(Function& function, const Instruction& i) {
  if (i.opcode == SpvOpFunction) {
    function.head = i;
    return true;
  }
  if (const size_t result = result_word(i.opcode); result != 0) function.ids.push_back(i[result]);
  const bool is_open =
      !function.blocks.empty() &&
      (function.blocks.back().body.empty() || !is_terminator(function.blocks.back().terminator().opcode));
  if (i.opcode == SpvOpFunctionParameter) {
    function.parameters.push_back(i);
    return function.blocks.empty();
  }
  if (i.opcode == SpvOpLabel) {
    function.blocks.push_back({i[1], {}});
    return !is_open;
  }
  if (i.opcode == SpvOpFunctionEnd) return !function.blocks.empty() && !is_open;
  if (is_open) function.blocks.back().body.push_back(i);
  return is_open;
}

bool ControlFlow::has_edge(uint32_t from, uint32_t to) const {
  const auto found = exits.find(from);
  return found != exits.end() && std::ranges::find(found->second.labels, to) != found->second.labels.end();
}

ControlFlow control_flow(const Function& function, ConstantValues& values) {
  ControlFlow flow;
  do {
    for (const Block& block : function.blocks)
      for (const Instruction& i : block.body) values.read(i);
    flow = reachable_from_entry(function, values);
  } while (learn_from_phis(function, flow, values));
  return flow;
}

}  // namespace nnrt::vulkan::spirv
