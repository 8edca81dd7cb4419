#include "app/gui/windows/document_area.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QTabBar>
#include <QTabWidget>

#include "app/gui/windows/welcome_page.h"

namespace tw::gui {

DocumentArea::DocumentArea(const LanguageInfo& language, QWidget* parent)
    : QStackedWidget(parent), language_(language), tabs_(new QTabWidget(this)), welcome_(new WelcomePage(this)),
      theme_(Theme::load(QStringLiteral("light")))
{
    tabs_->setDocumentMode(true);
    tabs_->setTabsClosable(true);
    tabs_->setMovable(true);
    tabs_->tabBar()->setElideMode(Qt::ElideNone);  // "1…y" names nothing; the bar scrolls instead
    tabs_->tabBar()->setExpanding(false);
    addWidget(welcome_);
    addWidget(tabs_);
    connect(tabs_, &QTabWidget::currentChanged, this, [this] {
        setCurrentIndex(tabs_->count() > 0 ? 1 : 0);
        Q_EMIT currentChanged(current());
    });
    connect(tabs_, &QTabWidget::tabCloseRequested, this,
            [this](int index) { close(*qobject_cast<DocumentPage*>(tabs_->widget(index))); });
    connect(welcome_, &WelcomePage::openRequested, this, &DocumentArea::askAndOpen);
    connect(welcome_, &WelcomePage::newRequested, this, &DocumentArea::openNew);
    connect(welcome_, &WelcomePage::fileRequested, this, &DocumentArea::open);
}

DocumentPage* DocumentArea::current() const { return qobject_cast<DocumentPage*>(tabs_->currentWidget()); }

QList<DocumentPage*> DocumentArea::pages() const
{
    QList<DocumentPage*> pages;
    for (int i = 0; i < tabs_->count(); ++i)
        pages << qobject_cast<DocumentPage*>(tabs_->widget(i));
    return pages;
}

DocumentPage* DocumentArea::open(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (absolute.endsWith(QLatin1String(".twr"), Qt::CaseInsensitive)) {
        Q_EMIT captureRequested(absolute);
        return nullptr;
    }
    for (auto* page : pages()) {
        if (page->path() == absolute) {
            tabs_->setCurrentWidget(page);
            return page;
        }
    }
    auto page = std::make_unique<DocumentPage>(language_, QFileInfo(path).fileName());
    QString error;
    if (!page->load(absolute, error)) {
        QMessageBox::warning(this, tr("Open"), error);
        return nullptr;
    }
    auto* added = addPage(std::move(page));
    Q_EMIT opened(absolute);
    return added;
}

DocumentPage* DocumentArea::openText(const QString& name, const std::string& text)
{
    for (auto* page : pages()) {
        if (page->editor().textBytes() == text) {
            tabs_->setCurrentWidget(page);
            return page;
        }
    }
    auto page = std::make_unique<DocumentPage>(language_, name);
    page->setText(text);
    return addPage(std::move(page));
}

DocumentPage* DocumentArea::openNew()
{
    const QString key = newFiles_ == 0 ? tr("untitled.py") : tr("untitled-%1.py").arg(newFiles_ + 1);
    auto* page = addPage(std::make_unique<DocumentPage>(language_, key));
    ++newFiles_;
    page->editor().setFocus();
    return page;
}

DocumentPage* DocumentArea::addPage(std::unique_ptr<DocumentPage> fresh)
{
    auto* page = fresh.release();
    page->editor().setTheme(theme_, codeSize_);
    connect(page, &DocumentPage::titleChanged, this, [this, page] { updateTitle(*page); });
    // The first tab becomes current at once; whoever listens must know the page by then.
    Q_EMIT pageAdded(page);
    tabs_->setCurrentIndex(tabs_->addTab(page, page->title()));
    tabs_->setTabToolTip(tabs_->indexOf(page), page->path());
    return page;
}

void DocumentArea::askAndOpen()
{
    const QString folder = current() ? QFileInfo(current()->path()).path() : QString();
    for (const auto& path : QFileDialog::getOpenFileNames(this, tr("Open kernels and captures"), folder,
                                                          tr("Kernels and captures (*.py *.twr);;All files (*)")))
        open(path);
}

bool DocumentArea::save(DocumentPage& page, bool askForName)
{
    QString path = page.path();
    if (askForName || path.isEmpty())
        path = QFileDialog::getSaveFileName(this, tr("Save"), page.key(), tr("Python files (*.py);;All files (*)"));
    if (path.isEmpty())
        return false;
    const QString oldKey = page.key();
    QString error;
    if (!page.save(path, error)) {
        QMessageBox::warning(this, tr("Save"), error);
        return false;
    }
    if (page.key() != oldKey) {
        Q_EMIT pageClosed(oldKey);
        Q_EMIT opened(page.path());
        Q_EMIT currentChanged(current());
    }
    return true;
}

bool DocumentArea::mayClose(DocumentPage& page)
{
    if (!page.isModified())
        return true;
    tabs_->setCurrentWidget(&page);
    const auto answer = QMessageBox::question(this, tr("Close"), tr("Save the changes to %1?").arg(page.title()),
                                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save(page, false));
}

bool DocumentArea::close(DocumentPage& page)
{
    if (!mayClose(page))
        return false;
    remove(page);
    return true;
}

void DocumentArea::remove(DocumentPage& page)
{
    const QString key = page.key();
    tabs_->removeTab(tabs_->indexOf(&page));
    page.deleteLater();
    Q_EMIT pageClosed(key);
}

bool DocumentArea::closeAll()
{
    const auto open = pages();
    // All questions first: whoever answers one with Cancel keeps every tab.
    if (!std::all_of(open.begin(), open.end(), [this](DocumentPage* page) { return mayClose(*page); }))
        return false;
    for (auto* page : open)
        remove(*page);
    return true;
}

void DocumentArea::setTheme(const Theme& theme, double codeSize)
{
    theme_ = theme;
    codeSize_ = codeSize;
    for (auto* page : pages())
        page->editor().setTheme(theme, codeSize);
}

void DocumentArea::setRecentFiles(const QStringList& paths) { welcome_->setRecentFiles(paths); }

void DocumentArea::cycle(int steps)
{
    if (const int count = tabs_->count(); count > 0)
        tabs_->setCurrentIndex((tabs_->currentIndex() + steps + count) % count);
}

void DocumentArea::updateTitle(DocumentPage& page)
{
    const int index = tabs_->indexOf(&page);
    if (index < 0)
        return;
    tabs_->setTabText(index, page.isModified() ? page.title() + QStringLiteral(" \u2022") : page.title());
    tabs_->setTabToolTip(index, page.path());
    Q_EMIT titlesChanged();
}

}  // namespace tw::gui
