// The pipelines of a device, each made once and shared by all models.
#pragma once

#include "backends/vulkan/dispatch.h"
#include "backends/vulkan/shader.h"
#include "backends/vulkan/vk.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nnrt::vulkan {

class Context;

// A shader as the device has it.
struct ShaderModule {
  Shader shader;
  std::span<const uint32_t> words;
  UniqueSetLayout set_layout;
  UniquePipelineLayout layout;
};

struct Pipeline {
  const ShaderModule* shader = nullptr;
  UniquePipeline pipeline;
  mutable std::atomic<bool> warm{false};  // dispatched before
};

// Thread safe. What it gives lives as long as it does.
class PipelineCache {
 public:
  static Result<std::unique_ptr<PipelineCache>> create(const Context& context);
  PipelineCache(const Context& context, UniquePipelineCache driver_cache);

  // Fails where the shader is unknown, or wants other buffers, push constants or local size than the dispatch
  // has: a mistake in a lowering.
  Result<const Pipeline*> get(const Dispatch& dispatch);

  // How many pipelines there are.
  size_t size() const;

  // What the driver would keep of all its pipelines; empty where that is nothing.
  Bytes export_driver_data() const;
  // Spares the driver work on pipelines to come. Ignored where another driver wrote it.
  void import_driver_data(ByteView data);

 private:
  using Key = std::tuple<std::string_view, std::vector<uint32_t>, Size3>;

  Result<const ShaderModule*> module(std::string_view name);
  Result<UniquePipeline> make_pipeline(const ShaderModule& module, const Dispatch& dispatch) const;

  const Context& context_;
  const UniquePipelineCache driver_cache_;
  mutable std::mutex mutex_;
  std::map<std::string_view, std::unique_ptr<ShaderModule>>
      modules_;  // names are those of the embedded table
  std::map<Key, std::unique_ptr<Pipeline>> pipelines_;
};

}  // namespace nnrt::vulkan
