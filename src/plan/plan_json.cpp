// SPDX-License-Identifier: Apache-2.0
//
// The plan file, format version 1 (docs/plan.schema.json), and ladders that other people write.
#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kFormat = "tensorspec-plan";
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMaxProfiles = 65'536;
constexpr std::size_t kMaxSizes = std::size_t{1} << 20;  // in all profiles together

Json texts_json(const std::vector<std::string>& texts) { return Json::Array(texts.begin(), texts.end()); }

Json score_json(const PlanScore& score) {
  Json out = Json().add("profiles", static_cast<std::uint64_t>(score.profiles));
  return out.add("cost_per_call", score.cost_per_call).add("padding", score.padding);
}

Json plan_json(const Plan& plan) {
  Json::Array symbols, profiles, by_k, gaps;
  for (const PlannedSymbol& symbol : plan.symbols) {
    Json entry = Json().add("name", symbol.name);
    entry.add("min", symbol.min).add("max", symbol.max);
    entry.add("multiple_of", symbol.multiple_of).add("residue", symbol.residue).add("axes", texts_json(symbol.axes));
    symbols.push_back(std::move(entry));
  }
  for (std::size_t p = 0; p < plan.profiles.size(); ++p) {
    Json ranges = Json::Object();
    for (const auto& [name, range] : plan.profiles[p].symbols)
      ranges.add(name, Json().add("min", range.min).add("opt", range.opt).add("max", range.max));
    const ProfileUse& use = plan.uses[p];
    Json entry = Json().add("symbols", std::move(ranges)).add("calls", use.calls);
    profiles.push_back(entry.add("distinct", use.distinct).add("cost", use.cost));
  }
  for (const PlanScore& score : plan.by_k) by_k.push_back(score_json(score));
  for (const SizeRanges& box : plan.uncovered) {
    Json entry = Json::Object();
    for (const auto& [name, range] : box) entry.add(name, Json().add("min", range.min).add("max", range.max));
    gaps.push_back(std::move(entry));
  }
  Json out = Json().add("variant", static_cast<std::uint64_t>(plan.variant)).add("cost", plan.cost.to_string());
  out.add("calls", plan.calls).add("distinct", plan.distinct);
  out.add("symbols", std::move(symbols)).add("profiles", std::move(profiles));
  out.add("cost_per_call", plan.score.cost_per_call).add("padding", plan.score.padding);
  out.add("lower_bound", plan.lower_bound).add("optimal", plan.optimal);
  out.add("exact_cost_per_call", plan.exact_cost_per_call).add("by_k", std::move(by_k));
  out.add("powers_of_two", score_json(plan.powers_of_two)).add("unlimited", score_json(plan.unlimited));
  return out.add("uncovered", std::move(gaps)).add("notes", texts_json(plan.notes));
}

Error bad(std::string where, std::string detail) {
  return {ErrorCode::plan_format, std::move(where), std::move(detail)};
}

Result<std::int64_t> size_of(const Json& value, const std::string& where) {
  const auto size = value.int64();
  if (!size || *size < 0 || *size > kMaxExtent) return bad(where, "expected a size, a whole number from 0 to 2^62");
  return *size;
}

