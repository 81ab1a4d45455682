#include "tests/device/loops/loop_counter.h"

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/fp16_storage.h"
#include "backends/vulkan/pipeline/spirv/specialize_shader.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"
#include "backends/vulkan/program/vulkan_program.h"

#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

using namespace vulkan;  // Vulkan's functions
using vulkan::spirv::append;
using vulkan::spirv::Instruction;

constexpr uint32_t kVersion14 = 0x00010400;  // since then, entry points list all variables

class Counter {
 public:
  Counter(std::span<const uint32_t> words, uint32_t binding)
      : binding_(binding), lists_variables_(words[1] >= kVersion14), next_(words[vulkan::spirv::kBoundWord]) {
    vulkan::spirv::for_each_instruction(words, [&](const Instruction& i) {
      if (i.opcode == SpvOpTypeInt && i[2] == 32 && i[3] == 0) uint_ = i[1];
    });
    has_uint_ = uint_ != 0;
    if (!has_uint_) uint_ = next_++;
    vulkan::spirv::for_each_instruction(words, [&](const Instruction& i) { write(i); });
  }

  std::vector<uint32_t> take(std::span<const uint32_t> words) const {
    std::vector<uint32_t> all(words.begin(), words.begin() + vulkan::spirv::kHeaderWords);
    all[vulkan::spirv::kBoundWord] = next_;
    append(all, written_);
    return all;
  }

 private:
  void write(const Instruction& i) {
    if (i.opcode >= SpvOpTypeVoid && i.opcode <= SpvOpTypeForwardPointer && !is_decorated_) decorate();
    if (i.opcode == SpvOpFunction && !is_declared_) declare();
    if (i.opcode == SpvOpLoopMerge) count();
    if (i.opcode == SpvOpReturn) store();
    if (i.opcode != SpvOpEntryPoint || !lists_variables_) return append(written_, i.words);
    std::vector<uint32_t> entry(i.words.begin(), i.words.end());
    entry.insert(entry.end(), {count_, max_});
    entry[0] = uint32_t(entry.size()) << 16 | SpvOpEntryPoint;
    append(written_, entry);
  }
  void decorate() {
    is_decorated_ = true;
    append(written_, SpvOpDecorate, {block_, SpvDecorationBlock});
    append(written_, SpvOpMemberDecorate, {block_, 0, SpvDecorationOffset, 0});
    append(written_, SpvOpDecorate, {max_, SpvDecorationDescriptorSet, 0});
    append(written_, SpvOpDecorate, {max_, SpvDecorationBinding, binding_});
  }
  void declare() {
    is_declared_ = true;
    if (!has_uint_) append(written_, SpvOpTypeInt, {uint_, 32, 0});
    append(written_, SpvOpConstant, {uint_, zero_, 0});
    append(written_, SpvOpConstant, {uint_, one_, 1});
    append(written_, SpvOpTypePointer, {private_, SpvStorageClassPrivate, uint_});
    append(written_, SpvOpVariable, {private_, count_, SpvStorageClassPrivate, zero_});
    append(written_, SpvOpTypeStruct, {block_, uint_});
    append(written_, SpvOpTypePointer, {block_pointer_, SpvStorageClassStorageBuffer, block_});
    append(written_, SpvOpVariable, {block_pointer_, max_, SpvStorageClassStorageBuffer});
    append(written_, SpvOpTypePointer, {word_pointer_, SpvStorageClassStorageBuffer, uint_});
  }
  // Inserted in the loop header, which every iteration executes, including the final test.
  void count() {
    const uint32_t before = next_++, after = next_++;
    append(written_, SpvOpLoad, {uint_, before, count_});
    append(written_, SpvOpIAdd, {uint_, after, before, one_});
    append(written_, SpvOpStore, {count_, after});
  }
  void store() {
    const uint32_t count = next_++, place = next_++, old = next_++;
    append(written_, SpvOpLoad, {uint_, count, count_});
    append(written_, SpvOpAccessChain, {word_pointer_, place, max_, zero_});
    append(written_, SpvOpAtomicUMax, {uint_, old, place, one_, zero_, count});  // one_: the scope Device
  }

  const uint32_t binding_;
  const bool lists_variables_;
  uint32_t next_ = 0, uint_ = 0;
  const uint32_t zero_ = next_++, one_ = next_++, private_ = next_++, count_ = next_++, block_ = next_++,
                 block_pointer_ = next_++, max_ = next_++, word_pointer_ = next_++;
  bool has_uint_ = false, is_decorated_ = false, is_declared_ = false;
  std::vector<uint32_t> written_;
};

Result<std::vector<uint32_t>> counting_words(const vulkan::Dispatch& dispatch,
                                             std::span<const uint32_t> embedded, uint32_t binding) {
  std::vector<uint32_t> words(embedded.begin(), embedded.end());
  if (dispatch.fp16_bindings != 0) {
    auto with_fp16 = vulkan::with_fp16_storage(words, dispatch.fp16_bindings);
    if (!with_fp16) return Error{Code::failed, "The shader cannot store its buffers as fp16."};
    words = *std::move(with_fp16);
  }
  std::vector<uint32_t> values(dispatch.local.begin(), dispatch.local.end());
  values.insert(values.end(), dispatch.constants.begin(), dispatch.constants.end());
  const auto specialized = vulkan::specialize(words, values);
  if (!specialized) return Error{Code::failed, cat(dispatch.shader, " is not specialized.")};
  if (!has_loops(*specialized)) return std::vector<uint32_t>();
  return with_loop_counter(*specialized, binding);
}

