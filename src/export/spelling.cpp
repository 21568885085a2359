// SPDX-License-Identifier: Apache-2.0
#include "export/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>

#include "base/checked.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace tensorspec {
namespace {

std::string sum_in(const std::vector<Dim::Term>& terms, Notation notation, bool negated);

// floor or ceil of argument/divisor as a text and a sign: ceil(a/d) is -floor(-a/d).
std::pair<std::string, bool> rounding(const Dim& argument, std::int64_t divisor, bool up, Notation notation) {
  const std::string inner = sum_in(argument.terms(), notation, up);
  const std::string by = std::to_string(divisor);
  // Rounding has no denominator of its own: that of the argument was taken into the divisor.
  if (notation == Notation::jax) return {"floordiv(" + inner + ", " + by + ")", up};
  return {"((" + inner + ")//" + by + ")", up};
}

std::string sum_in(const std::vector<Dim::Term>& terms, Notation notation, bool negated) {
  std::vector<std::pair<bool, std::string>> parts;  // negative, text
  for (const Dim::Term& term : terms) {
    bool negative = (term.coefficient < 0) != negated;
    const std::int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    std::string text = size != 1 || term.factors.empty() ? std::to_string(size) : "";
    for (const Dim::Factor& factor : term.factors) {
      std::string part = factor.name;
      if (factor.kind != Dim::Factor::Kind::symbol) {
        const auto [rounded, minus] =
            rounding(*factor.argument, factor.divisor, factor.kind == Dim::Factor::Kind::ceil, notation);
        part = rounded;
        negative = negative != minus;
      }
      text += (text.empty() ? "" : "*") + part;
    }
    parts.emplace_back(negative, std::move(text));
  }
  if (parts.empty()) return "0";
  const auto lead = std::find_if(parts.begin(), parts.end(), [](const auto& part) { return !part.first; });
  if (lead != parts.end()) std::rotate(parts.begin(), lead, lead + 1);
  std::string out;
  for (const auto& [negative, text] : parts) {
    if (negative) out += "-";
    else if (!out.empty()) out += "+";
    out += text;
  }
  return out;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// One step of a path: a name, a key or an index.
struct Step {
  std::string key;
  std::optional<std::int64_t> index;
  bool attribute = false;
  friend bool operator==(const Step&, const Step&) = default;
};

// What lies deeper, or further on in a list, than any model's arguments is one name.
constexpr std::size_t kMaxSteps = 64;
constexpr std::int64_t kMaxIndex = 1024;

// "cache.layers[1].keys" as steps; what is no such path is one name.
std::vector<Step> steps_of(const std::string& path) {
  const std::vector<Step> whole = {{path, std::nullopt, false}};
  std::vector<Step> out;
  std::size_t at = 0;
  const auto name = [&] {
    const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
    if (!is_identifier(std::string_view(path).substr(at, end - at))) return false;
    out.push_back({path.substr(at, end - at), std::nullopt, !out.empty()});
    at = end;
    return true;
  };
  if (!name()) return whole;
  while (at < path.size()) {
    if (out.size() == kMaxSteps) return whole;
    if (path[at++] == '.') {
      if (!name()) return whole;
      continue;
    }
    const std::size_t end = path[at] == '"' ? path.find("\"]", at + 1) : path.find(']', at);
    if (end == std::string::npos) return whole;
    if (path[at] == '"') {
      out.push_back({path.substr(at + 1, end - at - 1), std::nullopt, false});
      at = end + 2;
    } else {
      const auto index = parse_int64(std::string_view(path).substr(at, end - at));
      if (!index || *index < 0 || *index > kMaxIndex) return whole;
      out.push_back({{}, index, false});
      at = end + 1;
    }
    if (at < path.size() && path[at] != '.' && path[at] != '[') return whole;
  }
  return out;
}

struct Node {
  std::string leaf;
  std::vector<std::pair<Step, std::unique_ptr<Node>>> children;  // in order of appearance

  Node& child(const Step& step) {
    for (auto& [key, node] : children)
      if (key == step) return *node;
    return *children.emplace_back(step, std::make_unique<Node>()).second;
  }
};

std::string python_of(const Node& node, Containers containers) {
  if (node.children.empty()) return node.leaf;
  const bool list = std::all_of(node.children.begin(), node.children.end(),
                                [](const auto& child) { return child.first.index.has_value(); });
  std::vector<std::string> items;
  if (list) {
    for (const auto& [step, child] : node.children) {
      const auto at = static_cast<std::size_t>(*step.index);
      if (items.size() <= at) items.resize(at + 1, "None");
      items[at] = python_of(*child, containers);
    }
    const std::string text = "[" + join(items, ", ") + "]";
    return containers == Containers::specs ? "SeqSpec(" + text + ")" : text;
  }
  for (const auto& [step, child] : node.children)
    items.push_back(text_literal(step.index ? std::to_string(*step.index) : step.key) + ": " +
                    python_of(*child, containers));
  const std::string text = "{" + join(items, ", ") + "}";
  if (containers == Containers::plain) return text;
  return (node.children[0].first.attribute ? "ObjectSpec(" : "DictSpec(") + text + ")";
}

}  // namespace

std::optional<Affine> affine_of(const Dim& dim) {
  if (dim.denominator() != 1) return std::nullopt;
  Affine out;
  for (const Dim::Term& term : dim.terms()) {
    if (term.factors.empty()) {
      out.constant = term.coefficient;
    } else if (term.factors.size() == 1 && term.factors[0].kind == Dim::Factor::Kind::symbol) {
      out.coefficients[term.factors[0].name] = term.coefficient;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string spell(const Dim& dim, Notation notation) {
  if (dim.denominator() == 1) return sum_in(dim.terms(), notation, false);
  const Dim::Term* only = dim.terms().size() == 1 ? &dim.terms()[0] : nullptr;
  const std::string sum = sum_in(dim.terms(), notation, false), by = std::to_string(dim.denominator());
  if (notation == Notation::jax) return "floordiv(" + sum + ", " + by + ")";
  return (only != nullptr && only->coefficient > 0 ? sum : "(" + sum + ")") + "//" + by;
}

std::string text_literal(std::string_view text) { return Json(text).dump(); }

std::string python_tuple(const std::vector<std::string>& items) {
  return "(" + join(items, ", ") + (items.size() == 1 ? ",)" : ")");
}

bool is_python_keyword(std::string_view name) {
  static constexpr std::string_view kKeywords[] = {
      "False",   "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class",   "continue", "def",   "del",    "elif", "else",   "except", "for",      "from",
      "finally", "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",      "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

std::string Names::take(std::string_view wanted) {
  std::string name(wanted);
  for (char& c : name)
    if (!is_identifier(std::string("_") + c)) c = '_';
  if (!is_identifier(name)) name.insert(0, "_");
  while (taken_.contains(name) || reserved_(name)) name += "_";
  taken_.insert(name);
  return name;
}

std::map<std::string, std::string> symbol_names(const Variant& variant, Names& names, ExportJob& job) {
  std::map<std::string, std::string> out;
  for (const Symbol& symbol : variant.symbols) {
    const std::string& name = out[symbol.name] = names.take(symbol.name);
    if (name != symbol.name) job.note("renamed: symbol " + symbol.name + " is " + name);
  }
  return out;
}

bool substitute(Variant& variant, const std::map<std::string, Dim>& values) {
  for (auto* tensors : {&variant.inputs, &variant.outputs})
    for (TensorContract& tensor : *tensors)
      for (Dim& dim : tensor.shape) {
        auto replaced = dim.substitute(values);
        if (!replaced.ok()) return false;
        dim = *std::move(replaced);
      }
  return true;
}

Variant renamed(const Variant& variant, const std::map<std::string, std::string>& names) {
  std::map<std::string, Dim> values;
  for (const auto& [from, to] : names)
    if (from != to) values.emplace(from, Dim::symbol(to));
  Variant out = variant;
  if (!values.empty()) substitute(out, values);  // a name for a name makes nothing larger
  for (Symbol& symbol : out.symbols)
    if (const auto found = names.find(symbol.name); found != names.end()) symbol.name = found->second;
  return out;
}

std::optional<Variant> without_steps(const Variant& variant) {
  Variant out = variant;
  std::map<std::string, Dim> values;
  for (Symbol& symbol : out.symbols) {
    const diffing::Domain domain = diffing::Domain::of(symbol);
    if (domain.low == domain.high) {
      values.emplace(symbol.name, Dim(domain.low));
      continue;
    }
    if (symbol.multiple_of == 1) continue;
    std::string name = symbol.name + "_" + std::to_string(symbol.multiple_of);
    while (variant.symbol(name) != nullptr) name += "_";
    const auto scaled = Dim::multiply(Dim(symbol.multiple_of), Dim::symbol(name));
    if (!scaled.ok()) return std::nullopt;
    const auto value = Dim::add(*scaled, Dim(symbol.residue));
    if (!value.ok()) return std::nullopt;
    values.emplace(symbol.name, *value);
    symbol.name = std::move(name);
    symbol.min = (domain.low - symbol.residue) / symbol.multiple_of;
    if (symbol.max) symbol.max = (domain.high - symbol.residue) / symbol.multiple_of;
    symbol.multiple_of = 1;
    symbol.residue = 0;
    symbol.typical.reset();
  }
  if (!substitute(out, values)) return std::nullopt;
  return out;
}

Variant within_box(const ExportJob::Part& part) {
  Variant out = *part.variant;
  for (Symbol& symbol : out.symbols) {
    const diffing::Domain& domain = part.box().domains.at(symbol.name);
    symbol.min = domain.low;
    symbol.max = domain.high == diffing::kNoLimit ? std::nullopt : std::optional(domain.high);
  }
  return out;
}

namespace {

// Marks the symbols that reading these axes makes known; true when there was a new one.
bool learn_symbol(const Dim& dim, bool bare, std::set<std::string>& known) {
  if (bare) return dim.as_symbol() != nullptr && known.insert(*dim.as_symbol()).second;
  const auto affine = affine_of(dim);
  const std::string* only = nullptr;
  for (const std::string& name : dim.symbols()) {
    if (known.contains(name)) continue;
    if (only != nullptr || !affine) return false;
    only = &affine->coefficients.find(name)->first;
  }
  return only != nullptr && known.insert(*only).second;
}

bool all_known(const Dim& dim, const std::set<std::string>& known) {
  const auto names = dim.symbols();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return known.contains(name); });
}

}  // namespace

Solvable solvable(const Variant& variant, bool bare, bool in_order) {
  Solvable out{variant, {}};
  std::set<std::string> known;
  for (bool progress = !in_order; progress;) {
    progress = false;
    for (const TensorContract& tensor : variant.inputs)
      for (const Dim& dim : tensor.shape) progress = learn_symbol(dim, bare, known) || progress;
  }
  diffing::Domains domains;
  for (const Symbol& symbol : variant.symbols) domains[symbol.name] = diffing::Domain::of(symbol);
  std::vector<std::pair<Dim, std::string>> own;
  for (TensorContract& tensor : out.variant.inputs)
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      Dim& dim = tensor.shape[axis];
      if (in_order) learn_symbol(dim, bare, known);
      if (all_known(dim, known)) continue;
      out.freed.push_back(axis_name(tensor.name, axis) + " = " + dim.to_string());
      auto found = std::find_if(own.begin(), own.end(), [&](const auto& entry) { return entry.first == dim; });
      if (found == own.end()) {
        Symbol symbol;
        for (const char c : dim.to_string())
          if (c == '+') symbol.name += "_plus_";
          else if (c == '-') symbol.name += "_minus_";
          else if (c == '*') symbol.name += "_x_";
          else if (c == '/') symbol.name += "_by_";
          else if (c == '(' || c == ')') symbol.name += "_";
          else symbol.name += c;
        if (symbol.name.front() >= '0' && symbol.name.front() <= '9') symbol.name.insert(0, "n");
        while (out.variant.symbol(symbol.name) != nullptr) symbol.name += "_";
        const diffing::Interval limits = diffing::bounds(dim, domains);
        symbol.min = std::max<std::int64_t>(limits.low, 0);
        if (limits.high != diffing::kNoLimit) symbol.max = limits.high;
        own.emplace_back(dim, symbol.name);
        out.variant.symbols.push_back(std::move(symbol));
        found = own.end() - 1;
      }
      dim = Dim::symbol(found->second);
    }
  return out;
}

Nested nested(const std::vector<std::pair<std::string, std::string>>& leaves, ExportJob& job, Containers containers) {
  Node root;
  for (const auto& [path, leaf] : leaves) {
    Node* node = &root;
    for (const Step& step : steps_of(path)) {
      node = &node->child(step);
      if (!node->leaf.empty()) break;  // of another tensor
    }
    if (node->leaf.empty() && node->children.empty()) node->leaf = leaf;
    else job.note("not said: " + printable(path) + ", whose place is another tensor's");
  }
  Nested out;
  for (const auto& [step, child] : root.children) {
    const bool positional = step.key == "args" && !child->children.empty() && child->children[0].first.index;
    if (!positional) {
      out.kwargs.emplace_back(step.key, python_of(*child, containers));
      continue;
    }
    for (const auto& [index, argument] : child->children) {
      const auto at = static_cast<std::size_t>(index.index.value_or(0));
      if (out.args.size() <= at) out.args.resize(at + 1, "None");
      out.args[at] = python_of(*argument, containers);
    }
  }
  return out;
}

std::string python_structure(const Nested& arguments) {
  std::string out;
  for (const std::string& argument : arguments.args) out += "    " + argument + ",\n";
  if (!arguments.args.empty()) {
    for (const auto& [name, argument] : arguments.kwargs) out += "    " + argument + ",  # " + printable(name) + "\n";
    return "(\n" + out + ")";
  }
  for (const auto& [name, argument] : arguments.kwargs) out += "    " + text_literal(name) + ": " + argument + ",\n";
  return "{\n" + out + "}";
}

std::optional<std::string> numpy_name(const DType& dtype) {
  switch (dtype.kind()) {
    case DType::Kind::boolean: return "bool";
    case DType::Kind::int8:
    case DType::Kind::int16:
    case DType::Kind::int32:
    case DType::Kind::int64:
    case DType::Kind::uint8:
    case DType::Kind::uint16:
    case DType::Kind::uint32:
    case DType::Kind::uint64:
    case DType::Kind::float16:
    case DType::Kind::float32:
    case DType::Kind::float64:
    case DType::Kind::complex64:
    case DType::Kind::complex128: return std::string(dtype.name());
    default: return std::nullopt;
  }
}

std::string dtype_in(const TensorContract& tensor, const std::function<std::optional<std::string>(const DType&)>& names,
                     ExportJob& job, std::string_view otherwise) {
  std::string word(otherwise);
  if (!tensor.dtypes.empty())
    if (const auto found = names(tensor.dtypes[0])) word = *found;
    else
      job.note("dtype " + std::string(tensor.dtypes[0].name()) + " of " + printable(tensor.name) +
               " has no word here: " + word + " stands for it");
  else job.note("dtype of " + printable(tensor.name) + " is not known: " + word + " stands for it");
  if (tensor.dtypes.size() > 1) {
    std::vector<std::string> others;
    for (const DType& dtype : tensor.dtypes) others.emplace_back(dtype.name());
    job.note("not said, dtypes: " + printable(tensor.name) + " is any of " + join(others, ", "));
  }
  return word;
}

}  // namespace tensorspec
