// Every golden model can be built: the operation table accepts Android's own examples.
#include "tests/nnapi/runner/case.h"
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <filesystem>
#include <fstream>

namespace nnapi_tests {
namespace {

class Composer {
 public:
  explicit Composer(const Case& test) : test_(test), inner_(test.models.size()) {}

  int compose(const Graph& graph, Model& model) {
    model = new_model();
    for (const Operand& operand : graph.operands) {
      if (const int code = add(model, operand)) return code;
    }
    for (const Operation& operation : graph.operations) {
      if (const int code = add_operation(model, operation.code, operation.inputs, operation.outputs))
        return code;
    }
    if (const int code = identify(model, graph.inputs, graph.outputs)) return code;
    return finish(model);
  }

 private:
  int add(const Model& model, const Operand& operand) {
    const int32_t index = next_++;
    if (const int code =
            add_operand(model, Type(operand.type, operand.dims, operand.scale, operand.zeroPoint)))
      return code;
    if (operand.channelDim) {
      const ANeuralNetworksSymmPerChannelQuantParams params{
          *operand.channelDim, static_cast<uint32_t>(operand.scales.size()), operand.scales.data()};
      if (const int code =
              ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), index, &params))
        return code;
    }
    switch (operand.life) {
      case Life::None: return ANeuralNetworksModel_setOperandValue(model.get(), index, nullptr, 0);
      case Life::Constant:
        return ANeuralNetworksModel_setOperandValue(model.get(), index, operand.data.data(),
                                                    operand.data.size());
      case Life::Model: return add_inner(model, index, operand.model);
      default: return kOk;
    }
  }

  int add_inner(const Model& model, int32_t index, uint32_t inner) {
    if (inner_[inner] == nullptr) {
      const int32_t next = std::exchange(next_, 0);
      const int code = compose(test_.models[inner], inner_[inner]);
      next_ = next;
      if (code != kOk) return code;
    }
    return ANeuralNetworksModel_setOperandValueFromModel(model.get(), index, inner_[inner].get());
  }

  const Case& test_;
  std::vector<Model> inner_;
  int32_t next_ = 0;
};

TEST(GoldenModels, CanBeComposed) {
  size_t composed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NNAPI_GOLDEN_CASES)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const Case test = parseCase(line);
      if (test.expectFail) continue;
      Model model;
      EXPECT_EQ(Composer(test).compose(test.main, model), kOk) << test.name;
      ++composed;
    }
  }
  EXPECT_GT(composed, 2500u);
}

}  // namespace
}  // namespace nnapi_tests
