#include "tests/support/random/random_graph.h"

#include "core/base/bytes_of.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random.h"
#include "tests/support/random/random_node.h"
#include "tests/support/random/random_node_draft.h"
#include "tests/support/random/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nnrt::test {
namespace {

constexpr size_t kMaxElements = 10000;

}  // namespace

const std::vector<Op>& calm_operators() {
  static const std::vector<Op> all = {
      Op::add,
      Op::sub,
      Op::mul,
      Op::maximum,
      Op::minimum,
      Op::abs,
      Op::neg,
      Op::relu,
      Op::relu6,
      Op::tanh,
      Op::sigmoid,
      Op::hswish,
      Op::clip,
      Op::leaky_relu,
      Op::softmax,
      Op::reduce_mean,
      Op::reduce_max,
      Op::transpose,
      Op::reshape,
      Op::slice,
      Op::strided_slice,
      Op::concat,
      Op::stack,
      Op::split,
      Op::pad,
      Op::tile,
      Op::expand_dims,
      Op::squeeze,
      Op::flatten,
      Op::crop,
      Op::gather,
      Op::broadcast_to,
      Op::bias_add,
      Op::prelu,
      Op::batch_norm,
      Op::matmul,
      Op::max_pool,
      Op::avg_pool,
      Op::conv2d,
      Op::depthwise_conv2d_native,
      Op::resize_bilinear,
  };
  return all;
}

namespace {

size_t min_rank(Op op) {
  switch (op) {
    case Op::max_pool:
    case Op::avg_pool:
    case Op::conv2d:
    case Op::depthwise_conv2d_native:
    case Op::resize_bilinear: return 4;
    case Op::matmul:
    case Op::bias_add:
    case Op::batch_norm: return 2;
    default: return 1;
  }
}

class Drawing {
 public:
  explicit Drawing(uint32_t seed) : random_(seed) {
    text_ << "Random graph, seed " << seed << ":";
    for (int i = 0; i < 2; ++i) add_start();
  }

