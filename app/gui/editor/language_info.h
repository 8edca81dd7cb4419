// The names of the language with their documentation, for completion, hover and help: the operations of core/ir and the
// constructs of resources/help/constructs.txt.
#pragma once

#include <QString>

#include <string>
#include <vector>

namespace tw::gui {

struct LanguageEntry {
    QString name;       // as after "T."
    QString signature;  // "copy(src, dst)"
    QString text;       // what it does, one sentence
    QString group;      // "Copies", "Constructs", …: the heading in the reference
};

class LanguageInfo {
public:
    static LanguageInfo load();

    // `name` with or without "T." or "tl."; null if the language has no such name.
    [[nodiscard]] const LanguageEntry* find(const QString& name) const;
    [[nodiscard]] const std::vector<LanguageEntry>& entries() const { return entries_; }  // by name
    [[nodiscard]] QString toolTip(const LanguageEntry& entry) const;                      // rich text

private:
    std::vector<LanguageEntry> entries_;
};

}  // namespace tw::gui
