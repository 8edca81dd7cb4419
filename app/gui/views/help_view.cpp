#include "app/gui/views/help_view.h"

#include <QFile>
#include <QLineEdit>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

// Rows on white space alone; Markdown's tables come with a frame around every cell.
void makePlain(QTextTable& table)
{
    QTextTableFormat format = table.format();
    format.setBorder(0);
    format.setCellSpacing(0);
    format.setCellPadding(3);
    table.setFormat(format);
}

}  // namespace

HelpView::HelpView(const LanguageInfo& language, ViewContext context, QWidget* parent)
    : View(QStringLiteral("help"), tr("Help"), QStringLiteral("help"), context, parent), language_(language)
{
}

void HelpView::makeContent()
{
    auto* page = new QWidget(frame());
    auto* bar = new QWidget(page);
    search_ = new QLineEdit(bar);
    browser_ = new QTextBrowser(page);
    search_->setPlaceholderText(tr("Search the language: copy, reduce, barrier…"));
    search_->setClearButtonEnabled(true);
    browser_->setOpenLinks(false);
    browser_->setFrameShape(QFrame::NoFrame);
    bar->setProperty("role", "bar");
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* barLayout = new QHBoxLayout(bar);
    barLayout->setContentsMargins(8, 4, 8, 4);
    barLayout->addWidget(search_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(browser_, 1);
    setContent(page);
    setFocusProxy(search_);
    connect(search_, &QLineEdit::textChanged, this, &HelpView::filter);
}

void HelpView::applyTheme() { browser_->document()->setDefaultFont(uiFont()); }

void HelpView::refresh()
{
    filter(search_->text());
    showContent();
}

void HelpView::showGuide()
{
    prepare();
    search_->clear();
    filter({});
}

void HelpView::lookUp(const QString& word)
{
    prepare();
    const auto* entry = language_.find(word);
    search_->setText(entry ? entry->name : word.mid(word.lastIndexOf(QLatin1Char('.')) + 1));
}

QString HelpView::entryHtml(const LanguageEntry& entry) const
{
    return QStringLiteral("<p style='margin-top:10px'><span style='font-family:\"Tilewright Mono\"; color:%1'>%2</span><br>%3"
                          " <span style='color:%4'>%5</span></p>")
        .arg(theme().color("tileOp").name(), entry.signature.toHtmlEscaped(), entry.text.toHtmlEscaped(), theme().color("muted").name(), entry.group);
}

void HelpView::filter(const QString& text)
{
    if (text.trimmed().isEmpty()) {
        QFile guide(QStringLiteral(":/help/guide.md"));
        if (guide.open(QIODevice::ReadOnly))
            browser_->setMarkdown(QString::fromUtf8(guide.readAll()));
        for (auto* frame : browser_->document()->rootFrame()->childFrames())
            if (auto* table = qobject_cast<QTextTable*>(frame))
                makePlain(*table);
        return;
    }
    QString byName, byText;
    for (const auto& entry : language_.entries()) {
        if (entry.name.contains(text, Qt::CaseInsensitive))
            byName += entryHtml(entry);
        else if (entry.text.contains(text, Qt::CaseInsensitive) || entry.group.contains(text, Qt::CaseInsensitive))
            byText += entryHtml(entry);
    }
    const QString nothing = tr("<p>The language has no such name. Clear the search to read the guide.</p>");
    browser_->setHtml(byName.isEmpty() && byText.isEmpty() ? nothing : byName + byText);
}

}  // namespace tw::gui
