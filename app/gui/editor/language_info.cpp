#include "app/gui/editor/language_info.h"

#include <QFile>

#include <algorithm>

#include "core/ir/ops.h"
#include "core/support/check.h"

namespace tw::gui {
namespace {

QString groupOf(ir::OpClass cls)
{
    switch (cls) {
    case ir::OpClass::kCopy: return QStringLiteral("Copies");
    case ir::OpClass::kProduct: return QStringLiteral("Matrix products");
    case ir::OpClass::kFill: return QStringLiteral("Fills");
    case ir::OpClass::kReduce:
    case ir::OpClass::kScan:
    case ir::OpClass::kReducer: return QStringLiteral("Reductions and scans");
    case ir::OpClass::kAtomic: return QStringLiteral("Atomics");
    case ir::OpClass::kMath: return QStringLiteral("Math");
    case ir::OpClass::kMemory: return QStringLiteral("Memory");
    case ir::OpClass::kWarp:
    case ir::OpClass::kThread: return QStringLiteral("Warps and threads");
    case ir::OpClass::kBarrier: return QStringLiteral("Barriers and fences");
    case ir::OpClass::kAsync: return QStringLiteral("Asynchronous engines");
    case ir::OpClass::kAnnotation: return QStringLiteral("Annotations");
    case ir::OpClass::kDebug:
    case ir::OpClass::kExtern:
    case ir::OpClass::kRandom: return QStringLiteral("Debugging, extern code, random numbers");
    }
    return {};
}

LanguageEntry makeEntry(const QString& name, const QString& doc, const QString& group)
{
    const QString dash = QStringLiteral(" \u2014 ");
    const auto cut = doc.indexOf(dash);
    if (cut < 0)
        return {name, doc, {}, group};
    return {name, doc.left(cut), doc.mid(cut + dash.size()), group};
}

}  // namespace

LanguageInfo LanguageInfo::load()
{
    LanguageInfo info;
    for (const auto& op : ir::allOps())
        info.entries_.push_back(makeEntry(QString::fromUtf8(op.name.data(), static_cast<qsizetype>(op.name.size())),
                                          QString::fromUtf8(op.doc.data(), static_cast<qsizetype>(op.doc.size())),
                                          groupOf(op.cls)));
    QFile file(QStringLiteral(":/help/constructs.txt"));
    TW_CHECK(file.open(QIODevice::ReadOnly), "the list of constructs is missing");
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        const auto bar = line.indexOf(QLatin1String(" | "));
        if (bar > 0 && !line.startsWith(QLatin1Char('#')))
            info.entries_.push_back(makeEntry(line.left(bar), line.mid(bar + 3), QStringLiteral("Constructs")));
    }
    std::stable_sort(info.entries_.begin(), info.entries_.end(),
                     [](const auto& a, const auto& b) { return a.name.compare(b.name, Qt::CaseInsensitive) < 0; });
    return info;
}

const LanguageEntry* LanguageInfo::find(const QString& name) const
{
    QString bare = name.mid(name.lastIndexOf(QLatin1Char('.')) + 1);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const LanguageEntry& e) { return e.name == bare; });
    return found == entries_.end() ? nullptr : &*found;
}

QString LanguageInfo::toolTip(const LanguageEntry& entry) const
{
    return QStringLiteral("<p style='white-space:pre-wrap'><code>%1</code></p><p>%2</p>")
        .arg(entry.signature.toHtmlEscaped(), entry.text.toHtmlEscaped());
}

}  // namespace tw::gui
