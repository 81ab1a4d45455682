// MediaPipe's custom operators: on windows, whose options are C structs, and on regions defined by landmarks:
// the region's matrix, the image under it, and the region's landmarks in image coordinates.
#include "tools/import/network/network_check.h"
#include "tools/import/tflite/formulas/tflite_custom_options.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::tflite {
namespace {

constexpr int32_t kSame = 1, kValid = 2;  // padding codes in these structs
constexpr int32_t kMaxSize = 1 << 16;

// Pairs are (height, width).
struct Neighbourhood {
  int32_t padding = 0;
  int64_t strides[2] = {0, 0}, filter[2] = {1, 1};
  Activation activation = Activation::NONE;
};

void check_neighbourhood(const Operator& op, const Neighbourhood& it) {
  const auto is_bad = [](int64_t size) { return size < 1 || size > kMaxSize; };
  if (it.padding != kSame && it.padding != kValid) op.damaged("has an unknown padding");
  if (std::ranges::any_of(it.strides, is_bad) || std::ranges::any_of(it.filter, is_bad))
    op.damaged("has strides or a filter outside [1, 65536]");
}

// The output is the full transposed convolution minus the padding at both ends.
void transpose_conv_bias(Operator& op) {
  const List<int32_t> options = structure_options(op, 3);
  const Neighbourhood it{.padding = options[0], .strides = {options[2], options[1]}};
  check_neighbourhood(op, it);
  const TensorId x = op.operand(0), weight = op.operand(1), bias = op.operand(2);
  if (op.rank(x) != 4 || op.rank(weight) != 4) op.damaged("needs an image and filters of rank 4");
  List<int64_t> pads;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = op.length(x, d + 1), filter = op.length(weight, d + 1);
    const int64_t cut =
        it.padding == kValid ? 0 : std::max<int64_t>(filter - (size - 1) % it.strides[d] - 1, 0);
    pads.insert(pads.end(), {cut / 2, cut - cut / 2});
  }
  op.write_to(op.result(), Op::conv2d_transpose, {x, weight, bias},
              {{Attr::stride, it.strides}, {Attr::pad, pads}});
}

Neighbourhood pool_of(const Operator& op) {
  const List<int32_t> options = structure_options(op, 6);
  const Neighbourhood it{.padding = options[0],
                         .strides = {options[2], options[1]},
                         .filter = {options[4], options[3]},
                         .activation = static_cast<Activation>(std::clamp(options[5], 0, 127))};
  check_neighbourhood(op, it);
  constexpr int64_t kMaxCells = 256;
  if (it.filter[0] * it.filter[1] > kMaxCells) op.refuse("has a filter of more than 256 cells");
  return it;
}

// The elements at each position of their windows, [batch, height, width, channels] each.
List<TensorId> cells_of(Operator& op, TensorId x, const Neighbourhood& it) {
  int64_t reach[2], before[2], after[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = op.length(x, d + 1), stride = it.strides[d], filter = it.filter[d];
    const int64_t count =
        it.padding == kSame ? (size + stride - 1) / stride : (size - filter + stride) / stride;
    reach[d] = (count - 1) * stride + 1;
    before[d] = std::max<int64_t>((reach[d] + filter - 1 - size) / 2, 0);
    after[d] = std::max<int64_t>(reach[d] + filter - 1 - size - before[d], 0);
  }
  const TensorId edges = op.build().constant<int64_t>(
      {4, 2}, List<int64_t>{0, 0, before[0], after[0], before[1], after[1], 0, 0});
  const TensorId padded =
      op.emit(Op::pad, {x, edges}, {{Attr::constant_value, std::numeric_limits<float>::lowest()}});
  List<TensorId> cells;
  for (int64_t y = 0; y < it.filter[0]; ++y) {
    const TensorId rows = op.slice(padded, 1, y, y + reach[0], it.strides[0]);
    for (int64_t column = 0; column < it.filter[1]; ++column)
      cells.push_back(op.slice(rows, 2, column, column + reach[1], it.strides[1]));
  }
  return cells;
}

// The maximum of each window, and the index of the first cell that has it, plus 0.1 for safe truncation.
void max_pool_with_argmax(Operator& op) {
  const Neighbourhood it = pool_of(op);
  if (op.output_count() != 2) op.damaged("needs two outputs");
  const TensorId x = op.operand(0);
  if (op.rank(x) != 4) op.damaged("needs an image of rank 4");
  const List<TensorId> cells = cells_of(op, x, it);
  const TensorId all =
      cells.size() == 1 ? op.unsqueeze(cells[0], {0}) : op.emit(Op::stack, cells, {{Attr::axis, 0}});
  const TensorId places = op.emit(Op::arg_max, {all}, {{Attr::axis, 0}}, {.dtypes = {DType::i32}});
  op.write_to(op.result(1), Op::add, {op.cast(places, DType::f32), op.number(DType::f32, 0.1)});
  const TensorId target = op.result(0);
  const bool is_activated = it.activation != Activation::NONE;
  const TensorId largest = is_activated ? op.build().temporary_like(target) : target;
  op.write_to(
      largest, Op::max_pool, {x},
      {{Attr::kernel, it.filter}, {Attr::stride, it.strides}, {Attr::pad_mode, it.padding == kSame ? 0 : 1}});
  if (is_activated) op.activate(it.activation, largest, target);
}

