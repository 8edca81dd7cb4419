#include "app/gui/windows/document_page.h"

#include <QFile>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>
#include <QTimer>

#include "app/gui/editor/find_bar.h"

namespace tw::gui {
namespace {

constexpr qint64 kLargestFile = 16 << 20;  // as core/syntax

}  // namespace

std::optional<std::string> readFile(const QString& path, QString& error)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        error = DocumentPage::tr("cannot open %1: %2").arg(path, file.errorString());
        return std::nullopt;
    }
    const QByteArray text = file.read(kLargestFile + 1);  // a device tells no size, and may never end
    if (text.size() > kLargestFile) {
        error = DocumentPage::tr("%1 is larger than %2 MiB").arg(path).arg(kLargestFile >> 20);
        return std::nullopt;
    }
    return text.toStdString();
}

DocumentPage::DocumentPage(const LanguageInfo& language, const QString& key, QWidget* parent)
    : QWidget(parent), key_(key), editor_(new CodeEditor(language, this)), find_(new FindBar(*editor_, this)),
      watcher_(new QFileSystemWatcher(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeNotice());
    layout->addWidget(editor_, 1);
    layout->addWidget(find_);
    setFocusProxy(editor_);
    connect(editor_, &QsciScintilla::modificationChanged, this, &DocumentPage::titleChanged);
    // Editors that replace a file by renaming give two events; one look after they have settled is enough.
    connect(watcher_, &QFileSystemWatcher::fileChanged, this,
            [this] { QTimer::singleShot(100, this, &DocumentPage::onDiskChange); });
}

QFrame* DocumentPage::makeNotice()
{
    notice_ = new QFrame(this);
    notice_->setProperty("role", "notice");
    noticeText_ = new QLabel(notice_);
    auto* reload = new QPushButton(tr("Reload"), notice_);
    auto* keep = new QPushButton(tr("Keep mine"), notice_);
    auto* layout = new QHBoxLayout(notice_);
    layout->setContentsMargins(12, 5, 8, 5);
    layout->addWidget(noticeText_, 1);
    layout->addWidget(reload);
    layout->addWidget(keep);
    notice_->hide();
    connect(reload, &QPushButton::clicked, this, [this] {
        QString error;
        if (!load(path_, error))
            noticeText_->setText(error);
    });
    connect(keep, &QPushButton::clicked, notice_, &QWidget::hide);
    return notice_;
}

bool DocumentPage::load(const QString& path, QString& error)
{
    const auto text = readFile(path, error);
    if (!text)
        return false;
    path_ = QFileInfo(path).absoluteFilePath();
    onDisk_ = *text;
    editor_->setEolMode(text->find("\r\n") != std::string::npos ? QsciScintilla::EolWindows : QsciScintilla::EolUnix);
    editor_->setTextBytes(*text);
    notice_->hide();
    watch();
    Q_EMIT titleChanged();
    return true;
}

bool DocumentPage::save(const QString& path, QString& error)
{
    const std::string text = editor_->textBytes();
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0 || !file.commit()) {
        error = tr("cannot save %1: %2").arg(path, file.errorString());
        return false;
    }
    onDisk_ = text;
    path_ = QFileInfo(path).absoluteFilePath();
    editor_->setModified(false);
    notice_->hide();
    watch();
    Q_EMIT titleChanged();
    return true;
}

void DocumentPage::setText(const std::string& text) { editor_->setTextBytes(text); }

void DocumentPage::setUnsavedText(const std::string& text)
{
    editor_->selectAll();
    editor_->replaceSelectedText(QString::fromStdString(text));
    editor_->setCursorPosition(0, 0);
}

QString DocumentPage::title() const { return path_.isEmpty() ? key_ : QFileInfo(path_).fileName(); }

void DocumentPage::watch()
{
    if (!watcher_->files().isEmpty())
        watcher_->removePaths(watcher_->files());
    watcher_->addPath(path_);
}

void DocumentPage::onDiskChange()
{
    watch();  // a replaced file is no longer watched
    QString error;
    const auto text = readFile(path_, error);
    if (text && *text == onDisk_)
        return;
    if (text && !isModified()) {
        [[maybe_unused]] const bool loaded = load(path_, error);
        return;
    }
    noticeText_->setText(text ? tr("The file was changed by another program, and here too.")
                              : tr("The file was removed by another program. Save to write it again."));
    notice_->show();
}

}  // namespace tw::gui