Status make_layouts(const vulkan::Context& context, vulkan::ShaderModule& module) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const vulkan::BindingKind kind : module.shader.kinds) {
    bindings.push_back(
        {uint32_t(bindings.size()), vulkan::descriptor_type(kind), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = uint32_t(bindings.size());
  set.pBindings = bindings.data();
  NNRT_TRY(make(context, vkCreateDescriptorSetLayout, set, module.set_layout, "vkCreateDescriptorSetLayout"));
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, module.shader.push_bytes};
  const VkDescriptorSetLayout set_layout = module.set_layout.get();
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout;
  layout.pushConstantRangeCount = push.size > 0 ? 1 : 0;
  layout.pPushConstantRanges = &push;
  return make(context, vkCreatePipelineLayout, layout, module.layout, "vkCreatePipelineLayout");
}

Result<vulkan::UniquePipeline> make_pipeline(const vulkan::Context& context,
                                             const vulkan::ShaderModule& module,
                                             std::span<const uint32_t> words) {
  VkShaderModuleCreateInfo code_info{};
  code_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code_info.codeSize = words.size_bytes();
  code_info.pCode = words.data();
  vulkan::UniqueShaderModule code;
  NNRT_TRY(make(context, vkCreateShaderModule, code_info, code, "vkCreateShaderModule"));
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = code.get();
  info.stage.pName = "main";
  info.layout = module.layout.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  NNRT_TRY(
      context.check(vkCreateComputePipelines(context.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                    "vkCreateComputePipelines"));
  return vulkan::UniquePipeline(context.device(), pipeline);
}

}  // namespace

bool has_loops(std::span<const uint32_t> words) {
  bool found = false;
  vulkan::spirv::for_each_instruction(
      words, [&](const Instruction& i) { found = found || i.opcode == SpvOpLoopMerge; });
  return found;
}

std::vector<uint32_t> with_loop_counter(std::span<const uint32_t> words, uint32_t binding) {
  return Counter(words, binding).take(words);
}

Result<uint32_t> count_iterations(vulkan::Context& context, const vulkan::TrialDispatch& work) {
  const vulkan::Dispatch& dispatch = work.dispatch;
  vulkan::ShaderModule module;
  module.shader = *vulkan::find_shader(dispatch.shader);
  const auto binding = uint32_t(module.shader.kinds.size());
  std::vector<vulkan::BindingKind> kinds(module.shader.kinds.begin(), module.shader.kinds.end());
  kinds.push_back(vulkan::BindingKind::storage);
  module.shader.kinds = kinds;
  NNRT_TRY(make_layouts(context, module));
  NNRT_ASSIGN(const auto words, counting_words(dispatch, module.shader.words, binding));
  if (words.empty()) return 0u;
  NNRT_ASSIGN(const vulkan::UniquePipeline pipeline, make_pipeline(context, module, words));
  NNRT_ASSIGN(const vulkan::Size3 groups, vulkan::count_groups(dispatch, context.plan()));

  // Every binding starts at the same zeros; what is written is ignored.
  uint64_t bytes = vulkan::kVectorBytes;
  for (const uint64_t of_binding : work.bytes) bytes = std::max(bytes, of_binding);
  NNRT_ASSIGN(const vulkan::DeviceBuffer read,
              vulkan::make_buffer(context, bytes, vulkan::MemoryKind::device));
  NNRT_ASSIGN(const vulkan::DeviceBuffer written,
              vulkan::make_buffer(context, bytes, vulkan::MemoryKind::device));
  NNRT_ASSIGN(const vulkan::DeviceBuffer count,
              vulkan::make_buffer(context, vulkan::kVectorBytes, vulkan::MemoryKind::staging));
  std::memset(count.mapped, 0, count.bytes);
  vulkan::BoundShader bound{&module, {}};
  for (size_t i = 0; i < work.bytes.size(); ++i) {
    const vulkan::Slice slice = i < dispatch.slices.size() ? dispatch.slices[i] : vulkan::Slice{};
    const VkBuffer buffer = module.shader.bindings[i].writes ? written.get() : read.get();
    bound.buffers.push_back({buffer, slice.offset, slice.bytes > 0 ? slice.bytes : work.bytes[i]});
  }
  bound.buffers.push_back({count.get(), 0, count.bytes});
  NNRT_ASSIGN(const vulkan::Descriptors descriptors, vulkan::make_descriptors(context, {&bound, 1}));
  NNRT_TRY(vulkan::run_once(context, [&](VkCommandBuffer commands) {
    vkCmdFillBuffer(commands, read.get(), 0, VK_WHOLE_SIZE, 0);
    vkCmdFillBuffer(commands, written.get(), 0, VK_WHOLE_SIZE, 0);
    VkMemoryBarrier filled{};
    filled.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    filled.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    filled.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                         &filled, 0, nullptr, 0, nullptr);
    const VkPipelineLayout layout = module.layout.get();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, descriptors.sets.data(),
                            0, nullptr);
    if (dispatch.push.size() > 0) {
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch.push.size()),
                         dispatch.push.data());
    }
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
    VkMemoryBarrier done{};
    done.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    done.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    done.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &done, 0, nullptr, 0, nullptr);
  }));
  uint32_t max_count = 0;
  std::memcpy(&max_count, count.mapped, sizeof max_count);
  return max_count;
}

}  // namespace nnrt::test
