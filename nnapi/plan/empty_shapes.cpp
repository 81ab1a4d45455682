#include "nnapi/plan/empty_shapes.h"

#include "core/base/text.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>

namespace nnrt::nnapi {
namespace {

std::optional<Shape> known_shape(uint32_t operand, const Values& values, const HostValues& host) {
  if (values[operand]) return values[operand]->shape;
  if (host[operand] && !host[operand]->omitted) return host[operand]->shape;
  return {};
}

// The operands, with dimensions of 0 replaced by `length`.
class StretchedOperands final : public KnownOperands {
 public:
  StretchedOperands(GraphWriter& writer, const Model& model, KnownOperands& known, const Values& values,
                    const HostValues& host, int64_t length)
      : writer_(writer), model_(model), known_(known), values_(values), host_(host), length_(length) {}

  bool is_there(uint32_t operand) override { return known_.is_there(operand); }
  std::optional<Contents> contents(uint32_t operand) override { return known_.contents(operand); }
  void require_indices(uint32_t, int64_t) override {}
  bool require_regions(const RegionLimits&) override { return true; }
  Value value(uint32_t operand) override {
    const Operand& described = model_.operands[operand];
    const DType dtype = core_dtype(described.type.code);
    auto shape = known_shape(operand, values_, host_);
    if (!shape && described.source == Source::constant)
      return writer_.constant(dtype, or_one(core_shape(described.type.dimensions)), core_bytes(described),
                              core_quant(described));
    Shape stretched = or_one(shape.value_or(Shape()));
    std::ranges::replace(stretched, 0, length_);
    return writer_.input(dtype, std::move(stretched), core_quant(described));
  }

 private:
  GraphWriter& writer_;
  const Model& model_;
  KnownOperands& known_;
  const Values& values_;
  const HostValues& host_;
  int64_t length_;
};

}  // namespace

bool has_other_parts(const Operation& operation, const Values& values, const HostValues& host) {
  if (operation.code != ANEURALNETWORKS_CONCATENATION) return false;
  return std::any_of(operation.inputs.begin(), operation.inputs.end() - 1, [&](uint32_t operand) {
    const auto shape = known_shape(operand, values, host);
    return !shape || std::ranges::find(*shape, 0) == shape->end();
  });
}

Result<std::optional<std::vector<Shape>>> shapes_without_elements(const Model& model,
                                                                  const Operation& operation,
                                                                  LowerFunction function,
                                                                  KnownOperands& known, const Values& values,
                                                                  const HostValues& host) {
  std::vector<Shape> shapes[2];
  for (const int64_t length : {1, 2}) {
    GraphWriter writer;
    StretchedOperands stretched(writer, model, known, values, host, length);
    Lowering lowering(writer, model, operation, stretched);
    function(lowering);
    if (lowering.is_blocked()) return std::optional<std::vector<Shape>>();
    NNRT_TRY(writer.status());
    for (const auto& result : lowering.results())
      shapes[length - 1].push_back(result ? Shape(result->shape) : Shape());
  }
  std::vector<Shape> results = shapes[0];
  for (size_t i = 0; i < results.size(); ++i) {
    if (shapes[1][i].size() != results[i].size()) return invalid("An operation's rank depends on elements.");
    for (size_t d = 0; d < results[i].size(); ++d) {
      const int64_t one = shapes[0][i][d], two = shapes[1][i][d];
      results[i][d] = one == kUnknown ? 0 : std::max<int64_t>(2 * one - two, 0);
    }
  }
  return std::optional(std::move(results));
}

}  // namespace nnrt::nnapi