// Each element goes to the window cell its index selects; the others are 0.
void max_unpool(Operator& op) {
  const Neighbourhood it = pool_of(op);
  if (!std::ranges::equal(it.strides, it.filter)) op.refuse("has windows that overlap or leave gaps");
  const TensorId x = op.operand(0), given = op.operand(1);
  if (op.rank(x) != 4) op.damaged("needs an image of rank 4");
  const int64_t height = op.length(x, 1), width = op.length(x, 2), channels = op.length(x, 3);
  const int64_t rows = it.filter[0], columns = it.filter[1];
  List<int32_t> numbers(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  const TensorId places = op.build().constant<int32_t>({static_cast<int32_t>(rows * columns), 1}, numbers);
  const TensorId is_there = op.equal(op.unsqueeze(op.cast(given, DType::i32), {3}), places);
  const TensorId cells = op.where(is_there, op.unsqueeze(x, {3}), op.number(x, 0));
  const TensorId grid = op.reshape(cells, {-1, height, width, rows, columns, channels});
  const List<int64_t> shape{-1, height * rows, width * columns, channels};
  op.write_to(op.result(), Op::reshape, {op.transpose(grid, {0, 1, 3, 2, 4, 5}), op.build().vector(shape)});
}

// Interpolated image pixels at (column, row) coordinates; 0 outside the image.
void resampler(Operator& op) {
  const TensorId image = op.operand(0), places = op.operand(1);
  if (op.rank(image) != 4 || op.rank(places) != 4) op.damaged("needs an image and coordinates of rank 4");
  const auto width = static_cast<float>(op.length(image, 2)),
             height = static_cast<float>(op.length(image, 1));
  const TensorId scale = op.build().vector<float>({2 / width, 2 / height});
  const TensorId edge = op.build().vector<float>({1 / width - 1, 1 / height - 1});
  op.write_to(op.result(), Op::grid_sample, {image, op.add(op.mul(places, scale), edge)});
}

constexpr int64_t kMaxPixels = 1 << 20;

// The matrix maps points of the region to the image: M = A R (S | t), where R rotates back by the region's
// angle. S has size * factor on its diagonal, and t = middle * middle_factor + size * size_factor. All are
// (x, y) pairs; size and middle are those of the bounding box of the rotated landmarks.
struct Region {
  int64_t left = 0, right = 0;  // landmarks whose connecting line is rotated to the target angle
  float target = 0;             // radians
  bool is_upright = false;      // the line is rotated by less than 90 degrees
  List<int64_t> landmarks;
  float image[2] = {1, 1}, factor[2] = {0, 0};  // the diagonals of A, and of S without the size
  float middle_factor = 1;
  float size_factor[2] = {0, 0};
};

// Version 1 of the operator: coordinates between -1 and 1.
Region first_region(const CustomOptions& options) {
  Region region;
  region.is_upright = true;
  const List<int64_t> from = options.integers("output_hw"), to = options.integers("input_hw");
  const float grown = options.real("bbox_size_multiplier"),
              range = static_cast<float>(options.integer("landmarks_range"));
  for (size_t i = 0; i < 2 && from.size() == 2 && to.size() == 2; ++i) {
    region.image[i] = (static_cast<float>(to[1 - i]) - 1) / 2;
    region.factor[i] = grown / range * 2 / (static_cast<float>(from[1 - i]) - 1);
    region.size_factor[i] = -grown / range;
  }
  region.middle_factor = 2 / range;
  return region;
}

Region second_region(const CustomOptions& options) {
  Region region;
  region.target = options.real("target_rotation_radians");
  const float scales[] = {options.real("scale_x"), options.real("scale_y")};
  const char* const sides[] = {"output_width", "output_height"};
  for (size_t i = 0; i < 2; ++i) {
    region.factor[i] = scales[i] / static_cast<float>(options.integer(sides[i]));
    region.size_factor[i] = -scales[i] / 2;
  }
  return region;
}

Region region_of(const Operator& op, int64_t landmarks) {
  const CustomOptions options = CustomOptions::read(op);
  const bool is_first = options.has("subset");
  Region region = is_first ? first_region(options) : second_region(options);
  region.left = options.integer("left_rotation_idx");
  region.right = options.integer("right_rotation_idx");
  const auto is_landmark = [&](int64_t index) { return index >= 0 && index < landmarks; };
  for (const int64_t index : options.integers(is_first ? "subset" : "subset_idxs")) {
    if (!is_landmark(index)) op.damaged("refers to a landmark that does not exist");
    region.landmarks.push_back(index);
  }
  if (region.landmarks.empty() || !is_landmark(region.left) || !is_landmark(region.right))
    op.damaged("refers to no landmarks, or to some that do not exist");
  for (size_t i = 0; i < 2; ++i)
    if (!std::isfinite(region.factor[i]) || region.factor[i] <= 0)
      op.damaged("has options without the size or the scale of a region");
  return region;
}

struct Angle {
  TensorId cosine = 0, sine = 0;  // [1, 1]
};

// The rotation angle: the target's minus that of the line from left to right. A line of zero length has angle
// 0.
Angle turn(Operator& op, TensorId points, const Region& region) {
  const TensorId ends = op.gather(points, op.vector({region.left, region.right}), 0);
  const TensorId line = op.sub(op.slice(ends, 0, 1, 2), op.slice(ends, 0, 0, 1));  // [1, 2]
  const TensorId longer = op.largest(op.abs(line), {1});
  const TensorId is_point = op.equal(longer, 0.0);
  const TensorId unit = op.div(line, op.where(is_point, op.number(line, 1), longer));
  TensorId dx = op.where(is_point, op.number(unit, 1), op.slice(unit, 1, 0, 1)), dy = op.slice(unit, 1, 1, 2);
  if (region.is_upright) {
    dy = op.where(op.less(dx, 0.0), op.neg(dy), dy);
    dx = op.abs(dx);
  }
  const TensorId length = op.sqrt(op.add(op.mul(dx, dx), op.mul(dy, dy)));
  const TensorId cosine = op.div(dx, length), sine = op.div(dy, length);
  const float c = std::cos(region.target), s = std::sin(region.target);
  return {op.add(op.mul(cosine, op.number(cosine, c)), op.mul(sine, op.number(sine, s))),
          op.sub(op.mul(cosine, op.number(cosine, s)), op.mul(sine, op.number(sine, c)))};
}

TensorId pair(Operator& op, const float (&values)[2], const Shape& shape) {
  return op.build().constant<float>(shape, List<float>(values, values + 2));
}

// Landmarks [.., count, 3] become a matrix [1, 4, 4].
void landmarks_to_matrix(Operator& op) {
  TensorId points = op.operand(0);
  const size_t numbers = required(element_count(op.shape(points)));
  const Region region = region_of(op, static_cast<int64_t>(numbers / 3));
  points = op.slice(op.reshape(points, {-1, 3}), 1, 0, 2);
  const Angle angle = turn(op, points, region);
  const TensorId opposite = op.neg(angle.sine);
  const TensorId back =
      op.concat({op.concat({angle.cosine, angle.sine}, 1), op.concat({opposite, angle.cosine}, 1)}, 0);  // R
  const TensorId rotated = op.matmul(op.gather(points, op.vector(region.landmarks), 0), back);
  const TensorId high = op.largest(rotated, {0}), low = op.smallest(rotated, {0});
  const TensorId size = op.sub(high, low), middle = op.mul(op.add(high, low), 0.5f);  // [1, 2]
  const TensorId move =
      op.add(op.mul(middle, region.middle_factor), op.mul(size, pair(op, region.size_factor, {1, 2})));
  const TensorId diagonal = op.mul(op.mul(size, pair(op, region.factor, {1, 2})),
                                   op.build().constant<float>({2, 2}, List<float>{1, 0, 0, 1}));
  const TensorId zeros = op.build().constant<float>({2, 1}, List<float>{0, 0});
  const TensorId inner = op.concat({diagonal, zeros, op.reshape(move, {2, 1})}, 1);  // [2, 4]
  const TensorId upper = op.mul(op.matmul(back, inner), pair(op, region.image, {2, 1}));
  const TensorId lower = op.build().constant<float>({2, 4}, List<float>{0, 0, 1, 0, 0, 0, 0, 1});
  op.write_to(op.result(), Op::reshape,
              {op.concat({upper, lower}, 0), op.build().vector<int64_t>({1, 4, 4})});
}

// The linear part of a matrix [1, 4, 4] for x and y, and the offset, [1, 2].
struct Affine {
  TensorId factors = 0, offset = 0;
};

Affine affine_of(Operator& op, TensorId matrix) {
  const TensorId rows = op.slice(op.reshape(matrix, {4, 4}), 0, 0, 2);
  return {op.slice(rows, 1, 0, 2), op.reshape(op.slice(rows, 1, 3, 4), {1, 2})};
}

// Version 1 uses pixel corners, version 2 pixel centers.
void transform_tensor(Operator& op) {
  const CustomOptions options = CustomOptions::read(op);
  const bool is_first = options.has("output_size");
  List<int64_t> size = options.integers("output_size");
  if (!is_first) size = {options.integer("output_height"), options.integer("output_width")};
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > kMaxPixels ||
      size[1] > kMaxPixels / size[0])
    op.damaged("has options without the size of its result");
  const TensorId image = op.operand(0), matrix = op.operand(1);
  if (op.rank(image) != 4) op.damaged("needs an image of rank 4");
  const int32_t sides[] = {op.length(image, 2), op.length(image, 1)};
  const int32_t batch = op.length(image, 0);
  if (batch != 1) op.refuse("transforms more than one image");
  const float middle = is_first ? 0 : 0.5f;
  List<float> pixels;
  for (int64_t y = 0; y < size[0]; ++y) {
    for (int64_t x = 0; x < size[1]; ++x) {
      pixels.push_back(static_cast<float>(x) + middle);
      pixels.push_back(static_cast<float>(y) + middle);
    }
  }
  const auto count = static_cast<int32_t>(size[0] * size[1]);
  const Affine affine = affine_of(op, matrix);
  const TensorId at =
      op.add(op.matmul(op.build().constant<float>({count, 2}, pixels), affine.factors, true), affine.offset);
  // GRID_SAMPLE coordinates: -1 and 1 are the outer edges. Points beyond the last pixel centers are 0.
  const float scale[] = {2 / static_cast<float>(sides[0]), 2 / static_cast<float>(sides[1])};
  const float first[] = {middle, middle};
  const float last[] = {static_cast<float>(sides[0] - 1) + middle, static_cast<float>(sides[1] - 1) + middle};
  const float edge[] = {(0.5f - middle) * scale[0] - 1, (0.5f - middle) * scale[1] - 1};
  const TensorId is_outside =
      op.either(op.less(at, pair(op, first, {1, 2})), op.less(pair(op, last, {1, 2}), at));
  const TensorId numbers = op.add(op.mul(at, pair(op, scale, {1, 2})), pair(op, edge, {1, 2}));
  const TensorId grid = op.where(is_outside, op.number(numbers, -4), numbers);
  op.write_to(op.result(), Op::grid_sample, {image, op.reshape(grid, {1, size[0], size[1], 2})});
}

