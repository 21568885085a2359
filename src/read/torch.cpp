// SPDX-License-Identifier: Apache-2.0
//
// What torch.save writes: a zip archive whose data.pkl is a pickle, or (before torch 1.6) pickles one after another.
// The pickle is read as data (wire/pickle.hpp): dicts, lists and tuples become paths, the functions that would rebuild
// tensors are read for dtype and shape, and every other object is named and left alone. Storages are not touched.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"
#include "wire/pickle.hpp"
#include "wire/zip.hpp"

namespace tensorspec {
namespace {

using Kind = Pickle::Kind;
using Value = Pickle::Value;

constexpr std::string_view kPickleName = "/data.pkl", kScriptName = "/constants.pkl";
// The pickle of the number that files before torch 1.6 begin with: 0x1950a86a20f9469cfc6c, protocol 2.
constexpr std::string_view kLegacyMark{"\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15};
constexpr std::int64_t kLegacyVersion = 1001;
// Containers within containers; shared ones are walked each time they are met, so there is a limit to that too.
constexpr std::size_t kMaxNesting = 64;
constexpr std::size_t kMaxVisits = std::size_t{1} << 24;
constexpr std::size_t kMaxNamesBytes = std::size_t{256} << 20;
// Classes that are told one by one.
constexpr std::size_t kMaxClasses = 100;

// "model" of "model/data.pkl": torch.load takes the folder of the first member for that of all.
std::string_view folder_of(std::string_view member) { return member.substr(0, member.find('/')); }

bool is_in(std::string_view member, std::string_view folder, std::string_view name) {
  return member.size() == folder.size() + name.size() && member.starts_with(folder) && member.ends_with(name);
}

const ZipMember* find_member(const ZipArchive& archive, std::string_view name) {
  if (archive.members().empty()) return nullptr;
  const std::string_view folder = folder_of(archive.members()[0].name);
  for (const ZipMember& member : archive.members())
    if (is_in(member.name, folder, name)) return &member;
  return nullptr;
}

bool sniff(const Head& head) {
  if (head.bytes.starts_with(kLegacyMark)) return true;
  const std::string_view first = zip_first_name(head.bytes);
  if (first.empty()) return false;
  if (is_in(first, folder_of(first), kPickleName)) return true;
  if (first.ends_with(".npy")) return false;
  const auto archive = ZipArchive::open(head.source);
  if (!archive.ok() || !find_member(*archive, kPickleName)) return false;
  const auto& members = archive->members();
  return std::none_of(members.begin(), members.end(), [](const ZipMember& m) { return m.name.ends_with(".npy"); });
}

// Reads the arguments of the functions of torch that rebuild tensors.
class Rebuilder {
 public:
  Rebuilder(const Pickle& pickle, const Place& place) : pickle_(pickle), place_(place) {}

  // The tensor that an object would be; nullopt: it would be something else. Errors: torch_tensor, invalid_extent,
  // rank_too_large.
  Result<std::optional<TensorInfo>> tensor(Value value, int depth = 0) const {
    if (value.kind != Kind::object) return std::optional<TensorInfo>();
    const Pickle::Object& object = pickle_.object(value);
    return rebuilt(object.callable, pickle_.items(object.arguments), object.offset, depth);
  }

 private:
  using Arguments = std::span<const Value>;
  static constexpr int kMaxDepth = 16;

  Result<std::optional<TensorInfo>> rebuilt(Value callable, Arguments arguments, std::size_t offset, int depth) const {
    if (depth == kMaxDepth) return bad(offset, "tensors of tensors, more than 16");
    const std::string_view module = pickle_.module_of(callable), name = pickle_.name_of(callable);
    if (module == "torch._tensor" && (name == "_rebuild_from_type" || name == "_rebuild_from_type_v2")) {
      if (arguments.size() < 3 || arguments[0].kind != Kind::global || arguments[2].kind != Kind::tuple)
        return bad(offset, "its arguments are no function, type and arguments");
      return rebuilt(arguments[0], pickle_.items(arguments[2]), offset, depth + 1);
    }
    if (module != "torch._utils") return std::optional<TensorInfo>();
    if (name == "_rebuild_parameter" || name == "_rebuild_parameter_with_state" ||
        name == "_rebuild_device_tensor_from_cpu_tensor")
      return of_tensor(arguments, offset, depth);
    if (name == "_rebuild_tensor" || name == "_rebuild_tensor_v2" || name == "_rebuild_qtensor")
      return of_storage(arguments, std::nullopt, offset);
    if (name == "_rebuild_tensor_v3") return of_storage(arguments, 6, offset);
    if (name == "_rebuild_sparse_tensor") return of_sparse(arguments, offset, depth);
    if (name == "_rebuild_meta_tensor_no_storage") return of_dtype(arguments, 0, offset);
    if (name == "_rebuild_wrapper_subclass") return of_dtype(arguments, 1, offset);
    return std::optional<TensorInfo>();
  }

  Error bad(std::size_t offset, std::string detail) const {
    return Error{.code = ErrorCode::torch_tensor, .where = place_.at(offset), .detail = std::move(detail)};
  }

  Result<std::optional<TensorInfo>> of_tensor(Arguments arguments, std::size_t offset, int depth) const {
    if (arguments.empty()) return bad(offset, "it is made of nothing");
    TRY(auto inner, tensor(arguments[0], depth + 1));
    if (!inner) return bad(offset, "it is made of what is no tensor");
    return inner;
  }

  // (storage, offset, size, stride, ..); the dtype is that of the storage, or the argument of that number.
  Result<std::optional<TensorInfo>> of_storage(Arguments arguments, std::optional<std::size_t> dtype,
                                               std::size_t offset) const {
    if (arguments.size() < (dtype ? *dtype + 1 : 4)) return bad(offset, "arguments are missing");
    TRY(const Storage storage, storage_of(arguments[0], offset));
    TensorInfo tensor{.name = {}, .dtype = storage.dtype, .shape = {}};
    if (dtype) tensor.dtype = dtype_of(arguments[*dtype]);
    TRY(tensor.shape, extents(arguments[2], offset));
    TRY_VOID(check_reach(tensor, arguments[1], arguments[3], storage, offset));
    return std::optional(std::move(tensor));
  }

  // (layout, (indices, .., values, size, ..)): one tensor of indices or two, and the size is the first that is no
  // tensor.
  Result<std::optional<TensorInfo>> of_sparse(Arguments arguments, std::size_t offset, int depth) const {
    if (arguments.size() < 2 || arguments[1].kind != Kind::tuple)
      return bad(offset, "its arguments are no layout and parts");
    std::optional<TensorInfo> values;
    for (const Value part : pickle_.items(arguments[1])) {
      TRY(auto inner, tensor(part, depth + 1));
      if (!inner) {
        if (!values) break;
        TRY(values->shape, extents(part, offset));
        return values;
      }
      values = std::move(inner);
    }
    return bad(offset, "it has no values or no size");
  }

  // (.., dtype, size, ..).
  Result<std::optional<TensorInfo>> of_dtype(Arguments arguments, std::size_t dtype, std::size_t offset) const {
    if (arguments.size() < dtype + 2) return bad(offset, "arguments are missing");
    TensorInfo tensor{.name = {}, .dtype = dtype_of(arguments[dtype]), .shape = {}};
    TRY(tensor.shape, extents(arguments[dtype + 1], offset));
    return std::optional(std::move(tensor));
  }

  struct Storage {
    DType dtype;
    std::int64_t count = 0;  // of elements; of bytes when it has no type
    bool untyped = false;
    bool is_view = false;
  };

  // The id ('storage', type, key, place, count[, view]).
  Result<Storage> storage_of(Value value, std::size_t offset) const {
    constexpr std::string_view kSuffix = "Storage";
    const Value id = value.kind == Kind::persistent ? pickle_.persistent_id(value) : Value{};
    const Arguments parts = id.kind == Kind::tuple ? pickle_.items(id) : Arguments();
    if (parts.size() < 5 || parts[0].kind != Kind::text || pickle_.text(parts[0]) != "storage" ||
        parts[1].kind != Kind::global || parts[4].kind != Kind::integer || parts[4].data < 0)
      return bad(offset, "it has no storage");
    std::string_view type = pickle_.name_of(parts[1]);
    if (!type.ends_with(kSuffix)) return bad(offset, "'" + std::string(type) + "' is no storage");
    type.remove_suffix(kSuffix.size());
    Storage storage{.dtype = {}, .count = parts[4].data, .untyped = type == "Untyped"};
    if (!storage.untyped) storage.dtype = DType::from_scalar_type(type);
    storage.is_view = parts.size() > 5 && parts[5].kind != Kind::none;
    return storage;
  }

  DType dtype_of(Value value) const {
    if (value.kind != Kind::global) return {};
    return DType::from_text(std::string(pickle_.module_of(value)) + "." + std::string(pickle_.name_of(value)));
  }

  // A tuple of sizes, or a torch.Size of one.
  Result<Shape> extents(Value value, std::size_t offset) const {
    if (value.kind == Kind::object && pickle_.is_global(pickle_.object(value).callable, "torch", "Size")) {
      const Arguments of_size = pickle_.items(pickle_.object(value).arguments);
      value = of_size.size() == 1 ? of_size[0] : Value{};
    }
    if (value.kind != Kind::tuple && value.kind != Kind::list) return bad(offset, "its size is no tuple");
    Shape shape;
    for (const Value extent : pickle_.items(value)) {
      if (shape.size() == kMaxRank)
        return Error{.code = ErrorCode::rank_too_large, .where = place_.at(offset), .detail = {}};
      if (extent.kind != Kind::integer || extent.data < 0 || extent.data > kMaxExtent)
        return Error{.code = ErrorCode::invalid_extent,
                     .where = place_.at(offset),
                     .detail = "axis " + std::to_string(shape.size())};
      shape.push_back(extent.data);
    }
    return shape;
  }

  // The last element lies within the storage, as torch demands.
  Status check_reach(const TensorInfo& tensor, Value begin, Value strides, const Storage& storage,
                     std::size_t offset) const {
    if (begin.kind != Kind::integer || strides.kind != Kind::tuple ||
        pickle_.items(strides).size() != tensor.shape.size())
      return bad(offset, "its strides do not belong to its size");
    if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end() || storage.is_view) return {};
    std::optional<std::int64_t> last = begin.data;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Value stride = pickle_.items(strides)[axis];
      if (stride.kind != Kind::integer || stride.data < 0) return bad(offset, "a stride is no size");
      const auto step = checked_mul(tensor.shape[axis] - 1, stride.data);
      last = last && step ? checked_add(*last, *step) : std::nullopt;
    }
    std::int64_t count = storage.count;
    if (storage.untyped) {
      const auto bits = tensor.dtype.bits();
      if (!bits) return {};
      count = static_cast<std::int64_t>(static_cast<std::uint64_t>(storage.count) * 8 / static_cast<unsigned>(*bits));
    }
    if (begin.data >= 0 && last && *last < count) return {};
    return bad(offset, "its last element is number " + (last ? std::to_string(*last) : "2^63 and more") +
                           " of a storage of " + std::to_string(count));
  }

