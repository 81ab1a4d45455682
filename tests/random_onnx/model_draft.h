// A random ONNX model under construction: the file, the values nodes may read, and each value's magnitude and
// error. The draw_*.cpp files know how shapes and attributes of each operator depend on each other.
#pragma once

#include "tests/import/onnx/onnx_model_writer.h"
#include "tests/support/random/random.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::test {

// A tensor of the model. `scale` is its typical magnitude; `error` estimates how far two correct results may
// differ, given the rounding so far. Neither is a strict bound.
struct Drawn {
  std::string name;
  Dimensions shape;            // at run time; the file may leave `open` dynamic
  std::optional<size_t> open;  // the batch dimension, if it is dynamic in the file
  int32_t type = OnnxModel::kFloat32;
  double scale = 1, error = 0;

  size_t rank() const { return shape.size(); }
  int64_t count() const;
  bool is_image() const { return rank() == 4 && open.value_or(0) == 0; }
  bool is_float() const { return type == OnnxModel::kFloat32 || type == OnnxModel::kFloat16; }

  // The result of a function with slope at most `slope` and results of about `new_scale`.
  Drawn mapped(double new_scale, double slope) const;
  // The same elements in another shape.
  Drawn shaped(Dimensions new_shape, std::optional<size_t> new_open) const;
};

struct Feed {
  Drawn value;
  std::string bytes;
};

class Draft {
 public:
  explicit Draft(uint32_t seed);

  Random random;
  OnnxModel model{kOpset};
  std::vector<Feed> feeds;
  std::vector<Drawn> values;  // all readable values

  // The model's float type.
  int32_t type() const { return type_; }
  // The relative error of one operation.
  double unit() const { return type_ == OnnxModel::kFloat16 ? 1e-3 : 2e-6; }

  // Adds a node with one result like `made`; model.with() then adds attributes.
  Drawn node(const std::string& type, const Names& inputs, Drawn made);
  // For several results, which must have names.
  void nodes(const std::string& type, const Names& inputs, const std::vector<Drawn>& made);
  // A node that computes a constant from constants.
  std::string constant_node(const std::string& type, const Names& inputs);
  std::string fresh(const std::string& kind) { return kind + std::to_string(++named_); }

  // Float constants in [min, max]; some may also be listed as inputs.
  std::string floats(const Dimensions& shape, double min, double max);
  std::string filled(const Dimensions& shape, double element);
  std::string scalar(double element) { return filled({}, element); }
  std::string integers(const Dimensions& elements);
  std::string truths(const Dimensions& shape);
  // Dynamic integers, or a scalar BOOL, fed as an input.
  std::string run_integers(const Dimensions& elements);
  std::string run_truth(bool holds);
  std::string raw(const std::string& kind, int32_t type, const Dimensions& shape, const std::string& bytes);

  // A model input.
  Drawn feed(const Dimensions& shape, std::optional<size_t> open);
  // A model input of any type, with these elements.
  void feed(const Drawn& value, const std::string& bytes);

  // Whether the first dimension is dynamic in this model.
  bool has_open_batch() const { return open_batch_; }
  int64_t batch() const { return batch_; }

  bool is_quantized() const { return quantized_; }

  bool is_read(const Drawn& value) const { return readers_.contains(value.name); }

  static constexpr int64_t kOpset = 23, kMaxElements = 3000;
  static bool fits(const Dimensions& shape);

 private:
  std::string bytes_of(const std::vector<float>& numbers) const;
  std::vector<float> numbers(const Dimensions& shape, double min, double max);

  int32_t type_ = OnnxModel::kFloat32;
  bool open_batch_ = false, quantized_ = false;
  int64_t batch_ = 1;
  int named_ = 0;
  std::map<std::string, int> readers_;
  std::map<std::pair<Dimensions, std::pair<double, double>>, std::string> constants_;  // by shape and range
};

int64_t product(const Dimensions& shape, size_t begin, size_t end);
Dimensions broadcast(const Dimensions& a, const Dimensions& b);  // empty if impossible, or a scalar
bool can_broadcast(const Dimensions& a, const Dimensions& b);
Dimensions permuted(const Dimensions& shape, const Dimensions& order);
Dimensions inverse(const Dimensions& order);

// A row of the table of possible nodes; returns false and adds nothing if x is not suitable.
struct Drawer {
  int weight;
  bool (*draw)(Draft&, const Drawn& x);
};
std::vector<Drawer> image_drawers();
std::vector<Drawer> pooling_drawers();
std::vector<Drawer> data_movement_drawers();
std::vector<Drawer> concat_slice_drawers();
std::vector<Drawer> norm_drawers();
std::vector<Drawer> identity_drawers();
std::vector<Drawer> element_drawers();
std::vector<Drawer> decomposed_drawers();
std::vector<Drawer> matmul_drawers();
std::vector<Drawer> quantized_drawers();
std::vector<Drawer> contrib_drawers();
std::vector<Drawer> exact_drawers();
std::vector<Drawer> composed_drawers();
std::vector<Drawer> run_value_drawers();
std::vector<Drawer> integer_drawers();
std::vector<Drawer> limit_drawers();

std::vector<Drawer> attention_drawers();

// A node of ONNX Runtime's domain.
Drawn fused(Draft& draft, const std::string& type, const Names& inputs, const Drawn& made);
// FLOAT32 with at least that rank and a static last dimension.
bool is_plain(const Drawn& x, size_t rank);
// A batch of sequences of vectors.
bool is_sequence(const Drawn& x);

int64_t any_channels(Draft& draft);
// The axis, or its number from the end.
int64_t either_end(Draft& draft, size_t axis, size_t rank);

// An operand that broadcasts with x: an earlier value, an input, or a constant.
Drawn operand_beside(Draft& draft, const Drawn& x);

}  // namespace nnrt::test
