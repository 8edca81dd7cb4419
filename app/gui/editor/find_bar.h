// Find and replace under a text. One bar serves an editor or a listing; a listing has no replace.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace tw::gui {

class TextPane;

class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(TextPane& pane, QWidget* parent = nullptr);

    void open(bool withReplace);
    void findNext(bool forward);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void update();
    void replaceOne();
    void replaceAll();
    void closeBar();
    QToolButton* makeToggle(const QString& text, const QString& toolTip);

    TextPane& pane_;
    QLineEdit* needle_;
    QLineEdit* replacement_;
    QLabel* count_;
    QToolButton *case_, *word_, *regex_;
    QWidget* replaceRow_;
};

}  // namespace tw::gui
