// SPDX-License-Identifier: Apache-2.0
//
// Flags of trtexec: --minShapes, --optShapes, --maxShapes, with --profile=N before each set when there are several. A
// name ends at the last ":" and items are split at ",".
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

// For a shell: as it is where that is safe.
std::string shell_word(const std::string& text) {
  const bool plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=:,./@+") ==
      std::string::npos;
  return plain ? text : "'" + text + "'";
}

Status write(ExportJob& job) {
  TRY(const auto profiles, profile_shapes(*job.part().variant, job.part().boxes));
  if (profiles.empty()) {
    job.note("no axis varies: a static model takes no shapes");
    return {};
  }
  for (const ProfileShapes& shape : profiles[0])
    if (shape.name.find_first_of(",'\\") != std::string::npos || shape.name != printable(shape.name))
      return Error{ErrorCode::export_name, printable(shape.name),
                   "trtexec splits at commas and quotes; rename the input"};
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    std::vector<std::string> words;
    if (profiles.size() > 1) words.push_back("--profile=" + std::to_string(i));
    for (const auto& [flag, shape_of] :
         {std::pair("--minShapes=", &ProfileShapes::min), std::pair("--optShapes=", &ProfileShapes::opt),
          std::pair("--maxShapes=", &ProfileShapes::max)}) {
      std::vector<std::string> items;
      for (const ProfileShapes& shape : profiles[i]) items.push_back(shape.name + ":" + joined_by_x(shape.*shape_of));
      words.push_back(shell_word(flag + join(items, ",")));
    }
    job.print(join(words, profiles.size() > 1 ? " " : "\n") + "\n");
  }
  return {};
}

}  // namespace

constinit const Exporter exporters::trtexec{
    .info = {.id = "trtexec",
             .engine = "TensorRT trtexec",
             .file = "trtexec.flags",
             .form = "flags of the command",
             .proof = "format only: TensorRT needs a GPU",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
