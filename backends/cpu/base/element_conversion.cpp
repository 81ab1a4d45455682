#include "backends/cpu/base/element_conversion.h"

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 16384;

}  // namespace

void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool) {
  dispatch_dtype(from, [&]<typename From>(std::type_identity<From>) {
    dispatch_dtype(to, [&]<typename To>(std::type_identity<To>) {
      pool.parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
        const From* x = reinterpret_cast<const From*>(source);
        To* y = reinterpret_cast<To*>(target);
        for (int64_t i = begin; i < end; ++i) y[i] = convert_element<To>(x[i]);
      });
    });
  });
}

ConvertedInput::ConvertedInput(const KernelArgs& args, size_t input, DType dtype) : data_(args.in[input]) {
  const DType own = args.node.dtype(input);
  if (own == dtype) return;
  const int64_t count = element_count(args.node.shape(input)).value_or(0);
  owned_.resize(size_t(count) * size_of(dtype));
  convert(own, data_, dtype, owned_.data(), count, args.pool);
  data_ = owned_.data();
}

}  // namespace nnrt::cpu
