// Shared immutable nodes. Everything published is `const`, so any thread may read it.
#pragma once

#include <memory>
#include <variant>

namespace tw {

template <class T>
using Ref = std::shared_ptr<T>;

// match(variant, [](const A&) {…}, [](const B&) {…}): a new alternative breaks every place that must learn of it.
template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

template <class Variant, class... Fs>
decltype(auto) match(Variant&& variant, Fs&&... fs)
{
    return std::visit(Overloaded{std::forward<Fs>(fs)...}, std::forward<Variant>(variant));
}

}  // namespace tw
