// itertools and functools: combinatorics of staging values, and functions of functions.
#include <algorithm>

#include <fmt/format.h>

#include "core/staging/modules/helpers.h"
#include "core/staging/modules/modules.h"

namespace tw::staging {

namespace {

using Pools = std::vector<std::vector<Value>>;

// An iterator over what is there already.
Value iteratorOver(std::vector<Value> items)
{
    auto position = std::make_shared<std::size_t>(0);
    auto shared = std::make_shared<const std::vector<Value>>(std::move(items));
    auto iterator = std::make_shared<IteratorValue>();
    iterator->next = [position, shared](Evaluator& evaluator) -> std::optional<Value> {
        if (*position >= shared->size())
            return {};
        evaluator.charge(1, evaluator.currentRange());
        return (*shared)[(*position)++];
    };
    return iterator;
}

// Tuples of one item from each pool, the last pool fastest: an odometer that makes one tuple at a time.
Value productOf(Pools pools)
{
    struct State {
        Pools pools;
        std::vector<std::size_t> at;
        bool done = false;
    };
    auto state = std::make_shared<State>();
    state->at.assign(pools.size(), 0);
    state->done = std::any_of(pools.begin(), pools.end(), [](const auto& pool) { return pool.empty(); });
    state->pools = std::move(pools);
    auto iterator = std::make_shared<IteratorValue>();
    iterator->next = [state](Evaluator& evaluator) -> std::optional<Value> {
        if (state->done)
            return {};
        // A tuple is memory, too: it costs more steps than an item.
        evaluator.charge(8 * (static_cast<std::int64_t>(state->pools.size()) + 1), evaluator.currentRange());
        std::vector<Value> items;
        for (std::size_t i = 0; i < state->pools.size(); ++i)
            items.push_back(state->pools[i][state->at[i]]);
        std::size_t axis = state->pools.size();
        while (axis > 0 && ++state->at[axis - 1] == state->pools[axis - 1].size())
            state->at[--axis] = 0;
        state->done = axis == 0;
        return makeTuple(std::move(items));
    };
    return iterator;
}

Value product(Evaluator& evaluator, const CallArguments& arguments)
{
    Pools pools;
    Integer repeat = 1;
    for (const CallArgument& argument : arguments.items) {
        if (argument.keyword == "repeat")
            repeat = needInteger(evaluator, *argument.value, "itertools.product", argument.range);
        else if (argument.value->object<const OpaqueValue>())
            return makeOpaque("itertools.product");
        else
            pools.push_back(evaluator.iterate(*argument.value, argument.range));
    }
    if (repeat < 0 || repeat > 64)
        evaluator.fail(Code::kValueRange, arguments.call, "itertools.product repeats 0 to 64 times");
    const Pools once = pools;
    if (repeat == 0)
        pools.clear();
    for (Integer i = 1; i < repeat; ++i)
        pools.insert(pools.end(), once.begin(), once.end());
    return productOf(std::move(pools));
}

Value chain(Evaluator& evaluator, const CallArguments& arguments)
{
    std::vector<Value> items;
    for (const CallArgument& argument : arguments.items)
        for (Value& item : evaluator.iterate(*argument.value, argument.range))
            items.push_back(std::move(item));
    return iteratorOver(std::move(items));
}

// All ways to choose `r` of the items, by positions in increasing order (combinations) or in any order (permutations).
Value choose(Evaluator& evaluator, const CallArguments& arguments, const std::string& name, bool ordered)
{
    const auto args = positional(evaluator, arguments, name, ordered ? 2 : 1, 2);
    if (anyOpaque(args))
        return makeOpaque(name);
    const std::vector<Value> pool = evaluator.iterate(args[0], arguments.call);
    const Integer wanted = args.size() == 2 ? needInteger(evaluator, args[1], name, arguments.call) : static_cast<Integer>(pool.size());
    if (wanted < 0)
        evaluator.fail(Code::kValueRange, arguments.call, fmt::format("{} chooses a number of items that is not negative", name));
    std::vector<Value> all;
    std::vector<std::size_t> chosen;
    const auto r = static_cast<std::size_t>(wanted);
    const std::function<void()> extend = [&] {
        evaluator.charge(1, arguments.call);
        if (chosen.size() == r) {
            evaluator.charge(8 * (static_cast<std::int64_t>(r) + 1), arguments.call);
            std::vector<Value> items;
            for (const std::size_t i : chosen)
                items.push_back(pool[i]);
            all.push_back(makeTuple(std::move(items)));
            return;
        }
        const std::size_t first = ordered && !chosen.empty() ? chosen.back() + 1 : 0;
        for (std::size_t i = first; i < pool.size(); ++i) {
            evaluator.charge(static_cast<std::int64_t>(r / 16), arguments.call);
            if (std::find(chosen.begin(), chosen.end(), i) != chosen.end())
                continue;
            chosen.push_back(i);
            extend();
            chosen.pop_back();
        }
    };
    if (wanted <= static_cast<Integer>(pool.size()) && wanted <= 64)
        extend();
    return iteratorOver(std::move(all));
}

Value repeat(Evaluator& evaluator, const CallArguments& arguments)
{
    const auto args = positional(evaluator, arguments, "itertools.repeat", 1, 2);
    auto left = std::make_shared<Integer>(args.size() == 2 ? needInteger(evaluator, args[1], "itertools.repeat", arguments.call) : -1);
    auto iterator = std::make_shared<IteratorValue>();
    iterator->next = [left, item = args[0]](Evaluator& e) -> std::optional<Value> {
        if (*left == 0)
            return {};
        e.charge(1, e.currentRange());
        if (*left > 0)
            --*left;
        return item;
    };
    return iterator;
}

Value countFrom(Evaluator& evaluator, const CallArguments& arguments)
{
    const BoundArguments args = evaluator.bind("start=0, step=1", arguments, "itertools.count");
    auto now = std::make_shared<Value>(args.has("start") ? args["start"] : Value(0));
    const Value step = args.has("step") ? args["step"] : Value(1);
    auto iterator = std::make_shared<IteratorValue>();
    iterator->next = [now, step, range = arguments.call](Evaluator& e) -> std::optional<Value> {
        e.charge(1, range);
        Value value = *now;
        *now = e.binary(syntax::BinaryOp::kAdd, value, step, range);
        return value;
    };
    return iterator;
}

Value islice(Evaluator& evaluator, const CallArguments& arguments)
{
    const auto args = positional(evaluator, arguments, "itertools.islice", 2, 4);
    const Integer first = args.size() == 2 || args[1].isNone() ? 0 : needInteger(evaluator, args[1], "itertools.islice", arguments.call);
    const Value& last = args.size() == 2 ? args[1] : args[2];
    const Integer stop = last.isNone() ? Integer{1} << 100 : needInteger(evaluator, last, "itertools.islice", arguments.call);
    const Integer step = args.size() == 4 && !args[3].isNone() ? needInteger(evaluator, args[3], "itertools.islice", arguments.call) : 1;
    if (first < 0 || stop < 0 || step < 1)
        evaluator.fail(Code::kValueRange, arguments.call, "itertools.islice takes numbers that are not negative and a step of at least 1");
    std::vector<Value> items;
    Integer position = 0;
    const auto take = [&](Value item) {
        if (position >= first && (position - first) % step == 0)
            items.push_back(std::move(item));
        ++position;
    };
    if (const auto* iterator = args[0].object<IteratorValue>()) {
        while (position < stop) {
            auto item = iterator->next(evaluator);
            if (!item)
                break;
            evaluator.charge(4, arguments.call);
            take(std::move(*item));
        }
    } else {
        for (Value& item : evaluator.iterate(args[0], arguments.call)) {
            if (position >= stop)
                break;
            take(std::move(item));
        }
    }
    return iteratorOver(std::move(items));
}

Value accumulate(Evaluator& evaluator, const CallArguments& arguments)
{
    const BoundArguments args = evaluator.bind("iterable, func=None, *, initial=None", arguments, "itertools.accumulate");
    std::vector<Value> sums;
    if (args.has("initial") && !args["initial"].isNone())
        sums.push_back(args["initial"]);
    for (const Value& item : evaluator.iterate(args["iterable"], arguments.call)) {
        if (sums.empty())
            sums.push_back(item);
        else if (args.has("func") && !args["func"].isNone())
            sums.push_back(evaluator.call(args["func"], {sums.back(), item}, arguments.call));
        else
            sums.push_back(evaluator.binary(syntax::BinaryOp::kAdd, sums.back(), item, arguments.call));
    }
    return iteratorOver(std::move(sums));
}

Value zipLongest(Evaluator& evaluator, const CallArguments& arguments)
{
    const BoundArguments args = evaluator.bind("*iterables, fillvalue=None", arguments, "itertools.zip_longest");
    Pools pools;
    std::size_t longest = 0;
    for (const Value& iterable : args.rest()) {
        pools.push_back(evaluator.iterate(iterable, arguments.call));
        longest = std::max(longest, pools.back().size());
    }
    std::vector<Value> rows;
    for (std::size_t i = 0; i < longest; ++i) {
        evaluator.charge(8 * (static_cast<std::int64_t>(pools.size()) + 1), arguments.call);
        std::vector<Value> row;
        for (const auto& pool : pools)
            row.push_back(i < pool.size() ? pool[i] : args["fillvalue"]);
        rows.push_back(makeTuple(std::move(row)));
    }
    return iteratorOver(std::move(rows));
}

Value pairwise(Evaluator& evaluator, const CallArguments& arguments)
{
    const auto args = positional(evaluator, arguments, "itertools.pairwise", 1, 1);
    const std::vector<Value> items = evaluator.iterate(args[0], arguments.call);
    std::vector<Value> pairs;
    for (std::size_t i = 1; i < items.size(); ++i)
        pairs.push_back(makeTuple({items[i - 1], items[i]}));
    return iteratorOver(std::move(pairs));
}

Value starmap(Evaluator& evaluator, const CallArguments& arguments)
{
    const auto args = positional(evaluator, arguments, "itertools.starmap", 2, 2);
    std::vector<Value> results;
    for (const Value& row : evaluator.iterate(args[1], arguments.call))
        results.push_back(evaluator.call(args[0], evaluator.iterate(row, arguments.call), arguments.call));
    return iteratorOver(std::move(results));
}

// ---- functools ----

// partial(f, *a, **k): what is given now comes first, later keywords win.
Value partial(Evaluator& evaluator, const CallArguments& arguments)
{
    if (arguments.items.empty() || !arguments.items[0].keyword.empty())
        evaluator.fail(Code::kCallArguments, arguments.call, "functools.partial takes a function first");
    const Value function = *arguments.items[0].value;
    const std::vector<CallArgument> fixed(arguments.items.begin() + 1, arguments.items.end());
    return makeNative("partial", [function, fixed](Evaluator& e, const CallArguments& later) {
        CallArguments all;
        all.call = later.call;
        all.callee = later.callee;
        const auto isPositional = [](const CallArgument& a) { return a.keyword.empty(); };
        std::copy_if(fixed.begin(), fixed.end(), std::back_inserter(all.items), isPositional);
        std::copy_if(later.items.begin(), later.items.end(), std::back_inserter(all.items), isPositional);
        for (const CallArgument& a : fixed)
            if (!isPositional(a) && std::none_of(later.items.begin(), later.items.end(),
                                                 [&](const CallArgument& b) { return b.keyword == a.keyword; }))
                all.items.push_back(a);
        std::copy_if(later.items.begin(), later.items.end(), std::back_inserter(all.items),
                     [&](const CallArgument& a) { return !isPositional(a); });
        return e.call(function, all);
    });
}

Value reduce(Evaluator& evaluator, const CallArguments& arguments)
{
    const auto args = positional(evaluator, arguments, "functools.reduce", 2, 3);
    std::vector<Value> items = evaluator.iterate(args[1], arguments.call);
    if (args.size() == 3)
        items.insert(items.begin(), args[2]);
    if (items.empty())
        evaluator.fail(Code::kValueRange, arguments.call, "functools.reduce of an empty sequence needs a start value");
    Value result = items[0];
    for (std::size_t i = 1; i < items.size(); ++i)
        result = evaluator.call(args[0], {result, items[i]}, arguments.call);
    return result;
}

// lru_cache, cache, wraps(f), total_ordering, cached_property and the like change nothing that staging can see: they give
// back the function, with or without arguments of their own.
Value transparentDecorator(const char* name, bool alwaysCalled)
{
    return makeNative(name, [alwaysCalled](Evaluator&, const CallArguments& arguments) -> Value {
        const bool direct = !alwaysCalled && arguments.items.size() == 1 && arguments.items[0].keyword.empty() &&
                            (arguments.items[0].value->object<FunctionValue>() || arguments.items[0].value->object<ClassValue>());
        if (direct)
            return *arguments.items[0].value;
        return makeNative("decorator", [](Evaluator& e, const CallArguments& inner) {
            return positional(e, inner, "a decorator", 1, 1)[0];
        });
    });
}

}  // namespace

std::optional<Value> itertoolsMember(const std::string& name)
{
    static const NativeTable table = {
        {"product", makeNative("product", product)},
        {"chain", makeNative("chain", chain)},
        {"repeat", makeNative("repeat", repeat)},
        {"count", makeNative("count", countFrom)},
        {"islice", makeNative("islice", islice)},
        {"accumulate", makeNative("accumulate", accumulate)},
        {"zip_longest", makeNative("zip_longest", zipLongest)},
        {"pairwise", makeNative("pairwise", pairwise)},
        {"starmap", makeNative("starmap", starmap)},
        {"combinations", makeNative("combinations", [](Evaluator& e, const CallArguments& a) { return choose(e, a, "itertools.combinations", true); })},
        {"permutations", makeNative("permutations", [](Evaluator& e, const CallArguments& a) { return choose(e, a, "itertools.permutations", false); })},
    };
    return lookUp(table, name);
}

std::optional<Value> functoolsMember(const std::string& name)
{
    static const NativeTable table = {
        {"partial", makeNative("partial", partial)},
        {"reduce", makeNative("reduce", reduce)},
        {"lru_cache", transparentDecorator("lru_cache", false)},
        {"cache", transparentDecorator("cache", false)},
        {"cached_property", transparentDecorator("cached_property", false)},
        {"total_ordering", transparentDecorator("total_ordering", false)},
        {"wraps", transparentDecorator("wraps", true)},
    };
    return lookUp(table, name);
}

}  // namespace tw::staging
