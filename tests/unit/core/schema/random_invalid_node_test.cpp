// Valid nodes with one property broken are diagnosed.
#include "core/schema/graph_builder.h"
#include "core/schema/rules.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random.h"
#include "tests/support/random/random_node.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

namespace nnrt::test {
namespace {

constexpr uint32_t kNodes = 30;

// Breaks one property; false if the node does not have it.
using Break = std::function<bool(RandomNode&, Random&)>;

struct Breakage {
  std::string name;
  Break apply;
};

template <typename T>
T* any_of(std::vector<T>& all, Random& random, const std::function<bool(const T&)>& fits) {
  std::vector<T*> candidates;
  for (T& one : all) {
    if (fits(one)) candidates.push_back(&one);
  }
  return candidates.empty() ? nullptr : random.of(candidates);
}

const ParamRow& row_of(const RandomNode& node, const Tensor& param) {
  return *schema(node.op).param(param.role);
}

const InputRow& row_of(const RandomNode& node, size_t input) {
  const std::vector<InputRow>& rows = schema(node.op).inputs;
  return rows[std::min(input, rows.size() - 1)];
}

DType outside(DTypeSet set, Random& random) {
  for (;;) {
    const DType dtype = DType(random.between(1, kDTypeCount - 1));
    if (!set.contains(dtype)) return dtype;
  }
}

template <typename T>
void set_element(Tensor& tensor, size_t i, T value) {
  Bytes bytes(tensor.data->begin(), tensor.data->end());
  std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
}

void set_integer(Tensor& tensor, size_t i, int64_t value) {
  switch (size_of(tensor.dtype)) {
    case 1: return set_element(tensor, i, int8_t(value));
    case 4: return set_element(tensor, i, int32_t(value));
    default: return set_element(tensor, i, value);
  }
}

std::vector<Breakage> breakages() {
  return {
      {"an input's dtype",
       [](RandomNode& node, Random& random) {
         const size_t i = random.below(node.inputs.size());
         const DTypeSet taken = row_of(node, i).dtypes;
         if (taken == kAny || row_of(node, i).constant) return false;
         node.inputs[i].dtype = outside(taken, random);
         node.inputs[i].data = nullptr;
         return true;
       }},
      {"an input's dtype unlike the first",
       [](RandomNode& node, Random& random) {
         const size_t i = random.below(node.inputs.size());
         const InputRow& row = row_of(node, i);
         if (i == 0 || (row.same_as == kNone && !row.many)) return false;
         node.inputs[i].dtype = outside(node.inputs[i].dtype, random);
         node.inputs[i].data = nullptr;
         return true;
       }},
      {"an output's dtype",
       [](RandomNode& node, Random& random) {
         const size_t i = random.below(node.outputs.size());
         const std::vector<OutputRow>& rows = schema(node.op).outputs;
         const OutputRow& row = rows[std::min(i, rows.size() - 1)];
         const bool listed = row.rule == DTypeRule::fixed || row.rule == DTypeRule::from_attrs;
         if (listed && row.dtypes == kAny && node.op != Op::cast) return false;
         node.outputs[i].dtype =
             outside(listed && row.dtypes != kAny ? row.dtypes : node.outputs[i].dtype, random);
         return true;
       }},
      {"an output's dimension",
       [](RandomNode& node, Random& random) {
         Tensor* output =
             any_of<Tensor>(node.outputs, random, [](const Tensor& tensor) { return !tensor.shape.empty(); });
         if (output == nullptr) return false;
         output->shape[random.below(output->shape.size())] += random.between(1, 3);
         return true;
       }},
      {"an output's rank",
       [](RandomNode& node, Random& random) {
         Shape& shape = node.outputs[random.below(node.outputs.size())].shape;
         shape.insert(shape.begin(), 2, 1);
         return true;
       }},
      {"an input's dimension",
       [](RandomNode& node, Random& random) {
         const Family family = schema(node.op).family;  // a family in which every dimension matters
         const bool counts = family == Family::unary || family == Family::binary ||
                             family == Family::affine || family == Family::norm ||
                             family == Family::gemm_conv;
         Tensor* input = any_of<Tensor>(node.inputs, random, [](const Tensor& tensor) {
           return !tensor.is_constant() && !tensor.shape.empty();
         });
         if (!counts || input == nullptr) return false;
         const bool is_kernel = node.op != Op::full_connection &&
                                row_of(node, size_t(input - node.inputs.data())).name == "weight";
         if (is_kernel && family == Family::gemm_conv) return false;  // under SAME, any size is valid
         input->shape[random.below(input->shape.size())] += 101;
         return true;
       }},
      {"a rank above 8",
       [](RandomNode& node, Random&) {
         if (node.inputs[0].is_constant()) return false;
         node.inputs[0].shape.insert(node.inputs[0].shape.begin(), 9, 1);
         return true;
       }},
      {"a required parameter",
       [](RandomNode& node, Random& random) {
         Tensor* param = any_of<Tensor>(node.params, random,
                                        [&](const Tensor& tensor) { return row_of(node, tensor).required; });
         if (param == nullptr) return false;
         node.params.erase(node.params.begin() + (param - node.params.data()));
         return true;
       }},
      {"an axis out of range",
       [](RandomNode& node, Random& random) {
         if (node.op == Op::quant_dtype_cast) return false;  // only checked with several scales
         Tensor* param = any_of<Tensor>(node.params, random, [&](const Tensor& tensor) {
           return row_of(node, tensor).attr == Attr::axis || row_of(node, tensor).attr == Attr::axes;
         });
         if (param == nullptr) return false;
         set_integer(*param, 0, random.one_in(2) ? 99 : -99);
         return true;
       }},
      {"quantization parameters",
       [](RandomNode& node, Random& random) {
         if (!schema(node.op).quantized || node.inputs[0].dtype != DType::i8) return false;
         if (schema(node.op).family == Family::cast) return false;
         std::vector<Tensor*> coded;
         for (auto* group : {&node.inputs, &node.outputs}) {
           for (Tensor& tensor : *group) {
             if (tensor.dtype == DType::i8 && !tensor.quant.empty()) coded.push_back(&tensor);
           }
         }
         if (coded.size() < 2) return false;
         random.of(coded)->quant = {};
         return true;
       }},
      {"a scale",
       [](RandomNode& node, Random& random) {
         const OpSchema& row = schema(node.op);
         if (!row.quantized && !row.copy) return false;
         Tensor* input = any_of<Tensor>(
             node.inputs, random, [&](const Tensor& tensor) { return has_quantized_values(row, tensor); });
         if (input == nullptr) return false;
         input->quant.scales[0] = random.of<double>({0, -1, std::numeric_limits<double>::infinity()});
         return true;
       }},
      {"a layout",
       [](RandomNode& node, Random&) {
         if (!schema(node.op).layout_dependent) return false;
         const Format apart = node.op == Op::instance_norm ? Format::nhwc : Format::nchw;
         node.outputs[0].format = node.inputs[0].format == apart ? Format::nd : apart;
         return true;
       }},
  };
}

class RandomInvalidNodes : public testing::TestWithParam<Op> {
 protected:
  // The seeds of valid nodes, each with one property broken.
  void break_with(const Breakage& breakage) {
    size_t refused = 0;
    for (uint32_t seed = 0; seed < test::draws(kNodes); ++seed) {
      RandomNode node = valid_node(GetParam(), seed, refused);
      Random random(seed + 1);
      if (!breakage.apply(node, random)) continue;
      expect_refused(node, breakage);
      if (HasFailure()) return;
    }
  }

