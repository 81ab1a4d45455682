// Peer of the CPU device: times Eigen. The convolutions, full connections and matrix products of
// each float network one after the other, and each model of kernels_bench, by Eigen::Matrix with OpenMP's
// threads ("matrix") and by Eigen::Tensor with Eigen's thread pool ("tensor"). Activations are NHWC.
// Threads: OMP_NUM_THREADS.
#define EIGEN_USE_THREADS
#include "networks/operation_parameters.h"
#include "product_benchmarks.h"

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

namespace {

using conformance::Operation;
using conformance::Shape;
using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// Column-major: dimensions of NHWC in reverse order.
template <int rank>
using Tensor = Eigen::Tensor<float, rank>;
template <int rank>
using Sizes = Eigen::array<Index, rank>;

enum class Way : uint8_t { matrix, tensor };

Eigen::ThreadPoolDevice& tensor_device() {
  static Eigen::ThreadPool pool(Eigen::nbThreads());
  static Eigen::ThreadPoolDevice device(&pool, Eigen::nbThreads());
  return device;
}

struct Convolution {
  Sizes<4> x, w, y;  // reversed: channels, width, height, images
  std::vector<int64_t> stride, pad;

  Index taps() const { return w[1] * w[2]; }
  Index pixels() const { return y[1] * y[2] * y[3]; }
};

auto patches_of(const Convolution& c, const Tensor<4>& x) {
  return x.extract_image_patches(c.w[1], c.w[2], c.stride[1], c.stride[0], 1, 1, 1, 1, c.pad[2], c.pad[3],
                                 c.pad[0], c.pad[1], 0.0f);
}

// Calls row(y's pixel, tap, x's pixel or null) for each pixel that a tap of a filter reads.
template <typename Row>
void for_each_tap(const Convolution& c, const Tensor<4>& x, const Row& row) {
#pragma omp parallel for
  for (Index pixel = 0; pixel < c.pixels(); ++pixel) {
    const Index column = pixel % c.y[1], line = pixel / c.y[1] % c.y[2], image = pixel / c.y[1] / c.y[2];
    for (Index tap = 0; tap < c.taps(); ++tap) {
      const Index h = line * c.stride[0] - c.pad[0] + tap / c.w[1];
      const Index w = column * c.stride[1] - c.pad[2] + tap % c.w[1];
      const bool inside = h >= 0 && h < c.x[2] && w >= 0 && w < c.x[1];
      row(pixel, tap, inside ? x.data() + ((image * c.x[2] + h) * c.x[1] + w) * c.x[0] : nullptr);
    }
  }
}

class Products {
 public:
  Products(const conformance::Case& network, Way way) : network_(network), way_(way) {
    for (const Operation& operation : network.operations) {
      switch (operation.type) {
        case OH_NN_OPS_CONV2D: {
          const Convolution c = convolution(operation, OH_NN_CONV2D_STRIDES, OH_NN_CONV2D_PAD);
          way == Way::matrix ? add_matrix_convolution(c) : add_tensor_convolution(c);
          break;
        }
        case OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE: {
          const Convolution c = convolution(operation, OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES,
                                            OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD);
          way == Way::matrix ? add_matrix_depthwise(c) : add_tensor_depthwise(c);
          break;
        }
        case OH_NN_OPS_FULL_CONNECTION: {
          const Shape &x = shape(operation.inputs[0]), &w = shape(operation.inputs[1]);
          add_gemm(x[0], w[1], w[0], false, true);
          break;
        }
        case OH_NN_OPS_MATMUL: add_batch(operation); break;
        default: break;
      }
    }
  }

  bool empty() const { return steps_.empty(); }
  void run() {
    for (const auto& step : steps_) step();
    benchmark::ClobberMemory();
  }

 private:
  const Shape& shape(uint32_t id) const { return network_.tensors[id].shape; }
  static Sizes<4> reversed(const Shape& s) { return {s[3], s[2], s[1], s[0]}; }
  Convolution convolution(const Operation& operation, OH_NN_TensorType strides, OH_NN_TensorType pad) const {
    return {reversed(shape(operation.inputs[0])), reversed(shape(operation.inputs[1])),
            reversed(shape(operation.outputs[0])), bench::integers_of(network_, operation, strides),
            bench::integers_of(network_, operation, pad)};
  }

  void add_batch(const Operation& operation) {
    const Shape &a = shape(operation.inputs[0]), &y = shape(operation.outputs[0]);
    const bool transpose_a = bench::is_set(network_, operation, OH_NN_MATMUL_TRANSPOSE_A);
    const bool transpose_b = bench::is_set(network_, operation, OH_NN_MATMUL_TRANSPOSE_B);
    const Index rows = y[y.size() - 2], columns = y.back();
    const Index inner = transpose_a ? a[a.size() - 2] : a.back();
    Index batch = 1;
    for (size_t i = 0; i + 2 < y.size(); ++i) batch *= y[i];
    for (Index i = 0; i < batch; ++i) add_gemm(rows, inner, columns, transpose_a, transpose_b);
  }

