// A limited number of unused pipelines is kept for later models.
#include "backends/vulkan/pipeline/pipeline_cache.h"

#include "tests/device/device_fixture.h"

namespace nnrt::test {
namespace {

using vulkan::Dispatch;
using vulkan::PipelineCache;
using vulkan::PipelinePtr;

// A small shader's pipeline for this workgroup size.
Dispatch dispatch_of(uint32_t invocations) {
  struct LiteralPush {
    std::array<uint32_t, 9> words{};
  };
  Dispatch dispatch{
      .shader = "literal", .constants = {}, .push = vulkan::Push(LiteralPush()), .buffers = {{}}};
  dispatch.local = {invocations, 1, 1};
  return dispatch;
}

class PipelineCacheOfADevice : public testing::Test {
 protected:
  PipelinePtr get(uint32_t invocations) {
    const Dispatch dispatch = dispatch_of(invocations);
    const Dispatch* const wanted = &dispatch;
    auto found = cache_.get({&wanted, 1}, [this](const Dispatch&, const PipelinePtr&) {
      ++made_;
      return Status();
    });
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? found.value()[0] : nullptr;
  }

  const std::shared_ptr<vulkan::VulkanDevice> device_ = make_device();
  const vulkan::ContextPtr context_ = device_->context().value();
  PipelineCache& cache_ = context_->pipelines();
  size_t made_ = 0;
};

TEST_F(PipelineCacheOfADevice, EvictsUnusedLeastRecentlyUsed) {
  constexpr uint32_t kMany = PipelineCache::kMaxUnused + 40;
  const PipelinePtr held = get(1);
  const VkPipeline handle = held->pipeline.get();
  for (uint32_t n = 2; n <= kMany; ++n) {
    get(n);
    get(2);
    EXPECT_LE(cache_.size(), PipelineCache::kMaxUnused + 2);
  }
  EXPECT_EQ(made_, kMany);
  EXPECT_EQ(get(1)->pipeline.get(), handle);
  get(2);
  get(kMany);
  EXPECT_EQ(made_, kMany);
  get(3);
  EXPECT_EQ(made_, kMany + 1);
}

TEST_F(PipelineCacheOfADevice, KeepsHeldPipelines) {
  constexpr uint32_t kMany = PipelineCache::kMaxUnused + 20;
  std::vector<PipelinePtr> held;
  for (uint32_t n = 1; n <= kMany; ++n) held.push_back(get(n));
  EXPECT_EQ(cache_.size(), kMany);
  for (uint32_t n = 1; n <= kMany; ++n) EXPECT_EQ(get(n), held[n - 1]);
  EXPECT_EQ(made_, kMany);
}

}  // namespace
}  // namespace nnrt::test
