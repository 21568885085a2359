// SPDX-License-Identifier: Apache-2.0
//
// What torch.save writes: a zip archive whose data.pkl is a pickle, or (before torch 1.6) pickles one after another.
// The pickle is read as data (wire/pickle.hpp): dicts, lists and tuples become paths, the functions that would rebuild
// tensors are read for dtype and shape, and every other object is named and left alone. Storages are not touched.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

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
// Of keys, and of the names, dtypes and shapes that come out; shared ones each time.
constexpr std::size_t kMaxGivenBytes = std::size_t{128} << 20;
// Classes that are told one by one, and tensors that cannot be read.
constexpr std::size_t kMaxTold = 100;

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
  if (first.find('/') == std::string_view::npos) return false;  // torch.load demands a folder
  if (is_in(first, folder_of(first), kPickleName)) return true;
  const auto archive = ZipArchive::open(head.source);
  return archive.ok() && find_member(*archive, kPickleName);
}

// What a value is called by; before torch 1.6 the class of a module is ('module', class, file, source), kept by torch.
// None: neither class nor function.
Value callable_of(const Pickle& pickle, const Pickle::Object& object) {
  if (object.callable.kind != Kind::persistent) return object.callable;
  const Value id = pickle.persistent_id(object.callable);
  if (id.kind != Kind::tuple || id.size < 2) return {};
  const auto parts = pickle.items(id);
  const bool is_module = parts[0].kind == Kind::text && pickle.text(parts[0]) == "module";
  return is_module && parts[1].kind == Kind::global ? parts[1] : Value{};
}

// Numbers of objects or containers of a pickle.
class Numbers {
 public:
  bool has(Value value) const noexcept { return index(value) < has_.size() && has_[index(value)]; }
  void add(Value value) {
    if (index(value) >= has_.size()) has_.resize(index(value) + 1);
    has_[index(value)] = true;
  }

 private:
  static std::size_t index(Value value) noexcept { return static_cast<std::size_t>(value.data); }
  std::vector<bool> has_;
};

// Reads the arguments of the functions of torch that rebuild tensors. Of what a tensor is made of one part at most is
// read in turn, so a tensor costs no more than its depth; each is a visit.
class Rebuilder {
 public:
  Rebuilder(const Pickle& pickle, const Place& place, std::size_t& visits)
      : pickle_(pickle), place_(place), visits_(visits) {}

  // The tensor that an object would be; nullopt: it would be something else. Errors: torch_tensor, invalid_extent,
  // rank_too_large.
  Result<std::optional<TensorInfo>> tensor(Value value, int depth = 0) const {
    if (value.kind != Kind::object) return std::optional<TensorInfo>();
    const Pickle::Object& object = pickle_.object(value);
    const Value callable = callable_of(pickle_, object);
    if (callable.kind != Kind::global) return std::optional<TensorInfo>();
    return rebuilt(callable, pickle_.items(object.arguments), object.offset, depth);
  }

 private:
  using Arguments = std::span<const Value>;
  static constexpr int kMaxDepth = 16;

