// ASSERT; DETECTION_POST_PROCESS is in detection.cpp.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/kernels/detection.h"

#include <algorithm>
#include <sstream>

namespace nnrt::cpu {
namespace {

std::string in_parentheses(const std::string& name) { return name.empty() ? "" : " (" + name + ")"; }

// The first elements of the data, as many as the client requested.
std::string summary(const KernelArgs& args) {
  const int64_t count = element_count(args.node.shape(1)).value_or(0);
  const int64_t wanted = args.node.attrs().integer(Attr::summarize);
  const int64_t shown = wanted < 0 ? count : std::min(wanted, count);
  if (shown == 0) return "";
  std::ostringstream text;
  text.exceptions(std::ios::badbit);
  text << " The data" << in_parentheses(args.node.input(1).name) << " begins with";
  dispatch_dtype(args.node.dtype(1), [&]<typename T>(std::type_identity<T>) {
    for (int64_t i = 0; i < shown; ++i) text << (i > 0 ? ", " : " ") << +widen(args.input<T>(1)[i]);
  });
  return std::move(text).str() + ".";
}

Status assert_condition(const KernelArgs& args) {
  if (*args.input<uint8_t>(0) == 0)
    return Error{Code::failed, "The condition does not hold." + summary(args)};
  const CopiedInput data(args, 1, 0);
  const size_t bytes = size_t(element_count(args.node.shape(1)).value_or(0)) * size_of(args.node.dtype(1));
  std::copy_n(data.data(), bytes, args.out[0]);
  return {};
}

constexpr KernelRow kSpecialKernels[] = {{Op::assert_, assert_condition},
                                         {Op::detection_post_process, detection_post_process}};

}  // namespace

std::span<const KernelRow> special_kernels() { return kSpecialKernels; }

}  // namespace nnrt::cpu
