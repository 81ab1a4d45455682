#include "backends/vulkan/lower/common/cast_command.h"

namespace nnrt::vulkan {
namespace {

struct CastPush {
  uint32_t count = 0, vectors = 0;
};

}  // namespace

void add_cast(const LoweringContext& context, Buffer x, DType from, Buffer y, DType to, uint32_t count) {
  const CastPush push{count, vectors_of(to, count)};
  context.sink.add(
      Dispatch{.shader = "cast",
               .constants = {uint32_t(from), uint32_t(size_of(from)), uint32_t(to), uint32_t(size_of(to))},
               .push = Push(push),
               .buffers = {x, y},
               .threads = threads_for(push.vectors, context.plan),
               .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
