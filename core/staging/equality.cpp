// Equality and hashes of staging values, in bounded time whatever they hold.
#include <cmath>
#include <functional>
#include <set>

#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/work.h"

namespace tw::staging {

namespace {

std::size_t mix(std::size_t a, std::size_t b) { return a * 1000003U ^ b; }

std::size_t hashInteger(Integer value)
{
    const auto low = static_cast<std::int64_t>(value);
    const auto high = static_cast<std::int64_t>(value >> 64);
    const std::size_t h = std::hash<std::int64_t>{}(low);
    return high == (low < 0 ? -1 : 0) ? h : mix(h, std::hash<std::int64_t>{}(high));
}

// As the integer that it is, if it is one: 2.0 ** 100 and 2 ** 100 are equal.
std::size_t hashNumber(double value)
{
    if (std::floor(value) == value)
        if (const auto i = toInteger(value))
            return hashInteger(*i);
    return std::hash<double>{}(value);
}

// The address of what a shared value points to; the identity of everything that is compared by identity.
const void* identity(const Value& value)
{
    return std::visit(
        [](const auto& v) -> const void* {
            using T = std::decay_t<decltype(v)>;
            if constexpr (requires { v.get(); })
                return v.get();
            else if constexpr (std::is_same_v<T, VarValue>)
                return v.buffer.get();
            else if constexpr (std::is_same_v<T, LayoutValue>)
                return v.map.get();
            else
                return nullptr;
        },
        value.data);
}

std::optional<double> numberOf(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return *b ? 1.0 : 0.0;
    if (const auto* i = value.get<Integer>())
        return static_cast<double>(*i);
    if (const auto* d = value.get<double>())
        return *d;
    return std::nullopt;
}

std::optional<Integer> integerOf(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return *b ? 1 : 0;
    if (const auto* i = value.get<Integer>())
        return *i;
    return std::nullopt;
}

// A dtype and a string are equal where the string names it.
std::optional<bool> equalDTypes(const Value& a, const Value& b)
{
    const auto* left = a.get<ir::DType>();
    const auto* right = b.get<ir::DType>();
    if (!left && !right)
        return std::nullopt;
    if (left && right)
        return *left == *right;
    const auto* text = left ? b.str() : a.str();
    if (!text)
        return false;
    return ir::parseDType(*text) == (left ? *left : *right);
}

// One comparison. A tuple may hold another one twice, which holds another one twice: pairs of containers that were met before
// are not walked again (they are equal, or the answer is known to be no).
class Equality {
public:
    // What was looked at, in items; 64 bytes of text are one.
    std::size_t work = 0;

    bool at(const Value& a, const Value& b, int depth)
    {
        if (depth > kMaxDepth || ++work > kMostWork)
            return false;
        if (const auto i = integerOf(a), j = integerOf(b); i && j)
            return *i == *j;
        if (const auto x = numberOf(a), y = numberOf(b); x && y)
            return *x == *y;
        if (const auto* s = a.str())
            if (const auto* t = b.str())
                return texts(*s, *t);
        if (const auto same = equalDTypes(a, b))
            return *same;
        if (a.isNone() || b.isNone())
            return a.isNone() && b.isNone();
        if (const auto same = containers(a, b, depth))
            return *same;
        if (const auto* x = a.object<InstanceValue>())
            if (const auto* y = b.object<InstanceValue>())
                return instances(*x, *y, depth);
        if (a.data.index() != b.data.index())
            return false;
        if (a.get<EllipsisValue>())
            return true;
        if (const auto* x = a.object<const BoundMethod>()) {
            const auto* y = b.object<const BoundMethod>();
            return identity(x->self) == identity(y->self) && identity(x->function) == identity(y->function);
        }
        return identity(a) != nullptr && identity(a) == identity(b);
    }

private:
    // Containers may hold themselves: below this depth nothing is equal, as Python would give up with an error.
    static constexpr int kMaxDepth = 200;
    static constexpr std::size_t kMostWork = std::size_t{1} << 25;  // more than the memory of staging holds
    static constexpr std::size_t kSmall = 1000;                     // below that, walking again is cheaper than remembering

    bool texts(const std::string& s, const std::string& t)
    {
        if (s.size() != t.size())
            return false;
        work += s.size() / 64;
        return s == t;
    }

    bool metBefore(const void* a, const void* b) { return a == b || (work > kSmall && !met_.emplace(a, b).second); }

    bool items(const std::vector<Value>& a, const std::vector<Value>& b, int depth)
    {
        if (a.size() != b.size())
            return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!at(a[i], b[i], depth + 1))
                return false;
        return true;
    }

    bool dicts(const DictValue& a, const DictValue& b, int depth)
    {
        if (a.items.size() != b.items.size())
            return false;
        for (const auto& [key, value] : a.items) {
            work += 4;
            const Value* other = mayHold(rivals(b, key), key) ? dictFind(b, key) : nullptr;
            if (!other || !at(value, *other, depth + 1))
                return false;
        }
        return true;
    }

    bool instances(const InstanceValue& a, const InstanceValue& b, int depth)
    {
        if (metBefore(&a, &b))
            return true;
        if (a.type != b.type || !a.type->attributes.contains("__dataclass_fields__"))
            return false;
        if (a.attributes.size() != b.attributes.size())
            return false;
        for (const auto& [name, value] : a.attributes) {
            const auto it = b.attributes.find(name);
            if (it == b.attributes.end() || !at(value, it->second, depth + 1))
                return false;
        }
        return true;
    }

