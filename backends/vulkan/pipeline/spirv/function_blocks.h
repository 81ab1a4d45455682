// The control flow of a SPIR-V function whose branches are partly decided by constants.
#pragma once

#include "backends/vulkan/pipeline/spirv/constant_values.h"

#include <set>
#include <unordered_map>
#include <vector>

namespace nnrt::vulkan::spirv {

struct Block {
  uint32_t label = 0;
  std::vector<Instruction> body;  // ends with an optional merge instruction and the terminator

  const Instruction& terminator() const { return body.back(); }
  const Instruction* merge() const;  // nullptr: none
};

struct Function {
  Instruction head;
  std::vector<Instruction> parameters;
  std::vector<Block> blocks;
  std::vector<uint32_t> ids;  // of labels, parameters and values
};

// Appends an instruction to its function. False if it is malformed there.
bool add_to(Function& function, const Instruction& instruction);

// The labels that a block may branch to; `is_decided`: constants leave one of several.
struct Exits {
  std::vector<uint32_t> labels;
  bool is_decided = false;
};

struct ControlFlow {
  std::unordered_map<uint32_t, Exits> exits;       // of reachable blocks, by label
  std::set<uint32_t> merges;                       // labels that must exist, even if unreachable
  std::unordered_map<uint32_t, uint32_t> headers;  // of loops, by the label of their continue target

  bool reaches(uint32_t label) const { return exits.contains(label); }
  bool has_edge(uint32_t from, uint32_t to) const;
};

// Also adds the function's known values to `values`.
ControlFlow control_flow(const Function& function, ConstantValues& values);

}  // namespace nnrt::vulkan::spirv
