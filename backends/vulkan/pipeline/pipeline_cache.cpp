#include "backends/vulkan/pipeline/pipeline_cache.h"

#include "backends/vulkan/device/parallel_for_each.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/pipeline/driver_time.h"
#include "backends/vulkan/pipeline/spirv/fp16_storage.h"
#include "backends/vulkan/pipeline/spirv/prune_shader.h"
#include "backends/vulkan/pipeline/spirv/rounded_floats.h"
#include "backends/vulkan/pipeline/spirv/specialize_shader.h"
#include "backends/vulkan/pipeline/vk_context.h"
#include "core/base/exceptions.h"
#include "core/platform/trace.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

namespace nnrt::vulkan {
namespace {

Error broken(const Dispatch& dispatch, std::string_view reason) {
  return {Code::failed, cat("A dispatch of shader '", dispatch.shader, "' is invalid: ", reason)};
}

Status check_dispatch(const EmbeddedShader& shader, const Dispatch& dispatch, const DevicePlan& plan) {
  if (dispatch.buffers.size() != shader.bindings.size()) {
    return broken(dispatch, cat("It has ", dispatch.buffers.size(), " buffers instead of ",
                                shader.bindings.size(), "."));
  }
  if (dispatch.push.size() != shader.push_bytes) {
    return broken(dispatch, cat("It has ", dispatch.push.size(), " bytes of push constants instead of ",
                                shader.push_bytes, "."));
  }
  uint64_t invocations = 1;
  for (size_t i = 0; i < 3; ++i) {
    invocations *= dispatch.local[i];
    if (dispatch.local[i] == 0 || dispatch.local[i] > plan.max_group_size[i]) invocations = UINT64_MAX;
    if (invocations > plan.max_group_invocations) {
      return broken(dispatch, cat("Its workgroups (", dispatch.local[0], " x ", dispatch.local[1], " x ",
                                  dispatch.local[2], ") exceed the device's limit (",
                                  plan.max_group_invocations, ")."));
    }
  }
  return {};
}

Status make_module(const Context& context, std::span<const uint32_t> words, UniqueShaderModule& module) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return make(context, vkCreateShaderModule, info, module, "vkCreateShaderModule");
}

Status make_layouts(const Context& context, ShaderModule& module) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(module.shader.bindings.size());
  for (uint32_t i = 0; i < bindings.size(); ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = descriptor_type(module.shader.kinds[i]);
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = uint32_t(bindings.size());
  set.pBindings = bindings.data();
  NNRT_TRY(make(context, vkCreateDescriptorSetLayout, set, module.set_layout, "vkCreateDescriptorSetLayout"));

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, module.shader.push_bytes};
  const VkDescriptorSetLayout set_layout = module.set_layout.get();
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout;
  layout.pushConstantRangeCount = push.size > 0 ? 1 : 0;
  layout.pPushConstantRanges = &push;
  return make(context, vkCreatePipelineLayout, layout, module.layout, "vkCreatePipelineLayout");
}

Result<UniquePipelineCache> make_driver_cache(const Context& context) {
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  UniquePipelineCache cache;
  NNRT_TRY(make(context, vkCreatePipelineCache, info, cache, "vkCreatePipelineCache"));
  return cache;
}

}  // namespace

Result<std::unique_ptr<PipelineCache>> PipelineCache::create(const Context& context) {
  NNRT_ASSIGN(UniquePipelineCache cache, make_driver_cache(context));
  return std::make_unique<PipelineCache>(context, std::move(cache));
}

PipelineCache::PipelineCache(const Context& context, UniquePipelineCache driver_cache)
    : context_(context), driver_cache_(std::make_shared<UniquePipelineCache>(std::move(driver_cache))) {}

