#include "backends/vulkan/lower/reduction.h"

#include "backends/vulkan/lower/common.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLong = 1024;    // elements that one invocation should not reduce alone,
constexpr uint32_t kChunk = 256;    // so few that it may,
constexpr uint32_t kEnough = 1024;  // and invocations that suffice to keep a device busy

struct ReducePush {
  uint32_t count = 0;
  uint32_t length = 0, chunk = 0, chunks = 0, inner = 0;
  uint32_t divisor = std::bit_cast<uint32_t>(1.0F);  // a float; an integer for INT64
  float factor = 1;
};

// How many elements a load takes, and along which dimension.
struct Vectors {
  std::string_view shader;
  uint32_t along_length = 1, along_inner = 1;
};

Vectors vectors_of(DType dtype, const Middle& shape) {
  if (dtype != DType::f32) return {variant("reduce", dtype)};
  if (shape.inner % 4 == 0) return {"reduce_f32_vec4", 1, 4};
  if (shape.inner == 1 && shape.length % 4 == 0) return {"reduce_f32_vec4_row", 4, 1};
  return {"reduce_f32"};
}

uint32_t chunks_of(const Middle& shape) {
  if (shape.length <= kLong || shape.results() >= kEnough) return 1;
  return std::clamp(kEnough / shape.results(), 2u, (shape.length - 1) / kChunk + 1);
}

void add_step(const LoweringContext& context, const Reduction& reduction, const Middle& shape,
              uint32_t chunks, Buffer from, Buffer to) {
  const Vectors vectors = vectors_of(reduction.dtype, shape);
  ReducePush push;
  push.length = shape.length / vectors.along_length;
  push.chunk = (push.length - 1) / chunks + 1;
  push.chunks = chunks;
  push.inner = shape.inner / vectors.along_inner;
  push.count = shape.outer * chunks * push.inner;
  const bool integer = reduction.dtype == DType::i64;
  push.divisor = integer ? reduction.divisor : std::bit_cast<uint32_t>(float(reduction.divisor));
  push.factor = reduction.factor;
  const uint32_t work = reduction.dtype == DType::boolean ? words_of(DType::boolean, push.count) : push.count;
  context.sink.add(Dispatch{.shader = by_texels(vectors.shader, context.plan),
                            .constants = {uint32_t(reduction.op), reduction.squares, reduction.root},
                            .push = Push(push),
                            .buffers = {from, to},
                            .threads = threads_for(work, context.plan, group_of_long(context.plan)),
                            .local = {group_of_long(context.plan), 1, 1}});
}

}  // namespace

Middle middle_of(const Shape& shape, size_t from, size_t to) {
  const size_t rank = shape.size();
  from = std::min(from, rank);
  to = std::min(to, rank);
  return {uint32_t(product(shape, 0, from)), uint32_t(product(shape, from, to)),
          uint32_t(product(shape, to, rank))};
}

void add_reduction(const LoweringContext& context, const Reduction& reduction, const Middle& shape,
                   Buffer from, Buffer to) {
  const uint32_t chunks = chunks_of(shape);
  if (chunks == 1) return add_step(context, reduction, shape, 1, from, to);
  const Middle rest{shape.outer, chunks, shape.inner};
  const Buffer partial = context.sink.scratch(size_t(chunks) * shape.results() * size_of(reduction.dtype));
  Reduction first = reduction;
  first.root = false;
  first.divisor = 1;
  first.factor = 1;
  Reduction last = reduction;
  last.squares = false;
  add_step(context, first, shape, chunks, from, partial);
  add_step(context, last, rest, 1, partial, to);
}

}  // namespace nnrt::vulkan
