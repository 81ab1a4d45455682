// MediaPipe's landmark region operators against their definitions.
#include "tests/import/tflite_writer.h"

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

using Numbers = std::vector<double>;
using Write = std::function<void(flexbuffers::Builder&)>;

std::vector<uint8_t> options(const Write& write) {
  flexbuffers::Builder builder;
  builder.Map([&] { write(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

void add_list(flexbuffers::Builder& builder, const char* name, const std::vector<int>& values) {
  builder.TypedVector(name, [&] {
    for (const int value : values) builder.Int(value);
  });
}

void check(const std::string& name, const std::vector<Operand>& operands, const Operand& result,
           std::vector<uint8_t> bytes, double tolerance) {
  check_run(custom_operator(name, operands, {result}, std::move(bytes)), operands, {result}, {}, tolerance);
}

// Eight landmarks with three values each.
const Numbers kLandmarks{3, 4, 1, 9, 7, 2, 5, 1, 3, 2, 8, 4, 6, 6, 5, 1, 2, 6, 8, 3, 7, 4, 9, 8};

Numbers product(const Numbers& a, const Numbers& b, size_t n) {
  Numbers c(n * n, 0);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}

Numbers rotation(double r) { return {std::cos(r), -std::sin(r), 0, std::sin(r), std::cos(r), 0, 0, 0, 1}; }
Numbers shift(double x, double y) { return {1, 0, x, 0, 1, y, 0, 0, 1}; }
Numbers scale(double x, double y) { return {x, 0, 0, 0, y, 0, 0, 0, 1}; }

Numbers as_4x4(const Numbers& m) {
  return {m[0], m[1], 0, m[2], m[3], m[4], 0, m[5], 0, 0, 1, 0, 0, 0, 0, 1};
}

// The bounding box of landmarks rotated by r.
struct Box {
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};

  Box(const std::vector<int>& subset, double r) {
    for (const int i : subset) {
      const double x = kLandmarks[size_t(i) * 3], y = kLandmarks[size_t(i) * 3 + 1];
      const double rotated[] = {x * std::cos(r) - y * std::sin(r), x * std::sin(r) + y * std::cos(r)};
      for (size_t d = 0; d < 2; ++d) {
        low[d] = std::min(low[d], rotated[d]);
        high[d] = std::max(high[d], rotated[d]);
      }
    }
  }
  double size(size_t d) const { return high[d] - low[d]; }
  double middle(size_t d) const { return (low[d] + high[d]) / 2; }
};

// Version 2: from the region's center, scaled and rotated, to the center of the box.
Numbers second_matrix(int left, int right, double target, const std::vector<int>& subset, double sx,
                      double sy, double width, double height) {
  const size_t l = size_t(left) * 3, r = size_t(right) * 3;
  const double turn =
      target - std::atan2(kLandmarks[r + 1] - kLandmarks[l + 1], kLandmarks[r] - kLandmarks[l]);
  const Box box(subset, turn);
  const Numbers back = rotation(-turn);
  const double x = back[0] * box.middle(0) + back[1] * box.middle(1),
               y = back[3] * box.middle(0) + back[4] * box.middle(1);
  Numbers m = product(shift(x, y), back, 3);
  m = product(m, scale(sx * box.size(0) / width, sy * box.size(1) / height), 3);
  return as_4x4(product(m, shift(-width / 2, -height / 2), 3));
}

Write second_options(int left, int right, double target, const std::vector<int>& subset) {
  return [=](flexbuffers::Builder& builder) {
    builder.Int("left_rotation_idx", left);
    builder.Int("right_rotation_idx", right);
    builder.Float("target_rotation_radians", float(target));
    builder.Int("output_height", 12);
    builder.Int("output_width", 16);
    builder.Float("scale_x", 1.5f);
    builder.Float("scale_y", 1.25f);
    add_list(builder, "subset_idxs", subset);
  };
}

const std::vector<int> kSubset{0, 1, 2, 3, 5, 7};

// The interpolated image at a point; 0 beyond the centers of the border pixels.
double sampled(const Operand& image, double x, double y, int channel) {
  const int height = image.shape[1], width = image.shape[2], channels = image.shape[3];
  if (x < 0 || y < 0 || x > width - 1 || y > height - 1) return 0;
  const int left = std::min(int(x), std::max(width - 2, 0)), top = std::min(int(y), std::max(height - 2, 0));
  double sum = 0;
  for (int dy = 0; dy < 2; ++dy) {
    for (int dx = 0; dx < 2; ++dx) {
      const double weight = (dx ? x - left : 1 - (x - left)) * (dy ? y - top : 1 - (y - top));
      if (weight == 0) continue;
      sum += weight * image.values[size_t(((top + dy) * width + left + dx) * channels + channel)];
    }
  }
  return sum;
}

Operand image_of(int height, int width, int channels) {
  Operand image = floats({1, height, width, channels}, {});
  for (int i = 0; i < height * width * channels; ++i) image.values.push_back(std::sin(i * 1.3 + 1) * 5);
  return image;
}

}  // namespace

TEST(TfliteLandmarks, MatrixOfTheSecondVersion) {
  const Operand points = floats({1, 8, 3}, kLandmarks);
  const int pairs[][2] = {{0, 1}, {1, 0}, {3, 7}, {6, 5}};
  for (const auto& [left, right] : pairs) {
    for (const double target : {0.0, 0.7}) {
      const Operand matrix =
          floats({1, 4, 4}, second_matrix(left, right, target, kSubset, 1.5, 1.25, 16, 12));
      check("Landmarks2TransformMatrix", {points}, matrix,
            options(second_options(left, right, target, kSubset)), 1e-5);
    }
  }
}

// A line of zero length is not rotated.
TEST(TfliteLandmarks, OneLandmarkHasTheAngleZero) {
  const Operand points = floats({1, 8, 3}, kLandmarks);
  const Operand matrix = floats({1, 4, 4}, second_matrix(2, 2, 0.5, kSubset, 1.5, 1.25, 16, 12));
  check("Landmarks2TransformMatrix", {points}, {matrix}, options(second_options(2, 2, 0.5, kSubset)), 1e-5);
}

TEST(TfliteLandmarks, MatrixOfTheFirstVersion) {
  constexpr double kRange = 10, kGrown = 1.5, kIn[] = {20, 24}, kOut[] = {12, 16};
  const Operand points = floats({1, 1, 1, 24}, kLandmarks);
  const size_t pairs[][2] = {{0, 1}, {1, 0}, {3, 7}};
  for (const auto& pair : pairs) {
    const size_t left = pair[0], right = pair[1];
    const double dx = kLandmarks[right * 3] - kLandmarks[left * 3],
                 dy = kLandmarks[right * 3 + 1] - kLandmarks[left * 3 + 1];
    const double turn = -std::atan(dy / dx);
    const Box box(kSubset, turn);
    Numbers back = rotation(-turn);
    const double x = back[0] * box.middle(0) + back[1] * box.middle(1),
                 y = back[3] * box.middle(0) + back[4] * box.middle(1);
    back[2] = x / kRange * 2 - 1;
    back[5] = y / kRange * 2 - 1;
    const Numbers to_relative{2 / (kOut[1] - 1), 0, -1, 0, 2 / (kOut[0] - 1), -1, 0, 0, 1};
    const Numbers to_absolute{
        (kIn[1] - 1) / 2, 0, (kIn[1] - 1) / 2, 0, (kIn[0] - 1) / 2, (kIn[0] - 1) / 2, 0, 0, 1};
    Numbers m = product(to_absolute, back, 3);
    m = product(m, scale(box.size(0) * kGrown / kRange, box.size(1) * kGrown / kRange), 3);
    const Operand matrix = floats({1, 4, 4}, as_4x4(product(m, to_relative, 3)));
    const auto write = [&](flexbuffers::Builder& builder) {
      add_list(builder, "input_hw", {20, 24});
      add_list(builder, "output_hw", {12, 16});
      builder.Int("dimensions", 3);
      builder.Int("landmarks_range", 10);
      builder.Float("bbox_size_multiplier", 1.5f);
      builder.Int("left_rotation_idx", int(left));
      builder.Int("right_rotation_idx", int(right));
      add_list(builder, "subset", kSubset);
    };
    check("Landmarks2TransformMatrix", {points}, {matrix}, options(write), 1e-5);
  }
}

// The region is rotated and partly outside the image.
TEST(TfliteLandmarks, TransformsAnImage) {
  const Operand image = image_of(6, 7, 3);
  const Numbers m{0.8, -0.5, 0, 1.73, 0.6, 0.9, 0, -0.82, 0, 0, 1, 0, 0, 0, 0, 1};
  const Operand matrix = floats({1, 4, 4}, m);
  for (const bool is_first : {false, true}) {
    const double middle = is_first ? 0 : 0.5;
    Operand result = floats({1, 5, 8, 3}, {});
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 8; ++x) {
        const double px = m[0] * (x + middle) + m[1] * (y + middle) + m[3] - middle,
                     py = m[4] * (x + middle) + m[5] * (y + middle) + m[7] - middle;
        for (int c = 0; c < 3; ++c) result.values.push_back(sampled(image, px, py, c));
      }
    }
    const auto write = [&](flexbuffers::Builder& builder) {
      if (is_first) {
        add_list(builder, "output_size", {5, 8});
      } else {
        builder.Int("output_height", 5);
        builder.Int("output_width", 8);
      }
    };
    check(is_first ? "TransformTensor" : "TransformTensorBilinear", {image, matrix}, result, options(write),
          1e-4);
  }
}

