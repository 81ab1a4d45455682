// Runs allocate no memory after the first one.
#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<bool> is_counting = false;
std::atomic<int> allocations = 0;
void count_allocation() {
  if (is_counting.load(std::memory_order_relaxed)) ++allocations;
}
}  // namespace

// Replaces operator new in this program. GCC warns about a mismatch if only one of new and delete is inlined.
[[gnu::noinline]] void* operator new(size_t bytes) {
  count_allocation();
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// Sanitizers provide their own, whose memory must not reach the operators below.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  count_allocation();
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  count_allocation();
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

namespace nnrt::test {
namespace {

std::vector<float> values(int64_t count) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = float(int(i * 37 % 101) - 50) / 100;
  return result;
}

// Layers in sequence on a 20 x 20 x 32 image.
class Layers {
 public:
  Layers() : top_(maker_.input(shape_, DType::f32, Format::nhwc)) {}

  Layers& convolve(int64_t channels, int64_t kernel) {
    return add(Op::conv2d, {weights({channels, kernel, kernel, shape_[3]}), weights({channels})},
               {1, shape_[1], shape_[2], channels}, {maker_.parameter<int8_t>(14, DType::i8, {0})});
  }
  Layers& convolve_channels() {
    return add(Op::depthwise_conv2d_native, {weights({shape_[3], 3, 3, 1}), weights({shape_[3]})}, shape_,
               {maker_.parameter<int8_t>(27, DType::i8, {0})});
  }
  Layers& unary(Op op) { return add(op, {}, shape_, {}); }
  Layers& add_first() { return add(Op::add, {first_}, shape_, {}); }
  Layers& keep_first() {
    first_ = top_;
    return *this;
  }
  Layers& pool(Op op, int first_parameter) {
    return add(op, {}, {1, shape_[1] / 2, shape_[2] / 2, shape_[3]},
               {maker_.parameter<int64_t>(first_parameter, DType::i64, {2, 2}),
                maker_.parameter<int64_t>(first_parameter + 1, DType::i64, {2, 2}),
                maker_.parameter<int8_t>(first_parameter + 2, DType::i8, {1})});
  }
  Layers& connect(int64_t outputs) {
    const int64_t inputs = *element_count(shape_);
    add(Op::flatten, {}, {1, inputs}, {});
    return add(Op::full_connection, {weights({outputs, inputs}), weights({outputs})}, {1, outputs}, {});
  }
  GraphPtr finish() { return normalize(maker_.finish({top_})); }

 private:
  TensorId weights(const Shape& shape) { return maker_.floats(shape, values(*element_count(shape))); }
  Layers& add(Op op, std::vector<TensorId> inputs, const Shape& shape,
              const std::vector<TensorId>& parameters) {
    inputs.insert(inputs.begin(), top_);
    top_ =
        maker_.op(op, inputs, shape, parameters, DType::f32, shape.size() == 4 ? Format::nhwc : Format::none);
    shape_ = shape;
    return *this;
  }

  GraphMaker maker_;
  Shape shape_{1, 20, 20, 32};
  TensorId top_, first_ = 0;
};

int allocations_of_runs(const GraphPtr& graph) {
  const auto model = cpu::make_device()->prepare(graph, {}).value();
  const auto view_of = [](const Shape& shape) {
    const size_t bytes = size_t(*element_count(shape)) * sizeof(float);
    return TensorView{SharedMemory::create(bytes).value(), 0, bytes, shape};
  };
  const TensorView input = view_of(graph->shapes[graph->inputs[0]]);
  std::vector<OutputSlot> outputs{{view_of(graph->shapes[graph->outputs[0]]), false}};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(model->run(std::span(&input, 1), outputs, {}).ok());
  allocations = 0;
  is_counting = true;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(model->run(std::span(&input, 1), outputs, {}).ok());
  is_counting = false;
  return allocations;
}

TEST(Allocations, AreCounted) {
  is_counting = true;
  allocations = 0;
  ::operator delete(::operator new(100));  // compilers may elide new expressions, but not this call
  is_counting = false;
  EXPECT_GE(allocations, 1);
}

TEST(Allocations, NoneInARunOfAResidualNetwork) {
  EXPECT_EQ(allocations_of_runs(Layers()
                                    .convolve(32, 3)
                                    .unary(Op::relu)
                                    .keep_first()
                                    .convolve(48, 1)
                                    .unary(Op::relu6)
                                    .convolve(32, 3)
                                    .add_first()
                                    .unary(Op::relu)
                                    .pool(Op::max_pool, 36)
                                    .connect(10)
                                    .finish()),
            0);
}

TEST(Allocations, NoneInARunOfAMobileNetwork) {
  EXPECT_EQ(allocations_of_runs(Layers()
                                    .convolve(40, 1)
                                    .unary(Op::hswish)
                                    .convolve_channels()
                                    .unary(Op::relu6)
                                    .convolve(24, 1)
                                    .pool(Op::avg_pool, 2)
                                    .unary(Op::sigmoid)
                                    .connect(16)
                                    .unary(Op::softmax)
                                    .finish()),
            0);
}

}  // namespace
}  // namespace nnrt::test