  void expect_refused(const RandomNode& node, const Breakage& breakage) {
    SCOPED_TRACE("Broken is " + breakage.name + " of " + describe(node));
    GraphBuilder builder;
    std::vector<uint32_t> params, inputs, outputs, fed;
    for (auto [group, ids] : {std::pair(&node.inputs, &inputs), std::pair(&node.params, &params),
                              std::pair(&node.outputs, &outputs)}) {
      for (const Tensor& tensor : *group) {
        ids->push_back(uint32_t(builder.tensor_count()));
        if (group == &node.inputs && !tensor.is_constant()) fed.push_back(ids->back());
        ASSERT_TRUE(builder.add_tensor(tensor).ok());
      }
    }
    const Status added = builder.add_operation(int(node.op), params, inputs, outputs);
    // AddOperation also checks shapes and dtypes of some operators' operands (R4).
    const bool sees_more = schema(node.op).operation_check != nullptr;
    ASSERT_TRUE(added.ok() || sees_more) << added.error().message;
    if (added.ok()) {
      expect_diagnosis(builder, fed, outputs);
    } else {
      EXPECT_EQ(added.error().code, Code::invalid_parameter);
    }
  }

  static void expect_diagnosis(GraphBuilder& builder, std::vector<uint32_t> fed,
                               const std::vector<uint32_t>& outputs) {
    if (fed.empty()) {
      fed.push_back(uint32_t(builder.tensor_count()));
      Tensor unused;
      unused.dtype = DType::f32;
      ASSERT_TRUE(builder.add_tensor(std::move(unused)).ok());
    }
    ASSERT_TRUE(builder.specify(fed, outputs).ok());
    ASSERT_TRUE(builder.finish().ok());
    const auto& diagnosis = builder.graph()->nodes[0].diagnosis;
    ASSERT_TRUE(diagnosis) << "Nothing is wrong with it.";
    EXPECT_TRUE(diagnosis->code == Code::invalid_parameter || diagnosis->code == Code::unsupported);
  }
};

TEST_P(RandomInvalidNodes, AreDiagnosed) {
  for (const Breakage& breakage : breakages()) break_with(breakage);
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomInvalidNodes, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt::test
