// SPDX-License-Identifier: Apache-2.0
//
// Python source with dynamic_shapes for torch.export.export. A Dim has a range; k*d+c with k >= 1 is the only
// expression; the rest is Dim.DYNAMIC with limits.
#include "base/try.hpp"
#include "export/torch_dims.hpp"

namespace tensorspec {
namespace {

Status write(ExportJob& job) {
  job.print("# torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)\n");
  return write_torch_dims(job);
}

}  // namespace

constinit const Exporter exporters::torch_export{
    .info = {.id = "torch_export",
             .engine = "torch.export, torch 2.13",
             .file = "torch_export.py",
             .form = "Python source: dynamic_shapes",
             .proof = "torch.export exports a module; the program refuses sizes outside a range and unequal axes, and "
                      "accepts sizes between steps",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::shared | Keeps::multiples},
    .write = write,
};

}  // namespace tensorspec
