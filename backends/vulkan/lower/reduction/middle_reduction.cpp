#include "backends/vulkan/lower/reduction/middle_reduction.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"

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

// A reduction of each of so many chunks of the length to a result of its own.
struct Pass {
  Reduction reduction;
  Middle shape;
  uint32_t chunks = 1;
  Buffer from, to;
};

uint32_t chunks_of(const Middle& shape) {
  return std::clamp(kEnough / shape.results(), 2u, (shape.length - 1) / kChunk + 1);
}

WhyNot why_not_two_pass(const LoweringContext&, const Pass& pass) {
  const Middle& shape = pass.shape;
  if (shape.length <= kChunk || shape.results() == 0)
    return {"Only {} elements give a result.", shape.length};
  if (shape.length <= kLong) return WhyNot::slower("Only {} elements give a result.", shape.length);
  if (shape.results() >= kEnough)
    return WhyNot::slower("{} results keep all processors busy.", shape.results());
  return {};
}

WhyNot why_not_vec4(const Pass& pass) {
  return pass.reduction.dtype == DType::f32 ? WhyNot() : "It is not of FLOAT32.";
}

WhyNot why_not_vec4_inner(const LoweringContext&, const Pass& pass) {
  if (const WhyNot why = why_not_vec4(pass)) return why;
  if (pass.shape.inner % 4 == 0) return {};
  return {"The {} elements behind the reduced dimensions are no multiple of 4.", pass.shape.inner};
}

WhyNot why_not_vec4_length(const LoweringContext&, const Pass& pass) {
  if (const WhyNot why = why_not_vec4(pass)) return why;
  const Middle& shape = pass.shape;
  if (shape.inner != 1) return {"There are {} elements behind the reduced dimensions.", shape.inner};
  return shape.length % 4 == 0 ? WhyNot() : WhyNot("The length ({}) is no multiple of 4.", shape.length);
}

Status add_pass(const LoweringContext& context, const Pass& pass, const Vectors& vectors) {
  const auto& [reduction, shape, chunks, from, to] = pass;
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
  return {};
}

Status add_two_passes(const LoweringContext& context, const Pass& pass);

constexpr Kernel<Pass> kReductions[] = {
    {"two_pass", why_not_two_pass, add_two_passes},
    {"vec4_inner", why_not_vec4_inner,
     [](const LoweringContext& context, const Pass& pass) {
       return add_pass(context, pass, {"reduce_f32_vec4", 1, 4});
     }},
    {"vec4_length", why_not_vec4_length,
     [](const LoweringContext& context, const Pass& pass) {
       return add_pass(context, pass, {"reduce_f32_vec4_row", 4, 1});
     }},
    {"scalar", nullptr,
     [](const LoweringContext& context, const Pass& pass) {
       return add_pass(context, pass, {variant("reduce", pass.reduction.dtype)});
     }},
};

constexpr std::span<const Kernel<Pass>> kAll(kReductions);
constexpr std::span<const Kernel<Pass>> kSinglePass = kAll.subspan(1);

Status add_two_passes(const LoweringContext& context, const Pass& pass) {
  const Middle& shape = pass.shape;
  const uint32_t chunks = chunks_of(shape);
  const size_t bytes = size_t(chunks) * shape.results() * size_of(pass.reduction.dtype);
  const Buffer partial = context.sink.scratch(bytes);
  Pass first{pass.reduction, shape, chunks, pass.from, partial};
  first.reduction.root = false;
  first.reduction.divisor = 1;
  first.reduction.factor = 1;
  Pass last{pass.reduction, {shape.outer, chunks, shape.inner}, 1, partial, pass.to};
  last.reduction.squares = false;
  NNRT_TRY(lower_by_list(kSinglePass, context, first));
  return lower_by_list(kSinglePass, context, last);
}

}  // namespace

Middle middle_of(const Shape& shape, size_t from, size_t to) {
  const size_t rank = shape.size();
  from = std::min(from, rank);
  to = std::min(to, rank);
  return {uint32_t(product(shape, 0, from)), uint32_t(product(shape, from, to)),
          uint32_t(product(shape, to, rank))};
}

std::vector<std::string_view> reduction_kernels() { return names_of(kAll); }

Status add_reduction(const LoweringContext& context, const Reduction& reduction, const Middle& shape,
                     Buffer from, Buffer to) {
  return lower_by_list(kAll, context, Pass{reduction, shape, 1, from, to});
}

}  // namespace nnrt::vulkan
