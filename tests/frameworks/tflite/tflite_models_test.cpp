// Runs models with and without the delegate:
//   tflite_models_test LIBRARY DELEGATE TOLERANCES [--NAME VALUE]... MODEL.tflite|FOLDER...
// A NAME is an option of the delegate. Exits with 1 if a result differs or a model fails.
#include "tests/frameworks/tflite/model_case.h"
#include "tests/frameworks/tflite/tflite_runtime.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <thread>

namespace {

using namespace nnrt::test;

struct Program {
  TfliteApi api;
  DelegateLibrary library;
  std::string tolerances;
  DelegateSettings settings;
};

void add(Difference& all, const Difference& some) {
  all.floats = std::max(all.floats, some.floats);
  all.steps = std::max(all.steps, some.steps);
}

std::vector<int> shape_of(const TfLiteTensor& tensor) {
  return {tensor.dims->data, tensor.dims->data + tensor.dims->size};
}

class ModelTest {
 public:
  ModelTest(const Program& program, std::string model)
      : program_(program),
        model_(std::move(model)),
        case_(case_of(model_)),
        tolerance_(tolerance_of(model_, program.tolerances)) {}

  // Prints a line; returns whether the model passes.
  bool run();

 private:
  bool is_close(const Difference& it) const {
    return it.floats <= tolerance_.floats && it.steps <= tolerance_.steps;
  }
  std::optional<std::string> refusal_of_interpreter() const;
  Difference compare_runs(Session& expected, Session& got) const;
  Difference compare_resized(Session& expected, Session& got) const;
  void run_in_threads(const Session& expected) const;
  bool compare_with_case(Session& got) const;

  const Program& program_;
  const std::string model_;
  const ModelCase case_;
  const Tolerance tolerance_;
};

// Several runs, over which both keep their state.
Difference ModelTest::compare_runs(Session& expected, Session& got) const {
  Difference all;
  expected.allocate();
  got.allocate();
  for (unsigned seed = 1; seed <= 3; ++seed) {
    for (Session* session : {&expected, &got}) {
      session->fill(case_.inputs, seed);
      session->run();
    }
    add(all, difference(expected, got));
  }
  return all;
}

// A batch of two, and back; models that do not allow it are left as they are.
Difference ModelTest::compare_resized(Session& expected, Session& got) const {
  std::vector<std::vector<int>> shapes;
  for (int i = 0; i < expected.inputs(); ++i) shapes.push_back(shape_of(expected.input(i)));
  const auto resize = [&](Session& session, int batch) {
    for (int i = 0; i < session.inputs(); ++i) {
      std::vector<int> shape = shapes[static_cast<size_t>(i)];
      if (!shape.empty()) shape[0] *= batch;
      session.resize(i, shape);
    }
  };
  try {
    resize(expected, 2);
    expected.allocate();
    expected.fill(case_.inputs, 4);
    expected.run();
  } catch (const std::exception&) {
    return {};
  }
  expected.reset_variables();
  resize(got, 2);
  Difference all = compare_runs(expected, got);
  resize(expected, 1);
  resize(got, 1);
  add(all, compare_runs(expected, got));
  return all;
}

// Two interpreters with delegates of their own at once.
void ModelTest::run_in_threads(const Session& expected) const {
  Difference found[2];
  std::string faults[2];
  const auto work = [&](size_t i) {
    try {
      Session session(program_.api, model_, program_.library.create(program_.settings));
      session.allocate();
      session.fill(case_.inputs, 3);
      for (int k = 0; k < 3; ++k) {
        session.reset_variables();
        session.run();
      }
      found[i] = difference(expected, session);
    } catch (const std::exception& exception) {
      faults[i] = exception.what();
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  for (size_t i = 0; i < 2; ++i) {
    if (!faults[i].empty()) throw std::runtime_error("in a thread: " + faults[i]);
    if (!is_close(found[i])) throw std::runtime_error("differs in a thread");
  }
}

// The reason why TensorFlow Lite cannot run the model without the delegate, such as a custom operator.
std::optional<std::string> ModelTest::refusal_of_interpreter() const {
  try {
    Session(program_.api, model_, nullptr).allocate();
    return {};
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

bool ModelTest::compare_with_case(Session& got) const {
  got.allocate();
  got.fill(case_.inputs, 1);
  got.run();
  const Difference found = difference(case_.outputs, got);
  std::printf("  %.1e %g  %s (only the delegate runs it)\n", found.floats, found.steps,
              is_close(found) ? "passes" : "DIFFERS");
  return is_close(found);
}

bool ModelTest::run() {
  std::printf("%-42s", std::filesystem::path(model_).filename().c_str());
  try {
    const auto refusal = refusal_of_interpreter();
    if (refusal && case_.outputs.empty()) {
      std::printf("  not run by TensorFlow Lite: %s\n", refusal->substr(0, refusal->find('\n')).c_str());
      return true;
    }
    Session got(program_.api, model_, program_.library.create(program_.settings));
    std::printf(" %3d of %3d nodes in %2d", got.taken().nodes, got.taken().all_nodes, got.taken().partitions);
    if (refusal) return compare_with_case(got);
    Session expected(program_.api, model_, nullptr);
    const Difference fixed = compare_runs(expected, got);
    std::printf("  %.1e %g", fixed.floats, fixed.steps);
    expected.reset_variables();
    expected.run();
    run_in_threads(expected);
    expected.reset_variables();
    const Difference resized = compare_resized(expected, got);
    const bool passes = is_close(fixed) && is_close(resized);
    std::printf("  resized %.1e %g  %s\n", resized.floats, resized.steps, passes ? "passes" : "DIFFERS");
    return passes;
  } catch (const std::exception& exception) {
    std::printf("  FAILS: %s\n", exception.what());
    return false;
  }
}

std::vector<std::string> models_in(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".tflite")
      models.push_back(entry.path().string());
  std::ranges::sort(models);
  return models;
}

int run(const std::vector<std::string>& arguments) {
  Program program{load_tflite(arguments[0]), DelegateLibrary(arguments[1]), arguments[2], {}};
  std::printf("TensorFlow Lite %s\n", program.api.version());
  bool all_pass = true;
  size_t count = 0;
  for (size_t i = 3; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--") && i + 1 < arguments.size()) {
      program.settings.emplace_back(arguments[i].substr(2), arguments[i + 1]);
      ++i;
      continue;
    }
    for (const std::string& model : models_in(arguments[i])) {
      all_pass = ModelTest(program, model).run() && all_pass;
      std::fflush(stdout);
      ++count;
    }
  }
  return all_pass && count > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::puts(
        "usage: tflite_models_test LIBRARY DELEGATE TOLERANCES [--NAME VALUE]... MODEL.tflite|FOLDER...");
    return 2;
  }
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& exception) {
    std::puts(exception.what());
    return 2;
  }
}
