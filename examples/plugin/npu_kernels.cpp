#include "npu_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace npu {
namespace {

float activated(float x, uint32_t activation) {
  switch (activation) {
    case hdi::ACTIVATION_TYPE_RELU: return std::max(x, 0.0f);
    case hdi::ACTIVATION_TYPE_RELU6: return std::min(std::max(x, 0.0f), 6.0f);
    case hdi::ACTIVATION_TYPE_SIGMOID: return 1 / (1 + std::exp(-x));
    case hdi::ACTIVATION_TYPE_TANH: return std::tanh(x);
    default: return x;
  }
}

// The element of a tensor broadcast to `dims` at index `at`.
uint64_t broadcast(const Tensor& tensor, const std::array<int64_t, 4>& dims, uint64_t at) {
  uint64_t position = 0, stride = 1;
  for (size_t d = 4; d-- > 0;) {
    const uint64_t index = at % uint64_t(dims[d]);
    at /= uint64_t(dims[d]);
    if (tensor.dims[d] > 1) position += index * stride;
    stride *= uint64_t(tensor.dims[d]);
  }
  return position;
}

// Matrix product y = a * b; either operand may be transposed.
void multiply(const Step& step, const Tensor& a, const Tensor& b, const float* x, const float* w,
              const float* bias, const Tensor& y, float* out) {
  const int64_t rows = y.dims[2], columns = y.dims[3];
  const int64_t inner = step.transpose_a ? a.dims[2] : a.dims[3];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < columns; ++k) {
      float sum = bias == nullptr ? 0 : bias[k];
      for (int64_t n = 0; n < inner; ++n) {
        sum += x[step.transpose_a ? n * a.dims[3] + i : i * a.dims[3] + n] *
               w[step.transpose_b ? k * b.dims[3] + n : n * b.dims[3] + k];
      }
      out[i * columns + k] = sum;
    }
  }
}

struct Taps {
  int64_t begin, end, first;  // taps inside the input, and the position of tap 0
};

// The taps of one axis inside the input. The kernel may be far larger than the input.
Taps taps(const SpatialParams& spatial, size_t axis, int64_t at, int64_t size) {
  const int64_t step = spatial.dilation[axis], first = at * spatial.stride[axis] - spatial.before[axis];
  const int64_t begin = first >= 0 ? 0 : (-first + step - 1) / step;
  const int64_t end = first >= size ? 0 : (size - first + step - 1) / step;
  return {begin, std::min(end, spatial.kernel[axis]), first};
}

// Calls body(tap index, input index) for taps inside the input.
template <typename Body>
void for_spatial_params(const SpatialParams& spatial, const Tensor& x, int64_t row, int64_t column,
                        const Body& body) {
  const Taps rows = taps(spatial, 0, row, x.dims[1]), columns = taps(spatial, 1, column, x.dims[2]);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const int64_t h = rows.first + i * spatial.dilation[0];
    for (int64_t k = columns.begin; k < columns.end; ++k) {
      const int64_t w = columns.first + k * spatial.dilation[1];
      body(i * spatial.kernel[1] + k, h * x.dims[2] + w);
    }
  }
}

void slide(const Step& step, const Tensor& x, const Tensor& y, const float* in, const float* weight,
           const float* bias, float* out) {
  const int64_t channels = x.dims[3], plane = x.dims[1] * x.dims[2];
  const int64_t taps = step.spatial.kernel[0] * step.spatial.kernel[1];
  for (int64_t at = 0; at < int64_t(y.elements); ++at) {
    const int64_t c = at % y.dims[3], column = at / y.dims[3] % y.dims[2];
    const int64_t row = at / (y.dims[3] * y.dims[2]) % y.dims[1];
    const float* image = in + at / (y.dims[3] * y.dims[2] * y.dims[1]) * plane * channels;
    float result = weight == nullptr ? -std::numeric_limits<float>::infinity() : bias[c];
    for_spatial_params(step.spatial, x, row, column, [&](int64_t tap, int64_t position) {
      if (weight == nullptr) {
        const float value = image[position * channels + c];
        result = std::isnan(value) || value > result ? value : result;
        return;
      }
      for (int64_t n = 0; n < channels; ++n)
        result += image[position * channels + n] * weight[(c * taps + tap) * channels + n];
    });
    out[at] = result;
  }
}

void softmax(const Tensor& x, const float* in, float* out) {
  const uint64_t length = uint64_t(x.dims[3]);
  for (uint64_t at = 0; at < x.elements; at += length) {
    float max = in[at], sum = 0;
    for (uint64_t i = 0; i < length; ++i) max = std::max(max, in[at + i]);
    for (uint64_t i = 0; i < length; ++i) sum += out[at + i] = std::exp(in[at + i] - max);
    for (uint64_t i = 0; i < length; ++i) out[at + i] /= sum;
  }
}

}  // namespace

void run(const Step& step, const std::vector<Tensor>& tensors, const std::vector<float*>& data) {
  const auto tensor = [&](size_t i) -> const Tensor& { return tensors[step.inputs[i]]; };
  const auto input = [&](size_t i) { return i < step.input_count ? data[step.inputs[i]] : nullptr; };
  const Tensor& y = tensors[step.output];
  float* out = data[step.output];
  const auto combine = [&](auto operation) {
    for (uint64_t at = 0; at < y.elements; ++at)
      out[at] =
          operation(input(0)[broadcast(tensor(0), y.dims, at)], input(1)[broadcast(tensor(1), y.dims, at)]);
  };
  switch (step.kernel) {
    case Kernel::add: combine(std::plus()); break;
    case Kernel::sub: combine(std::minus()); break;
    case Kernel::mul: combine(std::multiplies()); break;
    case Kernel::activation: std::copy(input(0), input(0) + y.elements, out); break;
    case Kernel::product: multiply(step, tensor(0), tensor(1), input(0), input(1), input(2), y, out); break;
    case Kernel::conv2d: slide(step, tensor(0), y, input(0), input(1), input(2), out); break;
    case Kernel::max_pool: slide(step, tensor(0), y, input(0), nullptr, nullptr, out); break;
    case Kernel::softmax: softmax(tensor(0), input(0), out); break;
  }
  for (uint64_t at = 0; at < y.elements; ++at) out[at] = activated(out[at], step.activation);
}

}  // namespace npu
