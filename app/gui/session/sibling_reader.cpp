#include "app/gui/session/sibling_reader.h"

#include <QDir>
#include <QFile>

namespace tw::gui {
namespace {
constexpr qint64 kLargestSibling = 4 << 20;  // bytes; a larger file is no kernel helper
}

std::optional<std::string> SiblingReader::read(const std::string& path)
{
    const QString base = QDir(QString::fromStdString(folder_)).filePath(QString::fromStdString(path));
    for (const QString& name : {base + QStringLiteral(".py"), base + QStringLiteral("/__init__.py")}) {
        QFile file(name);
        if (!file.exists() || file.size() > kLargestSibling || !file.open(QIODevice::ReadOnly))
            continue;
        std::string text = file.readAll().toStdString();
        const std::lock_guard lock(mutex_);
        given_[path] = text;
        return text;
    }
    return std::nullopt;
}

std::map<std::string, std::string> SiblingReader::given() const
{
    const std::lock_guard lock(mutex_);
    return given_;
}

}  // namespace tw::gui