// x and y of each landmark. In version 1, the number of values per landmark is an option, and the offset is
// scaled.
void transform_landmarks(Operator& op) {
  const TensorId landmarks = op.operand(0), matrix = op.operand(1);
  const Shape shape = op.shape(landmarks);
  if (shape.size() != 3 && shape.size() != 4) op.damaged("needs landmarks of rank 3 or 4");
  int64_t numbers = shape.back();
  Affine affine = affine_of(op, matrix);
  if (shape.size() == 4) {
    const CustomOptions options = CustomOptions::read(op);
    numbers = options.has("dimensions") ? options.integer("dimensions") : 3;
    affine.offset = op.mul(affine.offset, options.has("scale") ? options.real("scale") : 1);
  }
  if (numbers != 2 && numbers != 3) op.damaged("needs landmarks of two or three numbers");
  const TensorId points = op.reshape(landmarks, {-1, numbers});
  const TensorId flat = numbers == 2 ? points : op.slice(points, 1, 0, 2);
  TensorId moved = op.add(op.matmul(flat, affine.factors, true), affine.offset);
  if (numbers == 3) moved = op.concat({moved, op.slice(points, 1, 2, 3)}, 1);
  op.write_to(op.result(), Op::reshape, {moved, op.build().vector(shape)});
}

constexpr Row custom(std::string_view name, uint8_t inputs, void (*convert)(Operator&), Op type = {}) {
  return {BuiltinOperator::CUSTOM, inputs, inputs, Numbers::real, convert, type, nullptr, name};
}

constexpr Row kMediapipeRows[] = {
    custom("Convolution2DTransposeBias", 3, transpose_conv_bias, Op::conv2d_transpose),
    custom("MaxPoolingWithArgmax2D", 1, max_pool_with_argmax),
    custom("MaxUnpooling2D", 2, max_unpool),
    custom("Resampler", 2, resampler),
    custom("Landmarks2TransformMatrix", 1, landmarks_to_matrix),
    custom("TransformTensorBilinear", 2, transform_tensor),
    custom("TransformTensor", 2, transform_tensor),
    custom("TransformLandmarks", 2, transform_landmarks),
};

}  // namespace

std::span<const Row> mediapipe_rows() { return kMediapipeRows; }

}  // namespace nnrt::import::tflite
