// SPDX-License-Identifier: Apache-2.0
//
// An exporter to copy. It writes a toy dialect, the smallest and largest size of every axis, one tensor a line:
//
//     x 1..8 3 320..1632
//     y 1..8
//
// To add a dialect called `foo`:
//   1. Copy this file to src/export/foo.cpp and rename `skeleton` to `foo`, in the id too. The build finds the file: it
//      is in the table, in --to, in `export --list` and in docs/engines.md with no other edit.
//   2. Run the tests once with TENSORSPEC_REGOLD=1: they write tests/golden/export/foo/, this dialect's text of every
//      contract of tests/contracts/. Read it. Copy skeleton_exporter_test.cpp to tests/export/foo_test.cpp for what
//      goldens do not show.
//   3. Feed the engine in tests/engines/: what it takes, and what it was seen to refuse, is `proof`.
//
// The rules an exporter keeps: `keeps` is what the dialect can say, and what is lost of a contract is told from it;
// what it cannot say without being wrong is an error with what to do instead; a name that the dialect cannot spell is
// an error or a renaming that is noted, never another name in silence; nothing is printed and nothing is thrown on
// purpose.
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {

namespace exporters {
extern const Exporter skeleton;  // a member of the family is declared by export/exporter.hpp, from the generated list
}

namespace {

Status write(ExportJob& job) {
  const ExportJob::Part& part = job.part();
  // Of the sizes of the axes where the dialect has no symbols; of the variant's dims where it has.
  TRY_VOID(need_limits(*part.variant, part.boxes));
  for (std::size_t i = 0; i < part.variant->inputs.size(); ++i) {
    const std::string& name = part.variant->inputs[i].name;
    if (name.find_first_of(" \n") != std::string::npos)
      return Error{ErrorCode::export_name, printable(name), "a blank ends the name; rename the input"};
    std::string line = name;
    for (const AxisSizes& axis : part.box().inputs[i])
      line += " " + std::to_string(axis.min) + (axis.fixed() ? "" : ".." + std::to_string(*axis.max));
    job.print(line + "\n");
  }
  return {};
}

}  // namespace

constinit const Exporter exporters::skeleton{
    .info = {.id = "skeleton",
             .engine = "whose dialect this is, and from which version on",
             .file = "model.sizes",
             .form = "list of sizes",
             .proof = "format only",
             .keeps = Keeps::minimum | Keeps::maximum},
    .write = write,
};

}  // namespace tensorspec