    bool sets(const SetValue& a, const SetValue& b)
    {
        if (a.items.size() != b.items.size())
            return false;
        work += 4 * a.items.size();
        return std::all_of(a.items.begin(), a.items.end(), [&](const Value& item) { return mayHold(rivals(b, item), item) && setContains(b, item); });
    }

    // Whether a table may hold the key, of which it compares these. Many with one hash are an attack: that work counts.
    bool mayHold(const std::vector<const Value*>& rivals, const Value& key)
    {
        if (rivals.size() <= 1)
            return !rivals.empty();
        return std::any_of(rivals.begin(), rivals.end(), [&](const Value* rival) {
            Equality one;  // that two are no match says nothing about the tables
            one.work = work;
            const bool same = one.at(*rival, key, 0);
            work = one.work;
            return same;
        });
    }

    std::optional<bool> containers(const Value& a, const Value& b, int depth)
    {
        if (const auto* x = a.object<const TupleValue>())
            if (const auto* y = b.object<const TupleValue>())
                return metBefore(x, y) || items(x->items, y->items, depth);
        if (const auto* x = a.object<ListValue>())
            if (const auto* y = b.object<ListValue>())
                return metBefore(x, y) || items(x->items, y->items, depth);
        if (const auto* x = a.object<DictValue>())
            if (const auto* y = b.object<DictValue>())
                return metBefore(x, y) || dicts(*x, *y, depth);
        if (const auto* x = a.object<SetValue>())
            if (const auto* y = b.object<SetValue>())
                return x == y || sets(*x, *y);
        if (const auto* x = a.get<RangeValue>())
            if (const auto* y = b.get<RangeValue>()) {
                const Integer n = rangeLength(*x);
                return n == rangeLength(*y) && (n == 0 || (x->start == y->start && (n == 1 || x->step == y->step)));
            }
        return std::nullopt;
    }

    std::set<std::pair<const void*, const void*>> met_;
};

}  // namespace

bool equalValues(const Value& a, const Value& b) { return Equality().at(a, b, 0); }

bool equalValues(Evaluator& evaluator, const Value& a, const Value& b, const SourceRange& range)
{
    Equality equality;
    const bool equal = equality.at(a, b, 0);
    chargeItems(evaluator, equality.work, range);
    return equal;
}

namespace {

// Hashes at most so many values of a nest: equal values are walked alike, so they still hash alike, and a tuple nested a
// hundred thousand times deep costs no more than another. The items of a tuple share what is left evenly: a long first one
// leaves something for those behind it.
class Hasher {
public:
    explicit Hasher(std::size_t most) : left_(most) {}

    std::size_t of(const Value& value)
    {
        if (left_ == 0)
            return 0;
        --left_;
        if (const auto i = integerOf(value))
            return hashInteger(*i);
        if (const auto* d = value.get<double>())
            return hashNumber(*d);
        if (const auto* s = value.str())
            return ofText(*s);
        if (const auto* dtype = value.get<ir::DType>())
            return std::hash<std::string>{}(dtype->name());
        if (const auto* range = value.get<RangeValue>())
            return mix(hashInteger(rangeLength(*range)), hashInteger(range->start));
        if (const auto* method = value.object<const BoundMethod>())
            return std::hash<const void*>{}(identity(method->function));
        return ofParts(value);
    }

private:
    // A dtype hashes like every spelling of its name.
    static std::size_t ofText(const std::string& text)
    {
        if (!text.empty() && text.size() <= 24)
            if (const auto dtype = ir::parseDType(text))
                return std::hash<std::string>{}(dtype->name());
        return std::hash<std::string>{}(text);
    }

    std::size_t ofParts(const Value& value)
    {
        std::size_t h = value.data.index();
        if (left_ == 0)
            return h;
        if (const auto* tuple = value.object<const TupleValue>()) {
            h = mix(h, tuple->items.size());
            const std::size_t share = shareOf(tuple->items);
            for (const Value& item : tuple->items)
                h = mix(h, ofShare(item, share));
            return h;
        }
        if (const auto* set = value.object<SetValue>()) {
            for (const Value& item : set->items)
                h += Hasher(shareOf(set->items)).of(item);  // they come in any order, so each has a walk of its own
            left_ -= std::min(left_, set->items.size() * shareOf(set->items));
            return h;
        }
        if (const auto* object = value.object<InstanceValue>())
            if (object->type->attributes.contains("__dataclass_fields__")) {
                for (const auto& [name, item] : object->attributes)
                    h = mix(h, of(item));
                return h;
            }
        return std::hash<const void*>{}(identity(value));
    }

    [[nodiscard]] std::size_t shareOf(const std::vector<Value>& items) const
    {
        return std::max<std::size_t>(left_ / std::max<std::size_t>(items.size(), 1), 1);
    }

    std::size_t ofShare(const Value& item, std::size_t share)
    {
        Hasher own(std::min(share, left_));
        const std::size_t h = own.of(item);
        left_ -= std::min(share, left_) - own.left_;
        return h;
    }

    std::size_t left_;
};

}  // namespace

std::size_t hashValue(const Value& value) { return Hasher(1000).of(value); }

}  // namespace tw::staging