Result<std::vector<PipelinePtr>> PipelineCache::get(std::span<const Dispatch* const> dispatches,
                                                    const Ready& ready) {
  std::vector<PipelinePtr> found;
  std::vector<std::pair<EntryPtr, const Dispatch*>> cold;
  std::unordered_set<const Entry*> listed;
  for (const Dispatch* dispatch : dispatches) {
    NNRT_ASSIGN(const EntryPtr entry, find(*dispatch));
    found.emplace_back(entry, &entry->pipeline);
    if (!entry->pipeline.warm && listed.insert(entry.get()).second) cold.emplace_back(entry, dispatch);
  }
  if (!cold.empty()) drop_unused();
  // Large shaders first, to balance the threads.
  std::ranges::stable_sort(cold, std::greater(),
                           [](const auto& item) { return item.first->pipeline.shader->shader.words.size(); });
  const auto make_ready = [&](size_t i) -> Status {
    const EntryPtr& entry = cold[i].first;
    const Dispatch* const dispatch = cold[i].second;
    NNRT_TRY(complete(*entry, *dispatch));
    if (entry->pipeline.warm.exchange(true)) return {};
    Status status = catching([&] { return ready(*dispatch, {entry, &entry->pipeline}); });
    if (!status.ok()) entry->pipeline.warm = false;
    return status;
  };
  const DriverTime driver_time;
  NNRT_TRY(for_each_parallel(cold.size(), make_ready));
  return found;
}

Result<PipelineCache::EntryPtr> PipelineCache::find(const Dispatch& dispatch) {
  const std::lock_guard lock(mutex_);
  NNRT_ASSIGN(const ShaderModule* shader, module(dispatch.shader));
  NNRT_TRY(check_dispatch(shader->shader, dispatch, context_.plan()));
  // The dispatch's name may not live as long.
  Key key(shader->shader.name, dispatch.constants, dispatch.local, dispatch.fp16_bindings,
          dispatch.rounded_bindings);
  ++uses_;
  if (const auto known = pipelines_.find(key); known != pipelines_.end()) {
    known->second->last_used = uses_;
    return known->second;
  }
  // Allocate first, so that running out of memory leaves no entry without it.
  auto entry = std::make_shared<Entry>();
  entry->pipeline.shader = shader;
  entry->last_used = uses_;
  return pipelines_.emplace(std::move(key), std::move(entry)).first->second;
}

// The driver's cache is replaced once kMaxUnused pipelines were dropped, because it may still hold all of
// them.
void PipelineCache::drop_unused() {
  std::vector<EntryPtr> dropped;  // destroyed outside the lock
  DriverCache driver_cache;
  const std::lock_guard lock(mutex_);
  // Nobody can acquire them meanwhile.
  std::vector<std::pair<uint64_t, decltype(pipelines_)::const_iterator>> unused;
  for (auto entry = pipelines_.cbegin(); entry != pipelines_.cend(); ++entry)
    if (entry->second.use_count() == 1) unused.emplace_back(entry->second->last_used, entry);
  if (unused.size() <= kMaxUnused) return;
  std::ranges::sort(unused, {}, &decltype(unused)::value_type::first);
  unused.resize(unused.size() - kMaxUnused);
  for (const auto& [last_used, entry] : unused) {
    dropped.push_back(entry->second);
    pipelines_.erase(entry);
  }
  dropped_ += dropped.size();
  if (dropped_ <= kMaxUnused) return;
  auto made = make_driver_cache(context_);
  if (!made.ok()) return;  // out of memory: try again next time
  driver_cache = std::exchange(driver_cache_, std::make_shared<UniquePipelineCache>(std::move(made).value()));
  dropped_ = 0;
}

PipelineCache::DriverCache PipelineCache::driver_cache() const {
  const std::lock_guard lock(mutex_);
  return driver_cache_;
}

Status PipelineCache::complete(Entry& entry, const Dispatch& dispatch) const {
  const std::lock_guard lock(entry.mutex);
  if (entry.pipeline.pipeline.get() != VK_NULL_HANDLE) return {};
  NNRT_ASSIGN(entry.pipeline.pipeline, make_pipeline(*entry.pipeline.shader, dispatch));
  return {};
}

// A driver that keeps nothing returns only the header. The header identifies the driver; the rest cannot be
// checked and must be trusted.
constexpr size_t kDriverHeaderBytes = 32;  // VkPipelineCacheHeaderVersionOne
constexpr size_t kMaxDriverBytes = size_t{64} << 20;

Bytes PipelineCache::export_driver_data() const {
  size_t bytes = 0;
  const VkDevice device = context_.device();
  const DriverCache cache = driver_cache();
  if (vkGetPipelineCacheData(device, cache->get(), &bytes, nullptr) != VK_SUCCESS) return {};
  if (bytes <= kDriverHeaderBytes || bytes > kMaxDriverBytes) return {};
  Bytes data(bytes);
  if (vkGetPipelineCacheData(device, cache->get(), &bytes, data.data()) != VK_SUCCESS) return {};
  data.resize(bytes);
  return data;
}

