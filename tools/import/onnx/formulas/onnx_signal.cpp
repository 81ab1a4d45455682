// Signal processing: window weights, and DFTs as matrix products.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nnrt::import::onnx {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int64_t kMaxLength = int64_t{1} << 20;

// A single-element constant in [min, kMaxLength].
int64_t length_of(Call& call, size_t input, int64_t min) {
  const List<int64_t> given = call.integers(input);
  if (given.size() != 1 || given[0] < min || given[0] > kMaxLength)
    fail(damaged("Input ", input, " is not one element in [", min, ", ", kMaxLength, "]."));
  return given[0];
}

DType output_type(Call& call) {
  const int64_t type = call.attributes.integer("output_datatype", 1);
  return required(dtype_of(static_cast<int32_t>(std::clamp<int64_t>(type, 0, 1000))));
}

// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n)
Ids weights(Call& call, double a0, double a1, double a2) {
  const int64_t length = length_of(call, 0, 1);
  const DType dtype = output_type(call);
  const bool periodic = call.attributes.flag("periodic", true);
  const auto divisor = static_cast<double>(std::max<int64_t>(periodic ? length : length - 1, 1));
  List<double> numbers;
  for (int64_t i = 0; i < length; ++i) {
    const double angle = kTurn * static_cast<double>(i) / divisor;
    numbers.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  return {call.constant(dtype, {length}, numbers)};
}

Ids hann(Call& call) { return weights(call, 0.5, 0.5, 0); }
Ids hamming(Call& call) { return weights(call, 25.0 / 46, 21.0 / 46, 0); }
Ids blackman(Call& call) { return weights(call, 0.42, 0.5, 0.08); }

// Triangular filters, equally spaced on the mel scale.
Ids mel_weights(Call& call) {
  const int64_t bands = length_of(call, 0, 1), length = length_of(call, 1, 1), rate = length_of(call, 2, 1);
  const List<double> low = call.numbers(3), high = call.numbers(4);
  const DType dtype = output_type(call);
  if (low.size() != 1 || high.size() != 1) fail(damaged("The edges are not scalars."));
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const int64_t bins = length / 2 + 1;
  if (bins * bands > kMaxLength) fail(unsupported("A matrix of ", bins, " x ", bands, " is not supported."));
  const double step = (mel(high[0]) - mel(low[0])) / static_cast<double>(bands + 2);
  List<double> corners;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(low[0])) / 2595) - 1);
    corners.push_back(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
  }
  List<double> numbers(static_cast<size_t>(bins * bands), 0.0);
  for (int64_t band = 0; band < bands; ++band) {
    const auto i = static_cast<size_t>(band);
    const double left = corners[i], middle = corners[i + 1], right = corners[i + 2];
    for (int64_t bin = 0; bin < bins; ++bin) {
      const auto x = static_cast<double>(bin);
      double& weight = numbers[static_cast<size_t>(bin * bands + band)];
      if (left == middle && x == middle) weight = 1;
      if (x >= left && x <= middle && left < middle) weight = (x - left) / (middle - left);
      if (x > middle && x < right) weight = (right - x) / (right - middle);
    }
  }
  return {call.constant(dtype, {bins, bands}, numbers)};
}

struct Transform {
  int64_t length = 0, bins = 0;
  double direction = -1, factor = 1;
  bool from_half = false;  // the input is half a spectrum, the result real

  int64_t terms() const { return from_half ? length / 2 + 1 : length; }
  // How many terms of the whole spectrum one of the half stands for.
  int weight(int64_t term) const { return from_half && term != 0 && 2 * term != length ? 2 : 1; }
};

// Cosine or sine matrix [given, bins]; terms that are not given are 0.
TensorId waves(Call& call, DType dtype, const Transform& transform, int64_t given, bool sine) {
  const int64_t rows = std::min(given, transform.terms());
  if (rows * transform.bins > kMaxLength)
    fail(unsupported("A transform of ", rows, " x ", transform.bins, " is not supported."));
  List<double> numbers;
  for (int64_t row = 0; row < rows; ++row) {
    const double factor = transform.factor * transform.weight(row);
    for (int64_t bin = 0; bin < transform.bins; ++bin) {
      const auto part =
          static_cast<double>(row * bin % transform.length) / static_cast<double>(transform.length);
      const double angle = transform.direction * kTurn * part;
      numbers.push_back((sine ? std::sin(angle) : std::cos(angle)) * factor);
    }
  }
  return call.constant(dtype, {rows, transform.bins}, numbers);
}

// Transforms the last dimension; `imaginary` may be absent. The result gets a last dimension of 2, or of 1 if
// it is real.
TensorId transformed(Call& call, TensorId real, std::optional<TensorId> imaginary,
                     const Transform& transform) {
  const int64_t given = call.length(real, -1), last = call.rank(real) - 1;
  const DType dtype = call.dtype(real);
  const TensorId cosines = waves(call, dtype, transform, given, false);
  const TensorId sines = waves(call, dtype, transform, given, true);
  const auto cut = [&](TensorId x) { return call.slice(x, last, 0, std::min(given, transform.terms())); };
  real = cut(real);
  TensorId a = call.matmul(real, cosines);
  if (imaginary) a = call.sub(a, call.matmul(cut(*imaginary), sines));
  a = call.unsqueeze(a, {last + 1});
  if (transform.from_half) return a;
  TensorId b = call.matmul(real, sines);
  if (imaginary) b = call.add(b, call.matmul(cut(*imaginary), cosines));
  return call.concat({a, call.unsqueeze(b, {last + 1})}, last + 1);
}