  const Pickle& pickle_;
  const Place& place_;
};

// Walks the values of a pickle and gives its tensors to the sink under their paths.
class Walker {
 public:
  Walker(const Pickle& pickle, const Place& place, ReadSink& sink)
      : pickle_(pickle), place_(place), sink_(sink), rebuilder_(pickle, place) {}

  Status run() {
    const Value root = pickle_.root();
    if (is_call(root)) {
      TRY_VOID(give_call(root, 1));
    } else if (const auto items = sequence(root);
               !items.empty() && std::all_of(items.begin(), items.end(), [&](Value item) { return is_call(item); })) {
      for (std::size_t i = 0; i < items.size() && !stopped_; ++i) TRY_VOID(give_call(items[i], i + 1));
    } else {
      TRY_VOID(walk(root));
    }
    for (const auto& [name, met] : classes_) {
      if (stopped_) break;
      Error error{.code = ErrorCode::torch_object, .where = met.where, .detail = {}};
      error.detail = name + " at '" + met.path + "'" +
                     (met.count > 1 ? ", and " + std::to_string(met.count - 1) + " more of it" : "");
      stopped_ = !sink_.bad(error);
    }
    return {};
  }

 private:
  struct Met {
    std::string where, path;
    std::uint64_t count = 0;
  };