  void add_node() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      const size_t first = choose();
      const Op op = random_.of(calm_operators());
      // Operators that take [1] also take a scalar.
      if (std::max<size_t>(tensors_[first].shape.size(), 1) < min_rank(op)) continue;
      auto node = draw_node(op, uint32_t(random_.bits()), tensors_[first]);
      if (!node.ok() || !is_wanted(node.value())) continue;
      return add(node.value(), first);
    }
  }

  // Adds an identity of an earlier tensor whose result has any format.
  void add_identity() {
    const size_t first = choose();
    const Tensor& data = tensors_[first];
    Tensor result;
    result.dtype = data.dtype;
    result.shape = data.shape;
    result.format = random_.of<Format>({Format::none, Format::nhwc, Format::nchw, Format::nd});
    result.quant = data.quant;
    switch (random_.below(is_float(data.dtype) ? 4 : 2)) {
      case 0: return add_operation(Op::cast, first, constant({1}, std::vector{int32_t(data.dtype)}), result);
      case 1: return add_transposes(first, result);
      case 2: return add_operation(Op::mul, first, one(data.dtype), result);
      default: return add_operation(Op::div, first, one(data.dtype), result);
    }
  }

  RandomGraph finish() {
    std::vector<uint32_t> outputs;
    for (const size_t id : made_) {
      if (readers_[id] == 0 || random_.one_in(6)) outputs.push_back(uint32_t(id));
    }
    EXPECT_TRUE(builder_.specify(inputs_, outputs).ok());
    const Status status = builder_.finish();
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message) << text_.str();
    result_.graph = builder_.graph();
    result_.description = text_.str();
    return std::move(result_);
  }

 private:
  void add_start() {
    Tensor tensor;
    tensor.dtype = random_.of<DType>({DType::f32, DType::f32, DType::f32, DType::f16, DType::i32});
    tensor.format = random_.of<Format>({Format::none, Format::nhwc, Format::nchw});
    const bool image = random_.one_in(2);
    tensor.shape = image ? Shape{2, 5, 7, 3} : Shape(size_t(random_.between(1, 4)), 3);
    for (int64_t& size : tensor.shape) size = random_.of<int64_t>({1, 2, 3, 5, 7, 11});
    if (random_.one_in(6)) tensor.shape = Shape(random_.below(3), 1);
    feed(tensor, random_contents(random_, tensor.dtype, size_t(*element_count(tensor.shape)), Op::add, 0));
  }

  size_t feed(const Tensor& tensor, Bytes contents) {
    const size_t id = add(tensor);
    inputs_.push_back(uint32_t(id));
    widen_scale(tensor.dtype, contents);
    result_.fed.push_back(std::move(contents));
    text_ << "\n" << id << " is fed: " << describe(tensor);
    return id;
  }

  // Integers are compared exactly, and none is converted to float here.
  void widen_scale(DType dtype, ByteView contents) {
    if (is_float(dtype)) result_.scale = std::max(result_.scale, largest_magnitude(dtype, contents));
  }

  size_t add(const Tensor& tensor) {
    EXPECT_TRUE(builder_.add_tensor(tensor).ok());
    tensors_.push_back(tensor);
    readers_.push_back(0);
    return tensors_.size() - 1;
  }

  template <typename T>
  size_t constant(Shape shape, const std::vector<T>& values, DType dtype = DType::i32) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    tensor.data = std::make_shared<const Bytes>(bytes_of(values));
    return add(tensor);
  }

  size_t one(DType dtype) {
    if (dtype == DType::f16) return constant({1}, std::vector{to_half(1.0f)}, dtype);
    return constant({1}, std::vector{1.0f}, dtype);
  }

  // Transposes to a random order and back.
  void add_transposes(size_t first, const Tensor& result) {
    const Shape shape = tensors_[first].shape.empty() ? Shape{1} : tensors_[first].shape;
    std::vector<int32_t> order(shape.size()), back(shape.size());
    std::iota(order.begin(), order.end(), 0);
    random_.shuffle(order);
    Tensor between = result;
    between.shape = shape;
    for (size_t d = 0; d < order.size(); ++d) {
      back[size_t(order[d])] = int32_t(d);
      between.shape[d] = shape[size_t(order[d])];
    }
    const Shape length{int64_t(order.size())};
    add_operation(Op::transpose, first, constant(length, order), between);
    add_operation(Op::transpose, made_.back(), constant(length, back), result);
  }

  void add_operation(Op op, size_t first, size_t second, const Tensor& result) {
    const std::vector<uint32_t> inputs{uint32_t(first), uint32_t(second)}, outputs{uint32_t(add(result))};
    const Status status = builder_.add_operation(int(op), {}, inputs, outputs);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    for (const uint32_t id : inputs) ++readers_[id];
    made_.push_back(outputs[0]);
    text_ << "\n"
          << to_string(Shape(inputs.begin(), inputs.end())) << " -> [" << outputs[0] << "] " << name(op)
          << ", an identity: " << describe(result);
  }

  // Chooses a tensor to read, preferably a recent result.
  size_t choose() {
    std::vector<size_t> readable;
    for (size_t id = 0; id < tensors_.size(); ++id) {
      if (!tensors_[id].is_constant() && tensors_[id].role == 0) readable.push_back(id);
    }
    const size_t late = std::min<size_t>(readable.size(), random_.one_in(3) ? readable.size() : 3);
    return readable[readable.size() - 1 - random_.below(late)];
  }

  static bool is_wanted(const RandomNode& node) {
    const bool small = std::all_of(node.outputs.begin(), node.outputs.end(), [](const Tensor& output) {
      return size_t(*element_count(output.shape)) <= kMaxElements;
    });
    const bool one_dtype =
        schema(node.op).family != Family::binary || node.inputs[0].dtype == node.inputs[1].dtype;
    return small && one_dtype;
  }

  // An earlier result that matches this operand.
  std::optional<size_t> earlier(const Tensor& wanted) {
    for (size_t id = tensors_.size(); id-- > 0;) {
      const Tensor& tensor = tensors_[id];
      const bool same = tensor.dtype == wanted.dtype && tensor.shape == wanted.shape && tensor.role == 0;
      if (same && is_float(tensor.dtype) && !tensor.is_constant() && random_.one_in(2)) return id;
    }
    return std::nullopt;
  }

  size_t operand(const RandomNode& node, size_t i) {
    const Tensor& tensor = node.inputs[i];
    if (tensor.is_constant()) {
      widen_scale(tensor.dtype, node.contents[i]);
      return add(tensor);
    }
    const Domain domain = domain_of(node.op, i), wide{};
    const bool any = domain.min == wide.min && domain.max == wide.max;  // a variance is not negative
    if (const auto id = any ? earlier(tensor) : std::nullopt) return *id;
    return feed(tensor, node.contents[i]);
  }

  void add(const RandomNode& node, size_t first) {
    std::vector<uint32_t> inputs{uint32_t(first)}, params, outputs;
    for (size_t i = 1; i < node.inputs.size(); ++i) inputs.push_back(uint32_t(operand(node, i)));
    for (const Tensor& param : node.params) params.push_back(uint32_t(add(param)));
    for (const Tensor& output : node.outputs) outputs.push_back(uint32_t(add(output)));
    const Status status = builder_.add_operation(int(node.op), params, inputs, outputs);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    for (const uint32_t id : inputs) ++readers_[id];
    made_.insert(made_.end(), outputs.begin(), outputs.end());
    text_ << "\n"
          << to_string(Shape(inputs.begin(), inputs.end())) << " -> "
          << to_string(Shape(outputs.begin(), outputs.end())) << " " << describe(node);
  }

  Random random_;
  GraphBuilder builder_;
  std::vector<Tensor> tensors_;
  std::vector<size_t> readers_, made_;
  std::vector<uint32_t> inputs_;
  RandomGraph result_;
  std::ostringstream text_;
};

}  // namespace

bool can_read(Op calm, const Tensor& first) {
  return first.shape.size() >= min_rank(calm) && schema(calm).inputs[0].dtypes.contains(first.dtype);
}

RandomGraph draw_graph(uint32_t seed, Identities identities) {
  Drawing drawing(seed);
  Random random(seed);
  for (int64_t nodes = random.between(5, 20); nodes > 0; --nodes) {
    drawing.add_node();
    if (identities == Identities::some && random.one_in(4)) drawing.add_identity();
  }
  return drawing.finish();
}

}  // namespace nnrt::test
