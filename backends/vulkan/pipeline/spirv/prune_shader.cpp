#include "backends/vulkan/pipeline/spirv/prune_shader.h"

#include "backends/vulkan/pipeline/spirv/constant_values.h"
#include "backends/vulkan/pipeline/spirv/function_blocks.h"
#include "backends/vulkan/pipeline/spirv/instruction_ids.h"

#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace nnrt::vulkan {
namespace {

using spirv::Block;
using spirv::ControlFlow;
using spirv::Function;
using spirv::Instruction;

struct Module {
  std::vector<Instruction> declarations;  // before the first function
  std::map<uint32_t, Function> functions;
  std::vector<uint32_t> entries;
};

std::optional<Module> parse(std::span<const uint32_t> words) {
  Module module;
  Function* open = nullptr;
  bool is_valid = true;
  const bool is_read = spirv::for_each_instruction(words, [&](const Instruction& i) {
    if (i.opcode == SpvOpFunction) open = &module.functions[i[2]];
    if (open != nullptr) {
      is_valid = is_valid && add_to(*open, i);
    } else {
      is_valid = is_valid && module.functions.empty();
      module.declarations.push_back(i);
    }
    if (i.opcode == SpvOpEntryPoint) module.entries.push_back(i[2]);
    if (i.opcode == SpvOpFunctionEnd) open = nullptr;
  });
  if (!is_read || !is_valid || open != nullptr) return std::nullopt;
  return module;
}

using Arguments = std::vector<std::optional<uint32_t>>;  // by parameter; known ones only

// A function with some constant parameters.
struct Instance {
  uint32_t id = 0;
  const Function* function = nullptr;
  Arguments arguments;
  bool is_clone = false;
};

class Pruner {
 public:
  Pruner(std::span<const uint32_t> words, const Module& module, std::span<const uint32_t> values)
      : header_(words.first(spirv::kHeaderWords)),
        module_(module),
        values_(values),
        next_id_(words[spirv::kBoundWord]) {}

  std::optional<std::vector<uint32_t>> run() {
    for (const Instruction& i : module_.declarations) values_.read(i);
    for (const auto& [id, function] : module_.functions)
      local_ids_.insert(function.ids.begin(), function.ids.end());
    for (const uint32_t entry : module_.entries) id_of(entry, {});
    for (size_t i = 0; i < instances_.size() && is_valid_; ++i) write(Instance(instances_[i]));
    if (!is_valid_) return std::nullopt;
    std::vector<uint32_t> words(header_.begin(), header_.end());
    words[spirv::kBoundWord] = next_id_;
    for (const Instruction& i : module_.declarations) write_declaration(i, words);
    spirv::append(words, functions_);
    return words;
  }

 private:
  // Returns the id of an instance, and queues it for writing if it is new.
  uint32_t id_of(uint32_t function, Arguments arguments) {
    const auto found = module_.functions.find(function);
    if (found == module_.functions.end()) {
      is_valid_ = false;
      return function;
    }
    const auto [known, is_new] = ids_.try_emplace({function, arguments}, function);
    if (!is_new) return known->second;
    const bool is_clone = !used_.insert(function).second;
    if (is_clone) known->second = next_id_++;
    instances_.push_back({known->second, &found->second, std::move(arguments), is_clone});
    return known->second;
  }

  void write(const Instance& instance) {
    const Function& function = *instance.function;
    for (const uint32_t id : function.ids) values_.forget(id);
    for (size_t i = 0; i < function.parameters.size() && i < instance.arguments.size(); ++i)
      if (instance.arguments[i]) values_.set(function.parameters[i][2], *instance.arguments[i]);
    const ControlFlow flow = control_flow(function, values_);
    renamed_.clear();
    if (instance.is_clone)
      for (const uint32_t id : function.ids) renamed_[id] = next_id_++;
    const Instruction& head = function.head;
    spirv::append(functions_, SpvOpFunction, {head[1], instance.id, head[3], head[4]});
    for (const Instruction& parameter : function.parameters) write_copy(parameter);
    for (const Block& block : function.blocks) write(block, flow);
    spirv::append(functions_, SpvOpFunctionEnd, {});
  }