  Error too_large(std::string detail) const {
    return Error{.code = ErrorCode::pickle_too_large, .where = place_.text(), .detail = std::move(detail)};
  }

  std::span<const Value> sequence(Value value) const {
    if (value.kind == Kind::tuple || value.kind == Kind::list) return pickle_.items(value);
    return {};
  }

  // (args, kwargs): a tuple or list, and a dict whose keys are texts.
  bool is_call(Value value) const {
    if (value.kind != Kind::tuple || value.size != 2) return false;
    const Value args = pickle_.items(value)[0], kwargs = pickle_.items(value)[1];
    if ((args.kind != Kind::tuple && args.kind != Kind::list) || kwargs.kind != Kind::dict) return false;
    const auto entries = pickle_.items(kwargs);
    for (std::size_t i = 0; i < entries.size(); i += 2)
      if (entries[i].kind != Kind::text) return false;
    return true;
  }

  // A call of which a part is bad is no call.
  Status give_call(Value pair, std::uint64_t number) {
    Call call;
    tensors_ = &call.inputs;
    const std::uint64_t bad = bad_;
    path_ = "args";
    TRY_VOID(walk(pickle_.items(pair)[0]));
    path_.clear();
    TRY_VOID(walk(pickle_.items(pair)[1]));
    tensors_ = nullptr;
    if (stopped_ || bad != bad_) return {};
    if (auto status = validate(call); !status.ok()) {
      stopped_ = !sink_.bad(within(std::move(status).error(), place_.text(), ":"));
      return {};
    }
    sink_.call(call, number);
    return {};
  }

