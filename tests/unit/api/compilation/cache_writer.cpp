// Saves two models alternately to a directory until it is killed. Writes a byte to standard output once the
// first one is saved. cache_writer DIRECTORY ELEMENTS
#include "tests/unit/api/compilation/cache_fixture.h"

using namespace api_tests;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int32_t count = std::atoi(argv[2]);
  const Model models[] = {summand_model(1, count), summand_model(2, count)};
  for (size_t turn = 0;; ++turn) {
    if (build_with_cache(compilation_of(models[turn % 2]), argv[1], 1) != OH_NN_SUCCESS) return 1;
    if (turn == 0 && write(STDOUT_FILENO, "", 1) != 1) return 1;
  }
}