Result<std::vector<std::int64_t>> sizes_of(const Json& value, const std::string& where) {
  if (!value.array() || value.array()->empty()) return bad(where, "expected a list of sizes");
  std::vector<std::int64_t> out;
  for (const Json& item : *value.array()) {
    TRY(const std::int64_t size, size_of(item, where));
    out.push_back(size);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// 128, or {"min": 1, "opt": 64, "max": 128} with opt left out at will.
Result<ProfileRange> range_of(const Json& value, const std::string& where) {
  if (!value.is_object()) {
    TRY(const std::int64_t size, size_of(value, where));
    return ProfileRange{size, size, size};
  }
  const Json *min = value.find("min"), *opt = value.find("opt"), *max = value.find("max");
  if (!min || !max) return bad(where, "expected a size, or min and max");
  ProfileRange out;
  TRY(out.min, size_of(*min, where + ".min"));
  TRY(out.max, size_of(*max, where + ".max"));
  out.opt = out.max;
  if (opt) { TRY(out.opt, size_of(*opt, where + ".opt")); }
  if (out.min > out.opt || out.opt > out.max) return bad(where, "expected min <= opt <= max");
  return out;
}

// The mode is what was written, or whether any profile has room between min and max.
Result<Ladder> profiles_of(const Json& value, const Json* mode, const std::string& where) {
  if (!value.array() || value.array()->empty()) return bad(where, "expected a list of profiles");
  Ladder out;
  bool room = false;
  for (const Json& item : *value.array()) {
    const std::string place = where + "[" + std::to_string(out.profiles.size()) + "]";
    const Json* symbols = item.find("symbols") ? item.find("symbols") : &item;
    if (!symbols->object()) return bad(place, "expected an object with a size for each symbol");
    Profile profile;
    for (const auto& [name, range] : *symbols->object()) {
      TRY(profile.symbols[name], range_of(range, place + "." + printable(name)));
      room = room || profile.symbols[name].min < profile.symbols[name].max;
    }
    out.profiles.push_back(std::move(profile));
  }
  out.mode = room ? PlanMode::profiles : PlanMode::buckets;
  if (mode && mode->string()) {
    if (*mode->string() != "buckets" && *mode->string() != "profiles")
      return bad("mode", "expected \"buckets\" or \"profiles\"");
    out.mode = *mode->string() == "buckets" ? PlanMode::buckets : PlanMode::profiles;
  }
  return out;
}

Result<std::vector<Ladder>> plan_of(const Json& value) {
  const Json* version = value.find("version");
  if (!version || version->int64() != kVersion)
    return bad("version", "expected " + std::to_string(kVersion) + "; a newer program wrote this file, or none");
  const Json* plans = value.find("variants");
  if (!plans || !plans->array() || plans->array()->empty()) return bad("variants", "expected a list of plans");
  std::vector<Ladder> out;
  for (const Json& plan : *plans->array()) {
    const std::string where = "variants[" + std::to_string(out.size()) + "]";
    const Json *profiles = plan.find("profiles"), *variant = plan.find("variant");
    const auto index = variant ? variant->uint64() : std::nullopt;
    if (!profiles || !index) return bad(where, "expected the number of a variant, and profiles");
    TRY(Ladder ladder, profiles_of(*profiles, value.find("mode"), where + ".profiles"));
    ladder.variant = static_cast<std::size_t>(*index);
    out.push_back(std::move(ladder));
  }
  return out;
}

// Every combination of the lists, the last one's sizes changing fastest.
Result<Ladder> product_of(const Json::Object& lists) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> symbols;
  std::size_t count = 1;
  for (const auto& [name, list] : lists) {
    TRY(std::vector<std::int64_t> sizes, sizes_of(list, printable(name)));
    if (count * sizes.size() > kMaxProfiles)
      return bad(printable(name), "more than " + std::to_string(kMaxProfiles) + " combinations");
    count *= sizes.size();
    symbols.emplace_back(name, std::move(sizes));
  }
  if (count * symbols.size() > kMaxSizes)
    return bad("", std::to_string(count) + " combinations of " + std::to_string(symbols.size()) +
                       " symbols, more than " + std::to_string(kMaxSizes) + " sizes");
  Ladder out;
  out.profiles.resize(count);
  std::size_t repeats = count;  // of a size, one after another
  for (const auto& [name, sizes] : symbols) {
    repeats /= sizes.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t size = sizes[i / repeats % sizes.size()];
      out.profiles[i].symbols[name] = {size, size, size};
    }
  }
  return out;
}

}  // namespace

std::string to_json(const std::vector<Plan>& plans) {
  Json::Array variants;
  for (const Plan& plan : plans) variants.push_back(plan_json(plan));
  Json out = Json().add("format", kFormat).add("version", kVersion);
  if (!plans.empty()) out.add("mode", to_string(plans[0].mode)).add("k", static_cast<std::uint64_t>(plans[0].k));
  return out.add("variants", std::move(variants)).dump(2) + "\n";
}

Result<std::vector<Ladder>> parse_ladders(std::string_view text, std::string_view symbol) {
  TRY(const Json value, Json::parse(text));
  if (const Json* format = value.find("format")) {
    if (!format->string() || *format->string() != kFormat) return bad("format", "expected \"tensorspec-plan\"");
    return plan_of(value);
  }
  if (value.is_array()) {
    const bool plain =
        std::none_of(value.array()->begin(), value.array()->end(), [](const Json& v) { return v.is_object(); });
    if (plain && symbol.empty()) return bad("", "a list of sizes needs the name of its symbol");
    TRY(Ladder ladder, plain ? product_of({{std::string(symbol), value}}) : profiles_of(value, nullptr, "profiles"));
    return std::vector<Ladder>{std::move(ladder)};
  }
  if (!value.object() || value.object()->empty())
    return bad("", "expected a plan, a list of sizes, lists by symbol, or profiles");
  const Json* profiles = value.find("profiles");
  TRY(Ladder ladder, profiles ? profiles_of(*profiles, value.find("mode"), "profiles") : product_of(*value.object()));
  return std::vector<Ladder>{std::move(ladder)};
}

bool is_ladder(std::string_view text) {
  const auto value = Json::parse(text);
  if (!value.ok()) return false;
  if (const Json* format = value->find("format")) return format->string() && *format->string() == kFormat;
  if (value->is_array() || value->find("profiles")) return true;
  return value->object() && !value->object()->empty() &&
         std::all_of(value->object()->begin(), value->object()->end(),
                     [](const auto& member) { return member.second.is_array(); });
}

}  // namespace tensorspec