  Status walk(Value value) {
    if (stopped_) return {};
    if (++visits_ > kMaxVisits)
      return too_large("its containers hold more than " + std::to_string(kMaxVisits) +
                       " values, shared ones each time");
    switch (value.kind) {
      case Kind::tuple:
      case Kind::list: return walk_items(pickle_.items(value));
      case Kind::dict: return walk_entries(pickle_.items(value));
      case Kind::object: return walk_object(value);
      default: return {};
    }
  }

  Status deeper() {
    if (++depth_ <= kMaxNesting) return {};
    return too_large("nested deeper than " + std::to_string(kMaxNesting) + ", or a container that holds itself");
  }

  Status walk_items(std::span<const Value> items) {
    TRY_VOID(deeper());
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      path_ += "[" + std::to_string(i) + "]";
      TRY_VOID(walk(items[i]));
      path_.resize(length);
    }
    --depth_;
    return {};
  }

  Status walk_entries(std::span<const Value> entries) {
    TRY_VOID(deeper());
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
      TRY_VOID(add_key(entries[i]));
      TRY_VOID(walk(entries[i + 1]));
      path_.resize(length);
    }
    --depth_;
    return {};
  }

  // Keys that are neither text nor number have no spelling; their tensors share one name, which is told where it hurts.
  Status add_key(Value key) {
    const std::size_t before = path_.size();
    if (!path_.empty()) path_ += ".";
    if (key.kind == Kind::text) path_ += pickle_.text(key).substr(0, kMaxNameBytes + 1);
    else if (key.kind == Kind::integer) path_ += std::to_string(key.data);
    else path_ += "?";
    return count_name(path_.size() - before);
  }

  // Bytes of keys and names, those of shared containers each time.
  Status count_name(std::size_t size) {
    name_bytes_ += size;
    if (name_bytes_ <= kMaxNamesBytes) return {};
    return too_large("its names take more than " + std::to_string(kMaxNamesBytes) + " bytes");
  }

  Status walk_object(Value value) {
    auto tensor = rebuilder_.tensor(value);
    if (!tensor.ok()) {
      ++bad_;
      stopped_ = !sink_.bad(tensor.error());
      return {};
    }
    if (*tensor) return give(**std::move(tensor));
    const Pickle::Object& object = pickle_.object(value);
    const std::string_view module = pickle_.module_of(object.callable), name = pickle_.name_of(object.callable);
    if (is_dict(module, name)) return walk_dict(object);
    if (module == "builtins" || module == "__builtin__") {
      if (name == "set" || name == "frozenset") return walk_set(object);
      if (name == "complex" || name == "bytearray" || name == "slice" || name == "range") return {};
    }
    if (is_plain(module, name)) return {};
    return meet(module, name, object.offset);
  }

  static bool is_dict(std::string_view module, std::string_view name) {
    return module == "collections" && (name == "OrderedDict" || name == "defaultdict" || name == "Counter");
  }
  // What holds no tensor and no class of somebody's own.
  static bool is_plain(std::string_view module, std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kPlain[] = {
        {"torch", "Size"},
        {"torch", "device"},
        {"torch.serialization", "_get_layout"},
        {"_codecs", "encode"},
        {"numpy._core.multiarray", "scalar"},
        {"numpy.core.multiarray", "scalar"},
        {"numpy", "dtype"},
    };
    return std::find(std::begin(kPlain), std::end(kPlain), std::pair(module, name)) != std::end(kPlain);
  }

  // Entries were set afterwards, or given as a list of pairs (Python 2).
  Status walk_dict(const Pickle::Object& object) {
    TRY_VOID(walk_entries(object.items));
    for (const Value argument : pickle_.items(object.arguments)) {
      if (argument.kind == Kind::dict) TRY_VOID(walk(argument));
      if (argument.kind != Kind::list) continue;
      std::vector<Value> entries;
      for (const Value pair : pickle_.items(argument)) {
        const auto both = sequence(pair);
        if (both.size() == 2) entries.insert(entries.end(), both.begin(), both.end());
      }
      visits_ += entries.size();
      TRY_VOID(walk_entries(entries));
    }
    return {};
  }

  Status walk_set(const Pickle::Object& object) {
    for (const Value argument : pickle_.items(object.arguments)) TRY_VOID(walk(argument));
    return {};
  }

  // Each class is told once, with the first place it was met at.
  Status meet(std::string_view module, std::string_view name, std::size_t offset) {
    ++bad_;
    const std::string full = std::string(module) + "." + std::string(name);
    const auto found = classes_.find(full);
    if (found != classes_.end()) ++found->second.count;
    else if (classes_.size() < kMaxClasses) classes_[full] = {place_.at(offset), path_.substr(0, kMaxNameBytes), 1};
    return {};
  }

  Status give(TensorInfo tensor) {
    if (auto status = check_name(place_.file, path_); !status.ok()) {
      ++bad_;
      stopped_ = !sink_.bad(status.error());
      return {};
    }
    TRY_VOID(count_name(path_.size()));
    if (++count_ > kMaxTensors)
      return Error{.code = ErrorCode::too_many_tensors,
                   .where = place_.text(),
                   .detail = "the limit is " + std::to_string(kMaxTensors)};
    tensor.name = path_;
    if (tensors_) tensors_->push_back(std::move(tensor));
    else sink_.tensor(std::move(tensor));
    return {};
  }

  const Pickle& pickle_;
  const Place& place_;
  ReadSink& sink_;
  Rebuilder rebuilder_;
  std::vector<TensorInfo>* tensors_ = nullptr;  // of the call that is being gathered
  std::string path_;
  std::size_t depth_ = 0, visits_ = 0, count_ = 0, name_bytes_ = 0;
  std::uint64_t bad_ = 0;
  std::map<std::string, Met> classes_;
  bool stopped_ = false;
};

