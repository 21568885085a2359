// SPDX-License-Identifier: Apache-2.0
//
// Arguments of Polygraphy: --input-shapes for a run, then --trt-min-shapes, --trt-opt-shapes and --trt-max-shapes once
// for each profile. A name ends at the last ":". One argument a line, as a shell reads it.
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'') out += "'\\''";
    else out += c;
  return out + "'";
}

std::string shapes_text(const std::vector<ProfileShapes>& shapes, Shape ProfileShapes::*which) {
  std::vector<std::string> words;
  for (const ProfileShapes& shape : shapes) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : shape.*which) sizes.push_back(std::to_string(size));
    words.push_back(shell_word(shape.name + ":[" + join(sizes, ",") + "]"));
  }
  return join(words, " ");
}

Status write(ExportJob& job) {
  TRY(const auto profiles, profile_shapes(*job.part().variant, job.part().boxes));
  if (profiles.empty()) {
    job.note("no axis varies: a static model takes no shapes");
    return {};
  }
  for (const ProfileShapes& shape : profiles[0])
    if (shape.name.find_first_of("\n\r") != std::string::npos || shape.name != std::string(printable(shape.name)))
      return Error{ErrorCode::export_name, printable(shape.name),
                   "it has characters that end a line; rename the input"};
  job.print("--input-shapes " + shapes_text(profiles[0], &ProfileShapes::opt) + "\n");
  for (const auto& shapes : profiles)
    job.print("--trt-min-shapes " + shapes_text(shapes, &ProfileShapes::min) + "\n--trt-opt-shapes " +
              shapes_text(shapes, &ProfileShapes::opt) + "\n--trt-max-shapes " +
              shapes_text(shapes, &ProfileShapes::max) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::polygraphy{
    .info = {.id = "polygraphy",
             .engine = "Polygraphy 0.53",
             .file = "polygraphy.args",
             .form = "arguments of the command",
             .proof =
                 "Polygraphy parses them and runs --input-shapes in ONNX Runtime; refuses profiles whose names differ",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
