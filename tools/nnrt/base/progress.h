// A bar on standard error that shows how far a command is; only where that is a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace nnrt::tool {

class Progress {
 public:
  Progress(std::string title, size_t steps);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();

 private:
  void draw() const;

  std::string title_;
  size_t steps_, done_ = 0, drawn_ = 0;
  bool visible_;
};

}  // namespace nnrt::tool
