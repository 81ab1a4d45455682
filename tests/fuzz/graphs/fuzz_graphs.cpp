// Models chosen by bytes, built through the C API and run on a GPU and on the CPU with each of its
// instruction sets: return codes and shapes must be equal, and values close. Without a GPU, only the CPU's
// instruction sets are compared.
#include "backends/cpu/simd/isa.h"
#include "core/base/text.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/graphs/drawn_model.h"

#include <cstdio>
#include <cstdlib>

namespace nnrt::test {
namespace {

constexpr size_t kMaxElements = 1 << 15;  // over all tensors: a run takes milliseconds

std::vector<Bytes> fed_to(const ApiModel& model) {
  std::vector<Bytes> fed;
  for (const uint32_t id : model.inputs) fed.push_back(model.contents[id]);
  return fed;
}

double scale_of(const ApiModel& model, const Outcome& outcome) {
  double scale = 1;
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    const Tensor& tensor = model.tensors[i];
    if (!is_float(tensor.dtype)) continue;
    if (tensor.data) scale = std::max(scale, largest_magnitude(tensor.dtype, *tensor.data));
    scale = std::max(scale, largest_magnitude(tensor.dtype, model.contents[i]));
  }
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    const DType dtype = model.tensors[model.outputs[i]].dtype;
    if (is_float(dtype)) scale = std::max(scale, largest_magnitude(dtype, outcome.outputs[i]));
  }
  return scale;
}

// Describes the difference, if any.
std::optional<std::string> disagreement(const DrawnModel& drawn, const Outcome& got, const Outcome& want) {
  if (got.build != want.build) return cat("Build answers ", got.build, ", not ", want.build);
  if (got.run != want.run) return cat("RunSync answers ", got.run, ", not ", want.run);
  if (got.shapes != want.shapes) return std::string("the shapes of outputs differ");
  if (!drawn.tolerances || want.run != OH_NN_SUCCESS) return std::nullopt;
  const double scale = scale_of(drawn.model, want);
  for (size_t i = 0; i < want.outputs.size(); ++i) {
    const DType dtype = drawn.model.tensors[drawn.model.outputs[i]].dtype;
    const auto wrong = difference(dtype, got.outputs[i], want.outputs[i], (*drawn.tolerances)[i], scale);
    if (wrong) return cat("output ", i, ": ", *wrong);
  }
  return std::nullopt;
}

Outcome run_on(OH_NNModel* model, size_t device, std::span<const Bytes> fed) {
  const import::CompilationHandle compilation(OH_NNCompilation_Construct(model));
  return build_and_run(compilation.get(), device, fed);
}

void expect_agreement(const DrawnModel& drawn, const Outcome& got, const Outcome& want,
                      std::string_view whose) {
  const auto wrong = disagreement(drawn, got, want);
  if (!wrong) return;
  std::fprintf(stderr, "%.*s and the CPU's baseline: %s.\n%s", int(whose.size()), whose.data(),
               wrong->c_str(), describe(drawn.model).c_str());
  std::abort();
}

void check(const DrawnModel& drawn) {
  static const std::optional<size_t> cpu = device_of(OH_NN_CPU), gpu = device_of(OH_NN_GPU);
  const import::ModelHandle model = make(drawn.model);
  if (model == nullptr) return;
  const std::vector<Bytes> fed = fed_to(drawn.model);
  Outcome want;
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::vnni,
                             cpu::Isa::amx, cpu::Isa::dotprod}) {
    if (!cpu::has_isa(isa)) continue;
    const cpu::IsaLimit limit(isa);
    Outcome got = run_on(model.get(), *cpu, fed);
    if (isa == cpu::Isa::baseline)
      want = std::move(got);
    else
      expect_agreement(drawn, got, want, cpu::kIsaNames[size_t(isa)]);
  }
  if (gpu) expect_agreement(drawn, run_on(model.get(), *gpu, fed), want, "The GPU");
}

}  // namespace
}  // namespace nnrt::test

FUZZ_TARGET(graphs)(const uint8_t* data, size_t size) {
  using namespace nnrt::test;
  Random random(std::span(data, size));
  const DrawnModel drawn = draw_model(random);
  const nnrt::GraphPtr graph = graph_of(drawn.model);
  if (graph != nullptr && is_small(*graph, kMaxElements)) check(drawn);
  return 0;
}
