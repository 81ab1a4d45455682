// The pipelines of a device, created once and shared by all models.
#pragma once

#include "backends/vulkan/device/vk_handle.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nnrt::vulkan {

class Context;

struct ShaderModule {
  EmbeddedShader shader;
  UniqueSetLayout set_layout;
  UniquePipelineLayout layout;
};

struct Pipeline {
  const ShaderModule* shader = nullptr;
  UniquePipeline pipeline;
  mutable std::atomic<bool> warm{false};  // was dispatched before
};
// Commands recorded with a pipeline must hold it until the device is done.
using PipelinePtr = std::shared_ptr<const Pipeline>;

// Thread safe. Keeps a limited number of unused pipelines for later models.
class PipelineCache {
 public:
  // Most unused pipelines to keep; the least recently requested ones go first. A software driver needs about
  // a megabyte for each.
  static constexpr size_t kMaxUnused = 64;

  static Result<std::unique_ptr<PipelineCache>> create(const Context& context);
  PipelineCache(const Context& context, UniquePipelineCache driver_cache);

  // Returns the dispatches' pipelines in order, creating several at a time. Calls `ready` once for each
  // pipeline that is not warm, as soon as it exists. Fails if a shader is unknown, or if buffers, push
  // constants or local size do not match the dispatch, which would be a bug in a lowering.
  using Ready = std::function<Status(const Dispatch&, const PipelinePtr&)>;
  Result<std::vector<PipelinePtr>> get(std::span<const Dispatch* const> dispatches, const Ready& ready);

  size_t size() const;

  // The driver's cache data of all pipelines; may be empty.
  Bytes export_driver_data() const;
  // Speeds up the creation of pipelines. Ignored if the data come from another driver.
  void import_driver_data(ByteView data);

 private:
  using Key = std::tuple<std::string_view, std::vector<uint32_t>, Size3, uint32_t, uint32_t>;

  struct Entry {
    Pipeline pipeline;
    std::mutex mutex;        // held while the pipeline is created
    uint64_t last_used = 0;  // value of uses_
  };
  using EntryPtr = std::shared_ptr<Entry>;
  // The driver keeps pipelines in the cache as long as it exists.
  using DriverCache = std::shared_ptr<const UniquePipelineCache>;

  Result<EntryPtr> find(const Dispatch& dispatch);
  void drop_unused();
  DriverCache driver_cache() const;
  Status complete(Entry& entry, const Dispatch& dispatch) const;
  Result<const ShaderModule*> module(std::string_view name);
  Result<UniquePipeline> make_pipeline(const ShaderModule& module, const Dispatch& dispatch) const;

  const Context& context_;
  mutable std::mutex mutex_;
  DriverCache driver_cache_;
  size_t dropped_ = 0;  // pipelines dropped since the driver's cache was created
  uint64_t uses_ = 0;
  std::map<std::string_view, std::unique_ptr<ShaderModule>> modules_;  // names point into the embedded table
  std::map<Key, EntryPtr> pipelines_;
};

}  // namespace nnrt::vulkan
