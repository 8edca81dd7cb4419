// math: constants, functions of one and two numbers, integer functions.
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/staging/modules/helpers.h"
#include "core/staging/modules/modules.h"

namespace tw::staging {

namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

Value unaryFunction(const char* name, Unary f)
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, f](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, 1, 1);
        if (anyOpaque(args))
            return makeOpaque(full);
        const double x = needNumber(evaluator, args[0], full, arguments.call);
        const double y = f(x);
        if (std::isnan(y) && !std::isnan(x))
            evaluator.fail(Code::kValueRange, arguments.call, fmt::format("{} is not defined for {}", full, x));
        return y;
    });
}

Value binaryFunction(const char* name, Binary f)
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, f](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, 2, 2);
        if (anyOpaque(args))
            return makeOpaque(full);
        return f(needNumber(evaluator, args[0], full, arguments.call), needNumber(evaluator, args[1], full, arguments.call));
    });
}

// ceil, floor, trunc: a number to an int.
Value roundingFunction(const char* name, Unary f)
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, f](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, 1, 1);
        if (anyOpaque(args))
            return makeOpaque(full);
        if (const auto whole = asInteger(args[0]))
            return *whole;
        const double y = f(needNumber(evaluator, args[0], full, arguments.call));
        if (!std::isfinite(y) || std::fabs(y) >= 0x1p126)
            evaluator.fail(Code::kValueRange, arguments.call, fmt::format("{} of {} is no integer", full, y));
        return static_cast<Integer>(y);
    });
}

Integer gcdOf(Integer a, Integer b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0)
        a = std::exchange(b, a % b);
    return a;
}

// gcd and lcm take any number of integers.
Value foldIntegers(const char* name, Integer start, Integer (*f)(Integer, Integer))
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, start, f](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, 0, 64);
        if (anyOpaque(args))
            return makeOpaque(full);
        Integer result = start;
        for (const Value& arg : args)
            result = f(result, needInteger(evaluator, arg, full, arguments.call));
        return result;
    });
}

Integer lcmOf(Integer a, Integer b)
{
    const Integer g = gcdOf(a, b);
    const Integer l = g == 0 ? 0 : a / g * b;
    return l < 0 ? -l : l;
}

Value logarithm()
{
    return makeNative("log", [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, "math.log", 1, 2);
        if (anyOpaque(args))
            return makeOpaque("math.log");
        const double x = needNumber(evaluator, args[0], "math.log", arguments.call);
        if (!(x > 0))
            evaluator.fail(Code::kValueRange, arguments.call, fmt::format("math.log is not defined for {}", x));
        return args.size() == 1 ? std::log(x) : std::log(x) / std::log(needNumber(evaluator, args[1], "math.log", arguments.call));
    });
}

Value product()
{
    return makeNative("prod", [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const BoundArguments args = evaluator.bind("iterable, *, start=1", arguments, "math.prod");
        Value result = args.has("start") ? args["start"] : Value(1);
        if (args["iterable"].object<const OpaqueValue>())
            return makeOpaque("math.prod");
        for (const Value& item : evaluator.iterate(args["iterable"], arguments.call))
            result = evaluator.binary(syntax::BinaryOp::kMul, result, item, arguments.call);
        return result;
    });
}

Value integerSquareRoot()
{
    return makeNative("isqrt", [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, "math.isqrt", 1, 1);
        if (anyOpaque(args))
            return makeOpaque("math.isqrt");
        const Integer n = needInteger(evaluator, args[0], "math.isqrt", arguments.call);
        if (n < 0)
            evaluator.fail(Code::kValueRange, arguments.call, "math.isqrt needs a number that is not negative");
        auto root = static_cast<Integer>(std::sqrt(static_cast<double>(n)));
        while (root * root > n)
            --root;
        while ((root + 1) * (root + 1) <= n)
            ++root;
        return root;
    });
}

