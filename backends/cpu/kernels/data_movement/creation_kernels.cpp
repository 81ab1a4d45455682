// Tensors created from shapes and parameters.
#include "backends/cpu/base/element_conversion.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "core/schema/operators/selections.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

int64_t output_count(const KernelArgs& args) { return element_count(args.node.output_shape()).value_or(0); }

Status fill(const KernelArgs& args) {
  const CopiedInput value(args, 0, 0);
  dispatch_size(size_of(args.node.dtype()), [&]<typename T>(std::type_identity<T>) {
    std::fill_n(args.output<T>(), output_count(args), *reinterpret_cast<const T*>(value.data()));
  });
  return {};
}

Status constant_of_shape(const KernelArgs& args) {
  const float value = float(args.node.attrs().real(Attr::value));
  dispatch_dtype(args.node.output(0).dtype, [&]<typename T>(std::type_identity<T>) {
    std::fill_n(args.output<T>(), output_count(args), convert_element<T>(value));
  });
  return {};
}

Status range(const KernelArgs& args) {
  NNRT_ASSIGN(const std::optional<Progression> range, progression(args.node));
  dispatch_dtype(args.node.output(0).dtype, [&]<typename T>(std::type_identity<T>) {
    T* const y = args.output<T>();
    for (int64_t i = 0; i < range->count; ++i)
      y[i] = range->is_real ? convert_element<T>(range->real_start + double(i) * range->real_delta)
                            : convert_element<T>(int64_t(range->start + uint64_t(i) * range->delta));
  });
  return {};
}

Status shape(const KernelArgs& args) {
  const Shape& dims = args.node.shape();
  std::transform(dims.begin(), dims.end(), args.output<int32_t>(), [](int64_t dim) { return int32_t(dim); });
  return {};
}

Status rank(const KernelArgs& args) {
  *args.output<int32_t>() = int32_t(args.node.shape().size());
  return {};
}

constexpr KernelRow kCreationKernels[] = {{Op::constant_of_shape, constant_of_shape},
                                          {Op::fill, fill},
                                          {Op::range, range},
                                          {Op::rank, rank},
                                          {Op::shape, shape}};

}  // namespace

std::span<const KernelRow> creation_kernels() { return kCreationKernels; }

}  // namespace nnrt::cpu