Status open_archive(ByteSource& source, ReadSink& sink) {
  TRY(ZipArchive archive, ZipArchive::open(source));
  const auto fail = [&](ErrorCode code, std::string detail) {
    return Error{.code = code, .where = source.name(), .detail = std::move(detail)};
  };
  const ZipMember* member = find_member(archive, kPickleName);
  if (!member) return fail(ErrorCode::torch_archive, "it has no data.pkl");
  if (find_member(archive, kScriptName))
    return fail(ErrorCode::torch_archive, "it is TorchScript, a program with its weights, which holds no calls");
  const Place place{.file = source.name(), .member = member->name};
  if (member->size > Pickle::kMaxBytes)
    return Error{.code = ErrorCode::pickle_too_large,
                 .where = place.text(),
                 .detail = std::to_string(member->size) + " bytes, the limit is " + std::to_string(Pickle::kMaxBytes)};
  PickleBytes bytes;
  bytes.held.resize(static_cast<std::size_t>(member->size));
  TRY(const std::size_t got, archive.read_first(*member, bytes.held));
  bytes.held.resize(got);
  TRY(const Pickle pickle, Pickle::parse(place, bytes, 0));
  return Walker(pickle, place, sink).run();
}

// Magic number, version of the format, facts of the machine, the object; then storages, which are not read.
Status open_legacy(ByteSource& source, ReadSink& sink) {
  const Place place = source.place();
  PickleBytes bytes;
  bytes.more = [&](std::string& held, std::size_t size) -> Status {
    const std::size_t begin = held.size();
    held.resize(size);
    TRY(const std::size_t got, source.read_at(begin, std::span(held).subspan(begin)));
    held.resize(begin + got);
    return {};
  };
  TRY(const Pickle magic, Pickle::parse(place, bytes, 0));
  if (!std::string_view(bytes.held).starts_with(kLegacyMark))
    return Error{
        .code = ErrorCode::torch_archive, .where = place.at(0), .detail = "neither a zip archive nor its number"};
  TRY(const Pickle version, Pickle::parse(place, bytes, magic.end()));
  if (const Value number = version.root(); number.kind != Kind::integer || number.data != kLegacyVersion)
    return Error{.code = ErrorCode::torch_archive,
                 .where = place.at(magic.end()),
                 .detail = "another version than " + std::to_string(kLegacyVersion)};
  TRY(const Pickle machine, Pickle::parse(place, bytes, version.end()));
  TRY(const Pickle pickle, Pickle::parse(place, bytes, machine.end()));
  return Walker(pickle, place, sink).run();
}

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const std::string_view head, source.head());
  return head.starts_with("PK") ? open_archive(source, sink) : open_legacy(source, sink);
}

}  // namespace

constinit const Reader readers::torch{.id = "torch",
                                      .title = "torch.save file",
                                      .specification = "torch.save of torch 2.13, as zip archive and as before 1.6",
                                      .extensions = ".pt .pth",
                                      .sniff = sniff,
                                      .open = open};

}  // namespace tensorspec
