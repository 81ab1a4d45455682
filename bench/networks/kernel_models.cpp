#include "networks/kernel_models.h"

#include <algorithm>
#include <numeric>

namespace bench {
namespace {

using conformance::Case;
using conformance::Shape;

template <typename... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  const auto append = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

// A kernel with this input shape, composed by a function on the stack.
Kernel of(std::string name, Shape input, const std::function<void(Stack&)>& compose, bool int8 = false) {
  return {name,
          [=] {
            Stack stack(name, {}, input, int8);
            compose(stack);
            return stack.finish();
          },
          int8};
}

Kernel product(int32_t rows, int32_t inner, int32_t columns, int32_t batch = 1) {
  return of(join("matmul/", batch > 1 ? join(batch, "x") : "", rows, "x", inner, "x", columns),
            {batch, rows, inner}, [=](Stack& stack) {
              stack.matmul(stack.add_input({batch, inner, columns}), false);
            });
}

// `rows` queries and `keys` keys and values with 64 channels in `heads` heads.
Kernel attention(int32_t heads, int32_t rows, int32_t keys) {
  constexpr int32_t kWidth = 64;
  return of(join("attention/", heads, "x", rows, "x", keys), {heads, rows, kWidth}, [=](Stack& stack) {
    const Value queries = stack.top();
    const Value right = stack.add_input({heads, keys, kWidth}),
                values = stack.add_input({heads, keys, kWidth});
    stack.back_to(queries);
    stack.matmul(right, true);
    stack.scale(0.125f);
    stack.softmax();
    stack.matmul(values, false);
  });
}

Kernel connection(int32_t rows, int32_t inner, int32_t columns) {
  return of(join("connect/", rows, "x", inner, "x", columns), {rows, inner},
            [=](Stack& stack) { stack.fully_connected(columns); });
}

Kernel convolution(int32_t size, int32_t from, int32_t to, int32_t kernel, int64_t stride = 1,
                   bool int8 = false, Activation activation = Activation::relu) {
  return of(
      join(activation == Activation::swish ? "swish/conv_"
           : int8                          ? "conv_int8/"
                                           : "conv/",
           kernel, "x", kernel, "_", from, "_", to, "_", size, stride > 1 ? "_s2" : ""),
      {1, size, size, from},
      [=](Stack& stack) {
        stack.convolve({.output = to, .kernel = kernel, .stride = stride, .activation = activation});
      },
      int8);
}

Kernel depthwise(int32_t size, int32_t channels, int32_t kernel, int64_t stride = 1,
                 Activation activation = Activation::relu6) {
  return of(join(activation == Activation::swish ? "swish/depthwise_" : "depthwise/", kernel, "x", kernel,
                 "_", channels, "_", size, stride > 1 ? "_s2" : ""),
            {1, size, size, channels},
            [=](Stack& stack) { stack.convolve_depthwise(kernel, stride, activation); });
}

// The same, on GPUs only.
Kernel only_on_gpus(Kernel kernel) {
  kernel.large = true;
  return kernel;
}

Kernel unary(std::string name, OH_NN_OperationType type, Shape shape) {
  return of(std::move(name), std::move(shape), [=](Stack& stack) { stack.unary(type); });
}

void add_gemms(std::vector<Kernel>& list) {
  list.push_back(product(512, 512, 512));
  list.push_back(product(1023, 1023, 1023));
  for (const int32_t size : {1024, 4096, 4099}) list.push_back(only_on_gpus(product(size, size, size)));
  list.push_back(product(128, 64, 128, 12));
  list.push_back(product(197, 64, 197, 12));
  for (const auto& [rows, inner, columns] : std::initializer_list<std::array<int32_t, 3>>{{512, 512, 512},
                                                                                          {128, 768, 768},
                                                                                          {128, 768, 3072},
                                                                                          {128, 3072, 768},
                                                                                          {64, 4608, 512},
                                                                                          {197, 768, 2304},
                                                                                          {1, 2048, 1000},
                                                                                          {1, 1023, 4099},
                                                                                          {8, 768, 3072}}) {
    list.push_back(connection(rows, inner, columns));
  }
}

void add_convolutions(std::vector<Kernel>& list) {
  list.push_back(convolution(224, 3, 64, 7, 2));
  for (const auto& [size, from, to, kernel] :
       std::initializer_list<std::array<int32_t, 4>>{{56, 64, 64, 3},
                                                     {28, 128, 128, 3},
                                                     {14, 256, 256, 3},
                                                     {7, 512, 512, 3},
                                                     {56, 64, 256, 1},
                                                     {28, 512, 128, 1},
                                                     {14, 1024, 256, 1},
                                                     {7, 512, 2048, 1},
                                                     {112, 16, 96, 1},
                                                     {56, 144, 24, 1},
                                                     {14, 64, 384, 1},
                                                     {7, 320, 1280, 1},
                                                     {13, 197, 211, 3},
                                                     {27, 99, 101, 1},
                                                     {1, 480, 120, 1}}) {
    list.push_back(convolution(size, from, to, kernel));
  }
  list.push_back(convolution(28, 128, 128, 3, 1, true));
  list.push_back(convolution(28, 512, 128, 1, 1, true));
  list.push_back(depthwise(112, 96, 3, 2));
  list.push_back(depthwise(56, 144, 3));
  list.push_back(depthwise(14, 384, 3));
  list.push_back(depthwise(14, 672, 5));
  list.push_back(convolution(112, 16, 96, 1, 1, false, Activation::swish));
  list.push_back(depthwise(56, 144, 3, 1, Activation::swish));
  list.push_back(depthwise(14, 672, 5, 1, Activation::swish));
}

// 16 MB per tensor: larger than the caches.
void add_elementwise(std::vector<Kernel>& list) {
  const Shape large{1, 256, 256, 64};
  list.push_back(unary("elementwise/relu", OH_NN_OPS_RELU, large));
  list.push_back(unary("elementwise/hswish", OH_NN_OPS_HSWISH, large));
  list.push_back(unary("elementwise/sigmoid", OH_NN_OPS_SIGMOID, large));
  list.push_back(unary("elementwise/gelu", OH_NN_OPS_GELU, large));
  list.push_back(of("elementwise/add", large, [=](Stack& stack) { stack.add(stack.add_input(large)); }));
  list.push_back(of("elementwise/mul_channels", large, [](Stack& stack) {
    stack.multiply(stack.add_input({1, 1, 1, 64}));
  }));
}

void add_norms(std::vector<Kernel>& list) {
  list.push_back(of("norm/softmax_1x1000", {1, 1000}, [](Stack& stack) { stack.softmax(); }));
  list.push_back(of("norm/softmax_12x128x128", {12, 128, 128}, [](Stack& stack) { stack.softmax(); }));
  for (const auto& [rows, length] :
       std::initializer_list<std::array<int32_t, 2>>{{4096, 1000}, {4099, 1023}, {197, 197}}) {
    list.push_back(
        of(join("norm/softmax_", rows, "x", length), {rows, length}, [](Stack& stack) { stack.softmax(); }));
  }
  for (const auto& [rows, length] :
       std::initializer_list<std::array<int32_t, 2>>{{128, 768}, {4096, 768}, {197, 1023}}) {
    list.push_back(of(join("norm/layer_norm_", rows, "x", length), {rows, length},
                      [](Stack& stack) { stack.layer_norm(); }));
  }
  list.push_back(
      of("pool/max_3x3_64_112", {1, 112, 112, 64}, [](Stack& stack) { stack.pool_max({.padding = 1}); }));
  list.push_back(of("pool/global_7x7_2048", {1, 7, 7, 2048}, [](Stack& stack) { stack.pool_globally(); }));
}

void add_movements(std::vector<Kernel>& list) {
  const Shape large{1, 256, 256, 32};
  for (const auto& [rows, columns] :
       std::initializer_list<std::array<int32_t, 2>>{{2048, 2048}, {1023, 4099}}) {
    list.push_back(of(join("move/transpose_", rows, "x", columns), {rows, columns}, [](Stack& stack) {
      stack.transpose({1, 0});
    }));
  }
  list.push_back(of("move/transpose_heads_197x12x64", {197, 12, 64}, [](Stack& stack) {
    stack.transpose({1, 0, 2});
  }));
  list.push_back(of("move/concat_channels", large, [=](Stack& stack) {
    const Value other = stack.add_input(large);
    stack.concat_channels({stack.top(), other});
  }));
  list.push_back(of("move/shuffle_channels", {1, 256, 256, 64}, [](Stack& stack) { stack.shuffle(2); }));
  list.push_back(of("move/shuffle_58_channels", {1, 128, 128, 58}, [](Stack& stack) { stack.shuffle(2); }));
}

void add_sequences(std::vector<Kernel>& list) {
  list.push_back(attention(12, 128, 128));
  list.push_back(attention(12, 197, 197));
  list.push_back(attention(12, 1, 1023));
  list.push_back(only_on_gpus(attention(12, 1024, 1024)));
  list.push_back(only_on_gpus(attention(12, 4096, 4096)));
  for (const auto& [steps, batch, width] :
       std::initializer_list<std::array<int32_t, 3>>{{32, 1, 256}, {32, 8, 256}, {33, 1, 197}}) {
    list.push_back(of(join("recurrent/lstm_", steps, "x", batch, "x", width), {steps, batch, width},
                      [width = width](Stack& stack) { stack.lstm(width); }));
  }
}

size_t element_bytes(OH_NN_DataType dtype) {
  switch (dtype) {
    case OH_NN_INT8: return 1;
    case OH_NN_FLOAT16: return 2;
    default: return sizeof(float);
  }
}

size_t bytes_of(const conformance::Tensor& tensor) {
  return element_bytes(tensor.dataType) * conformance::elementCount(tensor.shape).value();
}

// For GEMMs with weights, each output element is a sum over all dimensions of the weight but the first.
double operations_of(const Case& model, const conformance::Operation& operation) {
  const auto count = [&](uint32_t id) { return double(*conformance::elementCount(model.tensors[id].shape)); };
  const double outputs = count(operation.outputs[0]);
  switch (operation.type) {
    case OH_NN_OPS_CONV2D:
    case OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE:
    case OH_NN_OPS_FULL_CONNECTION:
      return 2 * outputs * count(operation.inputs[1]) / model.tensors[operation.inputs[1]].shape[0];
    case OH_NN_OPS_MATMUL: return 2 * outputs * model.tensors[operation.inputs[0]].shape.back();
    case OH_NN_OPS_LSTM: {  // each step multiplies all rows by both matrices
      const double rows = outputs / model.tensors[operation.outputs[0]].shape.back();
      return 2 * rows * (count(operation.inputs[1]) + count(operation.inputs[2]));
    }
    default: return 0;
  }
}

}  // namespace

std::vector<Kernel> kernels() {
  std::vector<Kernel> list;
  add_gemms(list);
  add_convolutions(list);
  add_elementwise(list);
  add_norms(list);
  add_movements(list);
  add_sequences(list);
  return list;
}

bool is_product(const Kernel& kernel) {
  constexpr std::string_view kKinds[] = {"matmul/", "connect/", "conv/", "conv_int8/", "depthwise/"};
  return std::ranges::any_of(kKinds, [&](std::string_view kind) { return kernel.name.starts_with(kind); });
}

Work work_of(const Case& model) {
  Work work;
  for (const conformance::Operation& operation : model.operations)
    work.operations += operations_of(model, operation);
  for (const conformance::Tensor& tensor : model.tensors) {
    if (tensor.data) work.bytes += double(tensor.data->size());
  }
  for (const auto& ids : {model.inputs, model.outputs}) {
    for (const uint32_t id : ids) work.bytes += double(bytes_of(model.tensors[id]));
  }
  return work;
}

}  // namespace bench