  void write(const Block& block, const ControlFlow& flow) {
    if (!flow.reaches(block.label)) {
      if (flow.merges.contains(block.label)) write_unreachable(block, flow);
      return;
    }
    spirv::append(functions_, SpvOpLabel, {name(block.label)});
    const spirv::Exits& exits = flow.exits.at(block.label);
    const bool becomes_branch = exits.is_decided && block.terminator().opcode == SpvOpBranchConditional;
    for (const Instruction& i : block.body) {
      if (&i == &block.terminator() && exits.is_decided) {
        // A decided switch stays one, because there may be breaks out of it.
        if (becomes_branch)
          spirv::append(functions_, SpvOpBranch, {name(exits.labels[0])});
        else
          spirv::append(functions_, SpvOpSwitch, {name(i[1]), name(exits.labels[0])});
      } else if (i.opcode == SpvOpPhi) {
        write_phi(i, block.label, flow);
      } else if (i.opcode == SpvOpSwitch) {
        write_switch(i);
      } else if (&i != block.merge() || !becomes_branch) {
        write_copy(i);
      }
    }
  }

  void write_unreachable(const Block& block, const ControlFlow& flow) {
    spirv::append(functions_, SpvOpLabel, {name(block.label)});
    const auto header = flow.headers.find(block.label);
    if (header != flow.headers.end())
      spirv::append(functions_, SpvOpBranch, {name(header->second)});
    else
      spirv::append(functions_, SpvOpUnreachable, {});
  }

  void write_phi(const Instruction& i, uint32_t label, const ControlFlow& flow) {
    std::vector<uint32_t> words{0, i[1], name(i[2])};
    for (size_t at = 3; at + 1 < i.words.size(); at += 2) {
      if (!flow.has_edge(i[at + 1], label)) continue;
      words.push_back(name(i[at]));
      words.push_back(name(i[at + 1]));
    }
    // An unreachable continue target would be an edge without a value.
    for (const auto& [target, header] : flow.headers)
      is_valid_ = is_valid_ && (header != label || flow.reaches(target));
    words[0] = uint32_t(words.size()) << 16 | SpvOpPhi;
    note(i[2]);
    spirv::append(functions_, words);
  }

  void write_switch(const Instruction& i) {
    std::vector<uint32_t> words(i.words.begin(), i.words.end());
    words[1] = name(words[1]);
    for (size_t at = 2; at < words.size(); at += 2) words[at] = name(words[at]);
    spirv::append(functions_, words);
  }

  void write_copy(const Instruction& i) {
    const size_t at = functions_.size();
    spirv::append(functions_, i.words);
    const std::span words = std::span(functions_).subspan(at);
    const bool is_known = for_each_id(i, words, [&](uint32_t& id) { id = name(id); });
    is_valid_ = is_valid_ && is_known;
    if (i.opcode == SpvOpFunctionCall) {
      Arguments arguments;
      for (const uint32_t id : i.words.subspan(4)) arguments.push_back(values_.value_of(id));
      words[3] = id_of(i[3], std::move(arguments));
    }
    if (const size_t result = spirv::result_word(i.opcode); result != 0) note(i[result]);
  }

  uint32_t name(uint32_t id) const {
    const auto found = renamed_.find(id);
    return found != renamed_.end() ? found->second : id;
  }

  void note(uint32_t id) { written_[id].push_back(name(id)); }

  // Copies a decoration for each clone of its target, or drops it with the target.
  void write_declaration(const Instruction& i, std::vector<uint32_t>& words) const {
    if (i.opcode != SpvOpDecorate || !local_ids_.contains(i[1])) return spirv::append(words, i.words);
    const auto written = written_.find(i[1]);
    if (written == written_.end()) return;
    for (const uint32_t id : written->second) {
      const size_t at = words.size();
      spirv::append(words, i.words);
      words[at + 1] = id;
    }
  }

  std::span<const uint32_t> header_;
  const Module& module_;
  spirv::ConstantValues values_;
  uint32_t next_id_;
  bool is_valid_ = true;
  std::map<std::pair<uint32_t, Arguments>, uint32_t> ids_;
  std::unordered_set<uint32_t> used_, local_ids_;
  std::vector<Instance> instances_;
  std::vector<uint32_t> functions_;
  std::unordered_map<uint32_t, uint32_t> renamed_;               // in the instance being written
  std::unordered_map<uint32_t, std::vector<uint32_t>> written_;  // names in all instances
};

}  // namespace

std::optional<std::vector<uint32_t>> prune(std::span<const uint32_t> words,
                                           std::span<const uint32_t> values) {
  const std::optional<Module> module = parse(words);
  if (!module) return std::nullopt;
  return Pruner(words, *module, values).run();
}

}  // namespace nnrt::vulkan
