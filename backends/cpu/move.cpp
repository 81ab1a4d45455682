// Movement operators: strided copies of elements, whatever their dtype. core/regions.h says which.
#include "backends/cpu/families.h"
#include "backends/cpu/requantize.h"
#include "backends/cpu/walk.h"
#include "core/regions.h"

#include <cstring>
#include <optional>

namespace nnrt::cpu {
namespace {

template <typename T>
void copy_run(const T* from, int64_t from_step, T* to, int64_t to_step, int64_t length) {
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, length, to);
  } else {
    for (int64_t i = 0; i < length; ++i) to[i * to_step] = from[i * from_step];
  }
}

template <typename T>
void copy_region(const CopyRegion& region, const T* from, T* to, ThreadPool& pool) {
  constexpr int64_t kGrain = 16384;
  const std::array strides{region.from_strides, region.to_strides};
  const int64_t from_step = region.from_strides.back(), to_step = region.to_strides.back();
  from += region.from_offset;
  to += region.to_offset;
  pool.parallel_for(element_count(region.shape).value_or(0), kGrain, [&](int64_t begin, int64_t end) {
    walk<2>(region.shape, strides, begin, end,
            [&](int64_t, const std::array<int64_t, 2>& at, int64_t length) {
              copy_run(from + at[0], from_step, to + at[1], to_step, length);
            });
  });
}

template <typename T>
void fill(const Bytes& element, const Shape& shape, T* to) {
  T value{};
  std::memcpy(&value, element.data(), sizeof(T));
  std::fill_n(to, element_count(shape).value_or(0), value);
}

template <typename T>
void run_program(const KernelArgs& args, const MoveProgram& program) {
  const NodeView& node = args.node;
  if (program.needs_fill) {
    const Bytes element = fill_element(node);
    for (size_t k = 0; k < node.output_count(); ++k) fill(element, node.output_shape(k), args.output<T>(k));
  }
  std::optional<CopiedInput> input;  // of the region before: regions of one input follow each other
  const CopyRegion* before = nullptr;
  for (const CopyRegion& region : program.regions) {
    if (!before || before->input != region.input || before->output != region.output)
      input.emplace(args, region.input, region.output);
    copy_region(region, reinterpret_cast<const T*>(input->data()), args.output<T>(region.output), args.pool);
    before = &region;
  }
}

Status move(const KernelArgs& args) {
  NNRT_ASSIGN(const MoveProgram program, move_program(args.node));
  dispatch_size(size_of(args.node.output(0).dtype),
                [&]<typename T>(std::type_identity<T>) { run_program<T>(args, program); });
  return {};
}

constexpr KernelRow kRows[] = {
    {Op::batch_to_space_nd, move},
    {Op::broadcast_to, move},
    {Op::concat, move},
    {Op::crop, move},
    {Op::depth_to_space, move},
    {Op::expand_dims, move},
    {Op::flatten, move},
    {Op::pad, move},
    {Op::reshape, move},
    {Op::slice, move},
    {Op::space_to_batch_nd, move},
    {Op::space_to_depth, move},
    {Op::split, move},
    {Op::squeeze, move},
    {Op::stack, move},
    {Op::strided_slice, move},
    {Op::tile, move},
    {Op::transpose, move},
    {Op::unsqueeze, move},
    {Op::unstack, move},
};

}  // namespace

std::span<const KernelRow> move_kernels() { return kRows; }

}  // namespace nnrt::cpu
