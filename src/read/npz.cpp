// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz: a zip archive whose members NAME.npy are arrays called NAME (numpy.savez and savez_compressed of NumPy
// 2.4), as are other members that begin as arrays do, called by their whole name. Of each only the header is read, or
// inflated.
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "read/npy.hpp"
#include "read/reader.hpp"
#include "wire/zip.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kSuffix = ".npy";
// What is read of a member at first: NumPy pads headers to 64 bytes, and nearly all take 128.
constexpr std::size_t kFirstBytes = 512;
// Headers that do not fit there are told apart by a budget for the whole archive: a small archive can hold very many
// that inflate to the limit each.
constexpr std::size_t kMaxLongHeaders = std::size_t{16} << 20;

// NumPy looks at the contents, not at the name. False: it cannot be read.
Result<bool> is_array(ZipArchive& archive, const ZipMember& member) {
  std::array<char, kNpyMagic.size()> first;
  const auto got = archive.read_first(member, first);
  if (got.ok()) return std::string_view(first.data(), *got) == kNpyMagic;
  if (got.error().code == ErrorCode::file_read) return got.error();
  return false;
}

bool sniff(const Head& head) {
  const std::string_view mark = head.bytes.substr(0, 4);
  if (mark != std::string_view("PK\3\4", 4) && mark != std::string_view("PK\5\6", 4)) return false;
  const std::string_view first = zip_first_name(head.bytes);
  if (first.ends_with(kSuffix) && first.find('/') == std::string_view::npos) return true;
  // A file of torch, whatever else is in it.
  if (first.ends_with("/data.pkl") || readers::torch.sniff(head)) return false;
  if (first.ends_with(kSuffix)) return true;
  // The array may stand behind a member that is none; other formats are zip archives too.
  auto archive = ZipArchive::open(head.source);
  if (!archive.ok()) return false;
  for (const ZipMember& member : archive->members())
    if (member.name.ends_with(kSuffix)) return true;
  if (archive->members().empty()) return true;
  const auto array = is_array(*archive, archive->members()[0]);
  return array.ok() && *array;
}

class NpzReader {
 public:
  NpzReader(ByteSource& source, ZipArchive& archive) : source_(source), archive_(archive) {}

  // nullopt: the member is no array.
  Result<std::optional<TensorInfo>> read(const ZipMember& member) {
    std::string name = zip_name_text(member);
    const std::string path = name;
    const Place place{.file = source_.name(), .member = path};
    const auto fail = [&](ErrorCode code, std::string detail) {
      return Error{.code = code, .where = place.text(), .detail = std::move(detail)};
    };
    if (name.ends_with(kSuffix)) {
      name.resize(name.size() - kSuffix.size());
    } else {
      TRY(const bool array, is_array(archive_, member));
      if (!array) return std::optional<TensorInfo>();
    }
    if (name.find('\0') != std::string::npos || !is_utf8(name))
      return fail(ErrorCode::zip_member, "its name is not text in UTF-8");
    if (!names_.insert(name).second) return fail(ErrorCode::duplicate_tensor, "'" + name + "'");

    std::array<char, kFirstBytes> first;
    TRY(const std::size_t got, archive_.read_first(member, first));
    TRY(TensorInfo tensor,
        read_npy_header(place, {first.data(), got}, [&](std::size_t count) { return longer(place, member, count); }));
    tensor.name = std::move(name);
    return std::optional(std::move(tensor));
  }

 private:
  Result<std::string_view> longer(const Place& place, const ZipMember& member, std::size_t count) {
    if (count > budget_)
      return Error{.code = ErrorCode::npy_header_too_large,
                   .where = place.text(),
                   .detail = "the long headers of the archive take more than " + std::to_string(kMaxLongHeaders) +
                             " bytes together"};
    budget_ -= count;
    longer_.resize(count);
    TRY(const std::size_t got, archive_.read_first(member, longer_));
    return std::string_view(longer_).substr(0, got);
  }

  ByteSource& source_;
  ZipArchive& archive_;
  std::unordered_set<std::string> names_;
  std::string longer_;
  std::size_t budget_ = kMaxLongHeaders;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(ZipArchive archive, ZipArchive::open(source));
  NpzReader reader(source, archive);
  for (const ZipMember& member : archive.members()) {
    auto tensor = reader.read(member);
    if (!tensor.ok()) {
      if (!sink.bad(tensor.error())) break;
    } else if (*tensor) {
      sink.tensor(**std::move(tensor));
    }
  }
  return {};
}

}  // namespace

constinit const Reader readers::npz{.id = "npz",
                                    .title = "NumPy archive of arrays",
                                    .specification = "numpy.savez of NumPy 2.4, in zip (APPNOTE 6.3.10)",
                                    .extensions = ".npz",
                                    .sniff = sniff,
                                    .open = open};

}  // namespace tensorspec
