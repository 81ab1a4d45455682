// Data movement operators: strided copies of elements of any dtype, as listed by
// core/schema/data_movement/copy_regions.h.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/base/strided_copy.h"

#include <cstring>
#include <optional>

namespace nnrt::cpu {
namespace {

template <typename T>
void fill(const Bytes& element, const Shape& shape, T* to) {
  T value{};
  std::memcpy(&value, element.data(), sizeof(T));
  std::fill_n(to, element_count(shape).value_or(0), value);
}

template <typename T>
void run_program(const KernelArgs& args, const CopyProgram& program) {
  const NodeView& node = args.node;
  if (program.needs_fill) {
    const Bytes element = fill_element(node);
    for (size_t k = 0; k < node.output_count(); ++k) fill(element, node.output_shape(k), args.output<T>(k));
  }
  std::optional<CopiedInput> input;  // input of the previous region; regions of one input are adjacent
  const CopyRegion* before = nullptr;
  for (const CopyRegion& region : program.regions) {
    if (!before || before->input != region.input || before->output != region.output)
      input.emplace(args, region.input, region.output);
    copy_region(region, reinterpret_cast<const T*>(input->data()), args.output<T>(region.output), args.pool);
    before = &region;
  }
}

Status move(const KernelArgs& args) {
  NNRT_ASSIGN(const CopyProgram program, copy_program(args.node));
  dispatch_size(size_of(args.node.output(0).dtype),
                [&]<typename T>(std::type_identity<T>) { run_program<T>(args, program); });
  return {};
}

constexpr KernelRow kDataMovementKernels[] = {
    {Op::batch_to_space_nd, move},
    {Op::broadcast_to, move},
    {Op::concat, move},
    {Op::crop, move},
    {Op::depth_to_space, move},
    {Op::expand_dims, move},
    {Op::flatten, move},
    {Op::pad, move},
    {Op::pad_edge, move},
    {Op::pad_wrap, move},
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

std::span<const KernelRow> data_movement_kernels() { return kDataMovementKernels; }

}  // namespace nnrt::cpu