TEST(TfliteLandmarks, TheLastPixelIsStillInside) {
  const Operand image = image_of(3, 3, 1);
  const Operand matrix = floats({1, 4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  Operand result = floats({1, 4, 4, 1}, Numbers(16, 0));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 3; ++x) result.values[y * 4 + x] = image.values[y * 3 + x];
  const auto write = [](flexbuffers::Builder& builder) {
    builder.Int("output_height", 4);
    builder.Int("output_width", 4);
  };
  check("TransformTensorBilinear", {image, matrix}, result, options(write), 1e-5);
}

TEST(TfliteLandmarks, TransformsLandmarks) {
  const Numbers m{0.8, -0.5, 9, 1.7, 0.6, 0.9, 9, -0.8, 0, 0, 1, 0, 0, 0, 0, 1};
  const Operand matrix = floats({1, 4, 4}, m);
  const auto moved = [&](size_t numbers, double factor) {
    Numbers values;
    for (size_t i = 0; i < 24; i += numbers) {
      const double x = kLandmarks[i], y = kLandmarks[i + 1];
      values.push_back(m[0] * x + m[1] * y + m[3] * factor);
      values.push_back(m[4] * x + m[5] * y + m[7] * factor);
      if (numbers == 3) values.push_back(kLandmarks[i + 2]);
    }
    return values;
  };
  check("TransformLandmarks", {floats({1, 8, 3}, kLandmarks), matrix}, floats({1, 8, 3}, moved(3, 1)), {},
        1e-5);
  check("TransformLandmarks", {floats({1, 12, 2}, kLandmarks), matrix}, floats({1, 12, 2}, moved(2, 1)), {},
        1e-5);
  const auto write = [](flexbuffers::Builder& builder) {
    builder.Int("dimensions", 2);
    builder.Float("scale", 4);
  };
  check("TransformLandmarks", {floats({1, 1, 1, 24}, kLandmarks), matrix}, floats({1, 1, 1, 24}, moved(2, 4)),
        options(write), 1e-5);
}

TEST(TfliteLandmarks, DamagedOptionsAreRefused) {
  const Operand points = floats({1, 8, 3}, {}), matrix = floats({1, 4, 4}, {}), image = image_of(3, 3, 1);
  const auto refused = [&](const Write& write) {
    return refusal(custom_operator("Landmarks2TransformMatrix", {points}, {matrix}, options(write)));
  };
  EXPECT_EQ(
      refused(second_options(0, 8, 0, kSubset)),
      "custom Landmarks2TransformMatrix (operator 0) refers to no landmarks, or to some that do not exist.");
  EXPECT_EQ(refused(second_options(0, 1, 0, {0, -1})),
            "custom Landmarks2TransformMatrix (operator 0) refers to a landmark that does not exist.");
  EXPECT_EQ(refused([](flexbuffers::Builder& builder) { add_list(builder, "subset_idxs", kSubset); }),
            "custom Landmarks2TransformMatrix (operator 0) has options without the size or the scale of a "
            "region.");
  EXPECT_EQ(refusal(custom_operator("Landmarks2TransformMatrix", {points}, {matrix}, {})),
            "custom Landmarks2TransformMatrix (operator 0) has damaged options.");
  EXPECT_EQ(refusal(custom_operator(
                "TransformTensorBilinear", {image, matrix}, {image},
                options([](flexbuffers::Builder& builder) { builder.Int("output_width", 3); }))),
            "custom TransformTensorBilinear (operator 0) has options without the size of its result.");
  EXPECT_EQ(refusal(custom_operator("TransformLandmarks", {floats({1, 6, 4}, {}), matrix},
                                    {floats({1, 6, 4}, {})}, {})),
            "custom TransformLandmarks (operator 0) needs landmarks of two or three numbers.");
}

}  // namespace nnrt::test