Value factorialOrComb(const char* name, bool isComb)
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, isComb](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, isComb ? 2 : 1, isComb ? 2 : 1);
        if (anyOpaque(args))
            return makeOpaque(full);
        const Integer n = needInteger(evaluator, args[0], full, arguments.call);
        const Integer k = isComb ? needInteger(evaluator, args[1], full, arguments.call) : n;
        if (n < 0 || k < 0 || (!isComb && n > 33) || n > 100)  // 33! is the last factorial below 2^127
            evaluator.fail(Code::kValueRange, arguments.call, fmt::format("{} is out of range", full));
        Integer result = 1;
        for (Integer i = 1; i <= k; ++i)
            result = isComb ? result * (n - i + 1) / i : result * i;
        return result;
    });
}

Value test(const char* name, bool (*f)(double))
{
    const std::string full = std::string("math.") + name;
    return makeNative(name, [full, f](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, full, 1, 1);
        if (anyOpaque(args))
            return makeOpaque(full);
        return f(needNumber(evaluator, args[0], full, arguments.call));
    });
}

NativeTable makeTable()
{
    return {
        {"pi", std::numbers::pi},
        {"e", std::numbers::e},
        {"tau", 2 * std::numbers::pi},
        {"inf", std::numeric_limits<double>::infinity()},
        {"nan", std::numeric_limits<double>::quiet_NaN()},
        {"ceil", roundingFunction("ceil", std::ceil)},
        {"floor", roundingFunction("floor", std::floor)},
        {"trunc", roundingFunction("trunc", std::trunc)},
        {"sqrt", unaryFunction("sqrt", std::sqrt)},
        {"cbrt", unaryFunction("cbrt", std::cbrt)},
        {"exp", unaryFunction("exp", std::exp)},
        {"exp2", unaryFunction("exp2", std::exp2)},
        {"expm1", unaryFunction("expm1", std::expm1)},
        {"log", logarithm()},
        {"log2", unaryFunction("log2", std::log2)},
        {"log10", unaryFunction("log10", std::log10)},
        {"log1p", unaryFunction("log1p", std::log1p)},
        {"sin", unaryFunction("sin", std::sin)},
        {"cos", unaryFunction("cos", std::cos)},
        {"tan", unaryFunction("tan", std::tan)},
        {"asin", unaryFunction("asin", std::asin)},
        {"acos", unaryFunction("acos", std::acos)},
        {"atan", unaryFunction("atan", std::atan)},
        {"sinh", unaryFunction("sinh", std::sinh)},
        {"cosh", unaryFunction("cosh", std::cosh)},
        {"tanh", unaryFunction("tanh", std::tanh)},
        {"erf", unaryFunction("erf", std::erf)},
        {"erfc", unaryFunction("erfc", std::erfc)},
        {"gamma", unaryFunction("gamma", std::tgamma)},
        {"fabs", unaryFunction("fabs", std::fabs)},
        {"radians", unaryFunction("radians", [](double x) { return x * std::numbers::pi / 180; })},
        {"degrees", unaryFunction("degrees", [](double x) { return x * 180 / std::numbers::pi; })},
        {"pow", binaryFunction("pow", std::pow)},
        {"fmod", binaryFunction("fmod", std::fmod)},
        {"atan2", binaryFunction("atan2", std::atan2)},
        {"hypot", binaryFunction("hypot", [](double x, double y) { return std::hypot(x, y); })},
        {"copysign", binaryFunction("copysign", std::copysign)},
        {"ldexp", binaryFunction("ldexp", [](double x, double n) { return std::ldexp(x, static_cast<int>(n)); })},
        {"isnan", test("isnan", [](double x) { return std::isnan(x); })},
        {"isinf", test("isinf", [](double x) { return std::isinf(x); })},
        {"isfinite", test("isfinite", [](double x) { return std::isfinite(x); })},
        {"gcd", foldIntegers("gcd", 0, gcdOf)},
        {"lcm", foldIntegers("lcm", 1, lcmOf)},
        {"prod", product()},
        {"isqrt", integerSquareRoot()},
        {"factorial", factorialOrComb("factorial", false)},
        {"comb", factorialOrComb("comb", true)},
    };
}

}  // namespace

std::optional<Value> mathMember(const std::string& name)
{
    static const NativeTable table = makeTable();
    return lookUp(table, name);
}

}  // namespace tw::staging
