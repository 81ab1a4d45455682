#include "backends/vulkan/pipeline/descriptors.h"

#include <array>
#include <map>
#include <tuple>

namespace nnrt::vulkan {
namespace {

using ViewKey = std::tuple<VkBuffer, uint64_t, uint64_t>;
using Views = std::map<ViewKey, VkBufferView>;

// Calls `visit` with shader index, binding and kind, for each binding of each shader.
template <typename Visit>
void for_each_binding(std::span<const BoundShader> bound, Visit visit) {
  for (size_t i = 0; i < bound.size(); ++i) {
    const std::span<const BindingKind> kinds = bound[i].shader->shader.kinds;
    for (uint32_t binding = 0; binding < kinds.size(); ++binding) visit(i, binding, kinds[binding]);
  }
}

Status make_pool(const Context& context, std::span<const BoundShader> bound, Descriptors& descriptors) {
  std::array<VkDescriptorPoolSize, 3> sizes{};
  for (size_t kind = 0; kind < sizes.size(); ++kind) sizes[kind] = {descriptor_type(BindingKind(kind)), 1};
  for_each_binding(bound, [&](size_t, uint32_t, BindingKind kind) { ++sizes[size_t(kind)].descriptorCount; });
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = uint32_t(bound.size());
  info.poolSizeCount = uint32_t(sizes.size());
  info.pPoolSizes = sizes.data();
  return make(context, vkCreateDescriptorPool, info, descriptors.pool, "vkCreateDescriptorPool");
}

Status allocate_sets(const Context& context, std::span<const BoundShader> bound, Descriptors& descriptors) {
  std::vector<VkDescriptorSetLayout> layouts;
  for (const BoundShader& shader : bound) layouts.push_back(shader.shader->set_layout.get());
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = descriptors.pool.get();
  info.descriptorSetCount = uint32_t(layouts.size());
  info.pSetLayouts = layouts.data();
  descriptors.sets.resize(layouts.size());
  return context.check(vkAllocateDescriptorSets(context.device(), &info, descriptors.sets.data()),
                       "vkAllocateDescriptorSets");
}

// Bindings of the same memory share a view.
Result<VkBufferView> view_of(const Context& context, const BufferBinding& at, Views& known,
                             Descriptors& descriptors) {
  const ViewKey key(at.buffer, at.offset, at.bytes);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  info.buffer = at.buffer;
  info.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  info.offset = at.offset;
  info.range = at.bytes;
  UniqueBufferView view;
  NNRT_TRY(make(context, vkCreateBufferView, info, view, "vkCreateBufferView"));
  const VkBufferView handle = view.get();
  descriptors.views.push_back(std::move(view));
  known.emplace(key, handle);
  return handle;
}

Status write_sets(const Context& context, std::span<const BoundShader> bound, Descriptors& descriptors) {
  size_t count = 0;
  for_each_binding(bound, [&](size_t, uint32_t, BindingKind) { ++count; });
  // Must not be reallocated, because the writes point into them.
  std::vector<VkDescriptorBufferInfo> infos;
  std::vector<VkBufferView> views;
  infos.reserve(count);
  views.reserve(count);
  std::vector<VkWriteDescriptorSet> writes;
  Views known;
  Status status;
  for_each_binding(bound, [&](size_t i, uint32_t binding, BindingKind kind) {
    if (!status.ok()) return;
    const BufferBinding& at = bound[i].buffers[binding];
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = descriptors.sets[i];
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = descriptor_type(kind);
    if (kind == BindingKind::storage) {
      write.pBufferInfo = &infos.emplace_back(VkDescriptorBufferInfo{at.buffer, at.offset, at.bytes});
    } else if (auto view = view_of(context, at, known, descriptors); view.ok()) {
      write.pTexelBufferView = &views.emplace_back(view.value());
    } else {
      status = std::move(view).error();
      return;
    }
    writes.push_back(write);
  });
  if (status.ok())
    vkUpdateDescriptorSets(context.device(), uint32_t(writes.size()), writes.data(), 0, nullptr);
  return status;
}

}  // namespace

VkDescriptorType descriptor_type(BindingKind kind) {
  switch (kind) {
    case BindingKind::texels: return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case BindingKind::images: return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case BindingKind::storage: break;
  }
  return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

Result<Descriptors> make_descriptors(const Context& context, std::span<const BoundShader> bound) {
  Descriptors descriptors;
  if (bound.empty()) return descriptors;
  NNRT_TRY(make_pool(context, bound, descriptors));
  NNRT_TRY(allocate_sets(context, bound, descriptors));
  NNRT_TRY(write_sets(context, bound, descriptors));
  return descriptors;
}

}  // namespace nnrt::vulkan
