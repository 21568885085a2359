// SPDX-License-Identifier: Apache-2.0
//
// What IOptimizationProfile::setDimensions takes (set_shape in Python), as JSON, since TensorRT has no file for it:
// {"profiles": [{"x": {"min": [1, 3], "opt": [4, 3], "max": [8, 3]}}]}
#include "base/json.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

Json sizes_json(const Shape& shape) { return Json::Array(shape.begin(), shape.end()); }

Status write(ExportJob& job) {
  TRY(const auto profiles, profile_shapes(*job.part().variant, job.part().boxes));
  if (profiles.empty()) job.note("no axis varies: a static model takes no profile");
  Json::Array list;
  for (const auto& shapes : profiles) {
    Json profile{Json::Object()};
    for (const ProfileShapes& shape : shapes)
      profile.add(
          shape.name,
          Json().add("min", sizes_json(shape.min)).add("opt", sizes_json(shape.opt)).add("max", sizes_json(shape.max)));
    list.push_back(std::move(profile));
  }
  job.print(Json().add("profiles", std::move(list)).dump(1) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::tensorrt{
    .info = {.id = "tensorrt",
             .engine = "TensorRT",
             .file = "tensorrt.json",
             .form = "JSON of our own for IOptimizationProfile",
             .proof = "format only: TensorRT needs a GPU",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