// The real or the imaginary part of x, whose last dimension has both.
TensorId part_of(Call& call, TensorId x, int64_t part) {
  return call.gather(x, call.number(DType::i64, static_cast<double>(part)), call.rank(x) - 1);
}

Ids dft(Call& call) {
  const TensorId x = call.input(0);
  const int64_t parts = call.length(x, -1), rank = call.rank(x);
  if (rank < 2 || parts > 2) fail(damaged("The last dimension (", parts, ") is neither 1 nor 2."));
  constexpr int64_t kAxisInput = 20;
  int64_t axis = call.attributes.integer("axis", 1);
  if (call.opset() >= kAxisInput) {
    axis = -2;
    const List<int64_t> given = call.has(2) ? call.integers(2) : List<int64_t>();
    if (given.size() == 1) axis = given[0];
  }
  axis = call.axis(axis, rank);
  if (axis == rank - 1) fail(damaged("The axis (", axis, ") is the axis of real and imaginary parts."));
  const bool inverse = call.attributes.flag("inverse"), onesided = call.attributes.flag("onesided");
  if (onesided && parts != (inverse ? 2 : 1))
    fail(damaged("A one-sided transform ", inverse ? "to" : "of", " real numbers has an input with a last ",
                 "dimension of ", parts, "."));
  Transform transform{.from_half = inverse && onesided};
  transform.length = transform.from_half ? 2 * (call.length(x, axis) - 1) : call.length(x, axis);
  if (call.has(1)) transform.length = length_of(call, 1, 1);
  if (transform.length < 1)
    fail(damaged("The length of the transform (", transform.length, ") is not positive."));
  transform.bins = onesided && !inverse ? transform.length / 2 + 1 : transform.length;
  if (inverse) transform.direction = 1;
  if (inverse) transform.factor = 1 / static_cast<double>(transform.length);
  const auto part = [&](int64_t i) {
    List<int64_t> order;
    for (int64_t d = 0; d < rank - 1; ++d) {
      if (d != axis) order.push_back(d);
    }
    order.push_back(axis);
    return call.transpose(part_of(call, x, i), order);
  };
  const TensorId real = part(0);
  std::optional<TensorId> imaginary;
  if (parts == 2) imaginary = part(1);
  const TensorId y = transformed(call, real, imaginary, transform);
  List<int64_t> back;
  for (int64_t d = 0; d < rank - 1; ++d) back.push_back(d < axis ? d : d == axis ? rank - 2 : d - 1);
  back.push_back(rank - 1);
  return {call.transpose(y, back)};
}

// Slices the signal into frames, applies the window and transforms.
Ids stft(Call& call) {
  TensorId x = call.input(0);
  const int64_t step = length_of(call, 1, 1);
  const int64_t parts = call.rank(x) == 3 ? call.length(x, 2) : 1;
  if (parts != 1 && parts != 2) fail(damaged("The last dimension (", parts, ") is neither 1 nor 2."));
  if (call.rank(x) == 2) x = call.unsqueeze(x, {2});
  const int64_t samples = call.length(x, 1);
  Transform transform;
  if (call.has(3)) {
    transform.length = length_of(call, 3, 1);
  } else if (call.has(2)) {
    transform.length = call.length(call.input(2), 0);
  }
  if (transform.length < 1 || transform.length > samples)
    fail(damaged("The frame length (", transform.length, ") is outside [1, ", samples, "]."));
  const bool onesided = call.attributes.flag("onesided", true);
  if (onesided && parts == 2) fail(damaged("A one-sided transform of a complex signal has no meaning."));
  transform.bins = onesided ? transform.length / 2 + 1 : transform.length;
  const int64_t frames = (samples - transform.length) / step + 1;
  if (frames * transform.length > kMaxLength) fail(unsupported(frames, " frames are not supported."));
  List<double> positions;
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (int64_t i = 0; i < transform.length; ++i) positions.push_back(static_cast<double>(frame * step + i));
  }
  const TensorId indices = call.constant(DType::i64, {frames, transform.length}, positions);
  const auto framed = [&](int64_t part) {
    const TensorId frames_of_part = call.gather(part_of(call, x, part), indices, 1);
    return call.has(2) ? call.mul(frames_of_part, call.input(2)) : frames_of_part;
  };
  const TensorId real = framed(0);
  std::optional<TensorId> imaginary;
  if (parts == 2) imaginary = framed(1);
  return {transformed(call, real, imaginary, transform)};
}

}  // namespace

std::vector<Row> signal_rows() {
  return {
      {"BlackmanWindow", blackman},     {"DFT", dft},   {"HammingWindow", hamming}, {"HannWindow", hann},
      {"MelWeightMatrix", mel_weights}, {"STFT", stft},
  };
}

}  // namespace nnrt::import::onnx
