// Runs a single node with given operands on its CPU kernel, without the engine. Unset parameters have the
// defaults of the operator table.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel.h"
#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace nnrt::test {

class NodeMaker {
 public:
  explicit NodeMaker(Op op) {
    node_.op = op;
    for (const ParamRow& row : schema(op).params) {
      if (!row.default_value.empty()) set(row.attr, is_float(first_dtype(row)), row.default_value);
    }
  }

  template <typename T>
  NodeMaker& input(Shape shape, const std::vector<T>& values, Quant quant = {},
                   Format format = Format::none) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    Tensor tensor = described(kDTypeOf<T>, std::move(shape), std::move(quant));
    tensor.format = format;
    tensor.data = std::make_shared<const Bytes>(bytes, bytes + values.size() * sizeof(T));
    node_.inputs.push_back(add(std::move(tensor)));
    return *this;
  }
  NodeMaker& integer(Attr attr, std::initializer_list<double> values) { return set(attr, false, values); }
  template <size_t n>
  NodeMaker& integer(Attr attr, const std::array<int64_t, n>& values) {
    return set(attr, false, {values.begin(), values.end()});
  }
  NodeMaker& real(Attr attr, double value) { return set(attr, true, {value}); }
  NodeMaker& floats(Attr attr, std::initializer_list<double> values) { return set(attr, true, values); }
  NodeMaker& output(DType dtype, Shape shape, Quant quant = {}) {
    node_.outputs.push_back(add(described(dtype, std::move(shape), std::move(quant))));
    return *this;
  }

  // A post-op; with `other`, its second operand is the last added input.
  NodeMaker& post_ops(Op op, bool other = false) {
    PostOp step{.op = op, .attrs = NodeMaker(op).node_.attrs, .other = {}, .swapped = false};
    if (other) step.other = uint32_t(node_.inputs.size() - 1);
    node_.post_ops.push_back(std::move(step));
    return *this;
  }

  // Runs the kernel; on error, adds a test failure and returns false.
  bool run() {
    for (const Tensor& tensor : graph_.tensors) graph_.shapes.push_back(tensor.shape);
    std::vector<const std::byte*> values = constant_values(graph_), in;
    for (const TensorId id : node_.inputs) in.push_back(values[id]);
    std::vector<std::byte*> out;
    results_.resize(node_.outputs.size());
    for (size_t k = 0; k < node_.outputs.size(); ++k) {
      const Tensor& tensor = graph_.tensors[node_.outputs[k]];
      results_[k].assign(size_t(*element_count(tensor.shape)) * size_of(tensor.dtype), std::byte{0xcd});
      out.push_back(results_[k].data());
    }
    const cpu::Kernel kernel = cpu::kernel(node_.op);
    if (kernel == nullptr) {
      ADD_FAILURE() << name(node_.op) << " has no kernel";
      return false;
    }
    const NodeView view(graph_, node_, graph_.shapes, values);
    cpu::ThreadPool& pool = cpu::ThreadPool::shared();
    cpu::Scratch scratch(pool.threads());
    const KernelSwitch kernels = cpu::kernel_switch();
    const Status status = kernel({view, in, out, pool, nullptr, &scratch, false, &kernels});
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return status.ok();
  }

  // The results of run().
  template <typename T>
  std::vector<T> result(size_t k = 0) const {
    std::vector<T> values(results_[k].size() / sizeof(T));
    std::memcpy(values.data(), results_[k].data(), results_[k].size());
    return values;
  }
  template <typename T>
  std::vector<T> run_for() {
    return run() ? result<T>() : std::vector<T>{};
  }

 private:
  static DType first_dtype(const ParamRow& row) {
    return row.dtypes.contains(DType::f32) ? DType::f32 : DType::i64;
  }
  NodeMaker& set(Attr attr, bool real, std::vector<double> values) {
    AttrValue value{.dtype = real ? DType::f32 : DType::i64, .integers = {}, .floats = {}};
    for (const double number : values) {
      if (real) {
        value.floats.push_back(number);
      } else {
        value.integers.push_back(int64_t(number));
      }
    }
    node_.attrs.set(attr, std::move(value));
    return *this;
  }
  static Tensor described(DType dtype, Shape shape, Quant quant) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    tensor.quant = std::move(quant);
    return tensor;
  }
  TensorId add(Tensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return TensorId(graph_.tensors.size() - 1);
  }

  Graph graph_;
  Node node_;
  std::vector<Bytes> results_;
};

inline std::vector<float> floats(const std::vector<Half>& values) {
  std::vector<float> result;
  for (const Half value : values) result.push_back(to_float(value));
  return result;
}

// Within 1e-6, relative and absolute; NaN equals only NaN.
inline void expect_near(const std::vector<float>& got, const std::vector<float>& want,
                        float tolerance = 1e-6f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(want[i])) {
      EXPECT_LE(std::fabs(got[i] - want[i]), tolerance * (1 + std::fabs(want[i])))
          << "element " << i << ": " << got[i];
    } else if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << ": " << got[i];
    } else {
      EXPECT_EQ(got[i], want[i]) << "element " << i;
    }
  }
}

}  // namespace nnrt::test