  Result<std::optional<TensorInfo>> rebuilt(Value callable, Arguments arguments, std::size_t offset, int depth) const {
    ++visits_;
    if (depth == kMaxDepth) return bad(offset, "tensors of tensors, more than 16");
    const std::string_view module = pickle_.module_of(callable), name = pickle_.name_of(callable);
    if (module == "torch._tensor" && (name == "_rebuild_from_type" || name == "_rebuild_from_type_v2")) {
      if (arguments.size() < 3 || arguments[0].kind != Kind::global || arguments[2].kind != Kind::tuple)
        return bad(offset, "its arguments are no function, type and arguments");
      return rebuilt(arguments[0], pickle_.items(arguments[2]), offset, depth + 1);
    }
    if (name == "_rebuild_njt" || (module == "torch._utils" && name == "_rebuild_nested_tensor"))
      return bad(offset, "it is a nested tensor, whose parts have sizes of their own");
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

  // (layout, (indices, values, size, ..)), or with two tensors of indices. What is no size is not looked at but for the
  // values: parts that are shared would be read each time.
  Result<std::optional<TensorInfo>> of_sparse(Arguments arguments, std::size_t offset, int depth) const {
    if (arguments.size() < 2 || arguments[1].kind != Kind::tuple)
      return bad(offset, "its arguments are no layout and parts");
    const Arguments parts = pickle_.items(arguments[1]);
    for (std::size_t size = 2; size < std::min<std::size_t>(parts.size(), 4); ++size) {
      if (!is_size(parts[size])) continue;
      TRY(auto values, tensor(parts[size - 1], depth + 1));
      if (!values) break;
      TRY(values->shape, extents(parts[size], offset));
      return values;
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
    // Of these the storage counts bytes.
    if (const int packed = type == "QUInt4x2" ? 2 : type == "QUInt2x4" ? 4 : 1; packed > 1)
      storage.count = checked_mul(storage.count, packed).value_or(std::numeric_limits<std::int64_t>::max());
    storage.is_view = parts.size() > 5 && parts[5].kind != Kind::none;
    return storage;
  }

  DType dtype_of(Value value) const {
    if (value.kind != Kind::global) return {};
    return DType::from_text(std::string(pickle_.module_of(value)) + "." + std::string(pickle_.name_of(value)));
  }

  bool is_size(Value value) const {
    return value.kind == Kind::tuple || value.kind == Kind::list ||
           (value.kind == Kind::object && pickle_.is_global(pickle_.object(value).callable, "torch", "Size"));
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
  std::size_t& visits_;
};

// Walks the values of a pickle and gives its tensors to the sink under their paths.
class Walker {
 public:
  Walker(const Pickle& pickle, const Place& place, ReadSink& sink)
      : pickle_(pickle), place_(place), sink_(sink), rebuilder_(pickle, place, visits_) {}

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
    tell_the_rest();
    return {};
  }

 private:
  struct Met {
    std::string where, path;
    std::uint64_t count = 0;
  };

  void tell_the_rest() {
    if (bad_tensors_ > kMaxTold)
      tell(ErrorCode::torch_tensor, place_.text(), more(bad_tensors_ - kMaxTold, "bad ones"));
    for (const auto& [name, met] : classes_)
      tell(ErrorCode::torch_object, met.where,
           name + " at '" + met.path + "'" + (met.count > 1 ? ", and " + more(met.count - 1, "of it") : ""));
    if (other_.count > 0) tell(ErrorCode::torch_object, place_.text(), more(other_.count, "of other classes"));
  }
  static std::string more(std::uint64_t count, const std::string& what) {
    return std::to_string(count) + " more " + what;
  }
  void tell(ErrorCode code, std::string where, std::string detail) {
    if (!stopped_) stopped_ = !sink_.bad({.code = code, .where = std::move(where), .detail = std::move(detail)});
  }

  // A tensor that cannot be given.
  void refuse(const Error& error) {
    ++bad_;
    if (++bad_tensors_ <= kMaxTold) stopped_ = !sink_.bad(error);
  }

  Error too_large(std::string detail) const {
    return Error{.code = ErrorCode::pickle_too_large, .where = place_.text(), .detail = std::move(detail)};
  }

  std::span<const Value> sequence(Value value) const {
    if (value.kind == Kind::tuple || value.kind == Kind::list) return pickle_.items(value);
    return {};
  }

  // (args, kwargs): a tuple or list, and a dict whose keys are texts.
  bool is_call(Value value) {
    if (value.kind != Kind::tuple || value.size != 2) return false;
    const Value args = pickle_.items(value)[0], kwargs = pickle_.items(value)[1];
    if ((args.kind != Kind::tuple && args.kind != Kind::list) || kwargs.kind != Kind::dict) return false;
    if (text_keyed_.has(kwargs)) return true;  // shared ones are looked through once
    const auto entries = pickle_.items(kwargs);
    for (std::size_t i = 0; i < entries.size(); i += 2)
      if (entries[i].kind != Kind::text) return false;
    text_keyed_.add(kwargs);
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
    TRY_VOID(count_visits(1));
    switch (value.kind) {
      case Kind::tuple:
      case Kind::list: return walk_items(pickle_.items(value));
      case Kind::dict: return walk_entries(pickle_.items(value));
      case Kind::object: return walk_object(value);
      default: return {};
    }
  }

  Status count_visits(std::size_t count) {
    visits_ += count;
    if (visits_ <= kMaxVisits) return {};
    return too_large("its containers hold more than " + std::to_string(kMaxVisits) + " values, shared ones each time");
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
    if (key.kind == Kind::text) TRY_VOID(count_bytes(key.size));
    if (!path_.empty()) path_ += ".";
    if (key.kind == Kind::text) path_ += pickle_.text(key);
    else if (key.kind == Kind::integer) path_ += std::to_string(key.data);
    else path_ += "?";
    return {};
  }

  Status count_bytes(std::size_t size) {
    given_bytes_ += size;
    if (given_bytes_ <= kMaxGivenBytes) return {};
    return too_large("its names, dtypes and shapes take more than " + std::to_string(kMaxGivenBytes) + " bytes");
  }

  Status walk_object(Value value) {
    if (refused_.has(value)) {
      ++bad_;
      return {};
    }
    auto tensor = rebuilder_.tensor(value);
    if (!tensor.ok()) {
      refused_.add(value);
      refuse(tensor.error());
      return {};
    }
    if (*tensor) return give(**std::move(tensor));
    const Pickle::Object& object = pickle_.object(value);
    const Value callable = callable_of(pickle_, object);
    if (callable.kind != Kind::global) return meet({}, object.offset);
    const std::string_view module = pickle_.module_of(callable), name = pickle_.name_of(callable);
    if (is_dict(module, name)) return walk_dict(object);
    if (module == "builtins" || module == "__builtin__") {
      if (name == "set" || name == "frozenset") return walk_set(object);
      if (name == "complex" || name == "bytearray" || name == "slice" || name == "range") return {};
    }
    if (is_plain(module, name)) return {};
    return meet(callable, object.offset);
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
      TRY_VOID(count_visits(1));
      if (argument.kind == Kind::dict) TRY_VOID(walk(argument));
      if (argument.kind != Kind::list) continue;
      TRY_VOID(count_visits(pickle_.items(argument).size()));
      std::vector<Value> entries;
      for (const Value pair : pickle_.items(argument)) {
        const auto both = sequence(pair);
        if (both.size() == 2) entries.insert(entries.end(), both.begin(), both.end());
      }
      TRY_VOID(walk_entries(entries));
    }
    return {};
  }

  Status walk_set(const Pickle::Object& object) {
    for (const Value argument : pickle_.items(object.arguments)) TRY_VOID(walk(argument));
    return {};
  }

  // Each class is told once, with the first place it was met at. Names are compared once for each place where one
  // stands, since they may be long and objects shared.
  Status meet(Value callable, std::size_t offset) {
    ++bad_;
    Met*& met = by_place_.try_emplace(callable.data).first->second;
    if (!met) {
      const std::string name = callable.kind == Kind::global ? std::string(pickle_.module_of(callable)) + "." +
                                                                   std::string(pickle_.name_of(callable))
                                                             : "what is no class";
      const auto found = classes_.find(name);
      if (found != classes_.end()) met = &found->second;
      else if (classes_.size() == kMaxTold) met = &other_;
      else met = &(classes_[name] = {place_.at(offset), path_.substr(0, kMaxNameBytes), 0});
    }
    ++met->count;
    return {};
  }

  Status give(TensorInfo tensor) {
    TRY_VOID(count_bytes(path_.size() + tensor.dtype.name().size() + tensor.shape.size() * sizeof(std::int64_t)));
    if (auto status = check_name(place_.file, path_); !status.ok()) {
      refuse(status.error());
      return {};
    }
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
  std::size_t depth_ = 0, visits_ = 0, count_ = 0, given_bytes_ = 0;
  std::uint64_t bad_ = 0, bad_tensors_ = 0;
  Numbers text_keyed_, refused_;  // dicts; tensors that cannot be read, which are told once
  std::map<std::string, Met> classes_;
  Met other_;  // of the classes that are not told
  std::map<std::int64_t, Met*> by_place_;
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