  void add_gemm(Index rows, Index inner, Index columns, bool transpose_a, bool transpose_b) {
    const Sizes<2> a_sizes = transpose_a ? Sizes<2>{inner, rows} : Sizes<2>{rows, inner};
    const Sizes<2> b_sizes = transpose_b ? Sizes<2>{columns, inner} : Sizes<2>{inner, columns};
    if (way_ == Way::matrix) {
      const auto a = std::make_shared<Matrix>(Matrix::Random(a_sizes[0], a_sizes[1]));
      const auto b = std::make_shared<Matrix>(Matrix::Random(b_sizes[0], b_sizes[1]));
      const auto y = std::make_shared<Matrix>(rows, columns);
      steps_.push_back([=] {
        if (transpose_a && transpose_b) y->noalias() = a->transpose() * b->transpose();
        if (transpose_a && !transpose_b) y->noalias() = a->transpose() * *b;
        if (!transpose_a && transpose_b) y->noalias() = *a * b->transpose();
        if (!transpose_a && !transpose_b) y->noalias() = *a * *b;
      });
      return;
    }
    using Rows = Eigen::Tensor<float, 2, Eigen::RowMajor>;
    const auto a = std::make_shared<Rows>(a_sizes), b = std::make_shared<Rows>(b_sizes);
    const auto y = std::make_shared<Rows>(rows, columns);
    a->setRandom();
    b->setRandom();
    const Eigen::array<Eigen::IndexPair<Index>, 1> pairs{{{transpose_a ? 0 : 1, transpose_b ? 1 : 0}}};
    steps_.push_back([=] { y->device(tensor_device()) = a->contract(*b, pairs); });
  }

  void add_matrix_convolution(const Convolution& c) {
    const auto x = random(c.x);
    const Index width = c.taps() * c.w[0];
    const auto filters = std::make_shared<Matrix>(Matrix::Random(c.w[3], width));
    const auto y = std::make_shared<Matrix>(c.pixels(), c.w[3]);
    if (c.taps() == 1 && c.x == Sizes<4>{c.w[0], c.y[1], c.y[2], c.y[3]}) {
      steps_.push_back([=] {
        const Eigen::Map<const Matrix> pixels(x->data(), c.pixels(), width);
        y->noalias() = pixels * filters->transpose();
      });
      return;
    }
    const auto patches = std::make_shared<Matrix>(c.pixels(), width);
    steps_.push_back([=] {
      for_each_tap(c, *x, [&](Index pixel, Index tap, const float* from) {
        auto to = patches->row(pixel).segment(tap * c.w[0], c.w[0]);
        if (from == nullptr) {
          to.setZero();
        } else {
          to = Eigen::Map<const Eigen::RowVectorXf>(from, c.w[0]);
        }
      });
      y->noalias() = *patches * filters->transpose();
    });
  }

  void add_tensor_convolution(const Convolution& c) {
    const auto x = random(c.x);
    const auto filters = std::make_shared<Tensor<2>>(c.taps() * c.w[0], c.w[3]);
    filters->setRandom();
    const auto y = std::make_shared<Tensor<2>>(c.w[3], c.pixels());
    const Eigen::array<Eigen::IndexPair<Index>, 1> pairs{{{0, 0}}};
    steps_.push_back([=] {
      const Sizes<2> columns{c.taps() * c.w[0], c.pixels()};
      y->device(tensor_device()) = filters->contract(patches_of(c, *x).reshape(columns), pairs);
    });
  }

  void add_matrix_depthwise(const Convolution& c) {
    const auto x = random(c.x);
    const auto filters = std::make_shared<Matrix>(Matrix::Random(c.taps(), c.x[0]));
    const auto y = std::make_shared<Matrix>(c.pixels(), c.x[0]);
    steps_.push_back([=] {
      for_each_tap(c, *x, [&](Index pixel, Index tap, const float* from) {
        auto to = y->row(pixel).array();
        if (tap == 0) to.setZero();
        if (from != nullptr)
          to += Eigen::Map<const Eigen::RowVectorXf>(from, c.x[0]).array() * filters->row(tap).array();
      });
    });
  }

  void add_tensor_depthwise(const Convolution& c) {
    const auto x = random(c.x);
    const auto filters = std::make_shared<Tensor<3>>(c.x[0], c.taps(), 1);
    filters->setRandom();
    const auto y = std::make_shared<Tensor<2>>(c.x[0], c.pixels());
    steps_.push_back([=] {
      const Sizes<3> sizes{c.x[0], c.taps(), c.pixels()}, repeats{1, 1, c.pixels()};
      y->device(tensor_device()) =
          (patches_of(c, *x).reshape(sizes) * filters->broadcast(repeats)).sum(Sizes<1>{1});
    });
  }

  static std::shared_ptr<Tensor<4>> random(const Sizes<4>& sizes) {
    auto tensor = std::make_shared<Tensor<4>>(sizes);
    tensor->setRandom();
    return tensor;
  }

  const conformance::Case& network_;
  Way way_;
  std::vector<std::function<void()>> steps_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const Way way : {Way::matrix, Way::tensor}) {
    bench::register_products(
        way == Way::matrix ? "/matrix" : "/tensor", false,
        [way](const conformance::Case& network, bool) { return Products(network, way); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