void PipelineCache::import_driver_data(ByteView data) {
  std::array<std::byte, kDriverHeaderBytes> header{};
  size_t bytes = header.size();
  const std::lock_guard lock(mutex_);
  const VkResult got = vkGetPipelineCacheData(context_.device(), driver_cache_->get(), &bytes, header.data());
  const bool has_header = (got == VK_SUCCESS || got == VK_INCOMPLETE) && bytes == header.size();
  if (!has_header || data.size() <= bytes || !std::ranges::equal(header, data.first(bytes))) return;
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  UniquePipelineCache loaded;
  if (!make(context_, vkCreatePipelineCache, info, loaded, "vkCreatePipelineCache").ok()) return;
  const VkPipelineCache from = loaded.get();
  // On failure, pipelines are compiled without a cache.
  static_cast<void>(vkMergePipelineCaches(context_.device(), driver_cache_->get(), 1, &from));
}

size_t PipelineCache::size() const {
  const std::lock_guard lock(mutex_);
  return size_t(std::ranges::count_if(pipelines_,
                                      [](const auto& entry) { return entry.second->pipeline.warm.load(); }));
}

Result<const ShaderModule*> PipelineCache::module(std::string_view name) {
  if (const auto known = modules_.find(name); known != modules_.end()) return known->second.get();
  const EmbeddedShader* const found = find_shader(name);
  if (found == nullptr) return Error{Code::failed, cat("There is no shader '", name, "'.")};
  auto module = std::make_unique<ShaderModule>();
  module->shader = *found;
  NNRT_TRY(make_layouts(context_, *module));
  return modules_.emplace(found->name, std::move(module)).first->second.get();
}

Result<UniquePipeline> PipelineCache::make_pipeline(const ShaderModule& module,
                                                    const Dispatch& dispatch) const {
  const trace::Span span("compile", [&] { return trace::Event{cat("pipeline ", dispatch.shader)}; });
  std::vector<uint32_t> values(dispatch.local.begin(), dispatch.local.end());
  values.insert(values.end(), dispatch.constants.begin(), dispatch.constants.end());
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t id = 0; id < values.size(); ++id) {
    entries.push_back({id, id * uint32_t(sizeof(uint32_t)), sizeof(uint32_t)});
  }
  const bool has_khr_matrices = context_.plan().matrices.khr && !module.shader.khr_words.empty();
  std::span<const uint32_t> words = has_khr_matrices ? module.shader.khr_words : module.shader.words;
  std::optional<std::vector<uint32_t>> pruned, rounded, with_fp16, specialized;
  pruned = prune(words, values);
  if (pruned) words = *pruned;
  if (dispatch.rounded_bindings != 0) {
    rounded = with_rounded_floats(words, dispatch.rounded_bindings);
    if (!rounded) return broken(dispatch, "The shader cannot round its buffers to fp16.");
    words = *rounded;
  }
  if (dispatch.fp16_bindings != 0) {
    if (context_.plan().fp16_storage) with_fp16 = with_fp16_storage(words, dispatch.fp16_bindings);
    if (!with_fp16) return broken(dispatch, "The shader cannot store its buffers as fp16.");
    words = *with_fp16;
  }
  // Also pass the constants to the driver, in case the optimizer failed.
  if (context_.plan().pipelines.specialize) specialized = specialize(words, values);
  UniqueShaderModule code;
  NNRT_TRY(make_module(context_, specialized ? *specialized : words, code));
  const VkSpecializationInfo specialization{uint32_t(entries.size()), entries.data(),
                                            values.size() * sizeof(uint32_t), values.data()};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = code.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT subgroup_size{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT, nullptr,
      context_.plan().matrices.subgroup};
  if (has_khr_matrices && context_.plan().matrices.sets_subgroup_size) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
    info.stage.pNext = &subgroup_size;
  }
  info.layout = module.layout.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  const DriverCache cache = context_.plan().pipelines.cache ? driver_cache() : nullptr;
  const VkPipelineCache used = cache == nullptr ? VK_NULL_HANDLE : cache->get();
  NNRT_TRY(context_.check(vkCreateComputePipelines(context_.device(), used, 1, &info, nullptr, &pipeline),
                          "vkCreateComputePipelines"));
  return UniquePipeline(context_.device(), pipeline);
}

}  // namespace nnrt::vulkan
