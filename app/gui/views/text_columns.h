// Texts side by side with their differences marked and equal parts folded; they scroll together, and sideways where there are many.
#pragma once

#include <QScrollArea>

#include "app/gui/editor/text_pane.h"

class QHBoxLayout;
class QLabel;

namespace tw::gui {

class TextColumns : public QScrollArea {
    Q_OBJECT

public:
    explicit TextColumns(QWidget* parent = nullptr);

    struct Column {
        QString title;
        std::string text;
    };
    void setColumns(const std::vector<Column>& columns, Language language, bool folded);
    void setTheme(const Theme& theme, double codeSize);
    void goToChange(bool forward);
    [[nodiscard]] int changedRows() const { return changedRows_; }

private:
    void rebuild(std::size_t count, Language language);
    void follow(const TextPane& leader);

    struct Pane {
        QWidget* box;
        QLabel* title;
        TextPane* text;
    };
    QHBoxLayout* layout_;
    std::vector<Pane> panes_;
    std::vector<int> changed_;  // rows, from 1
    Language language_{};
    Theme theme_;
    double codeSize_ = 10.5;
    int changedRows_ = 0;
    bool following_ = false;
};

}  // namespace tw::gui
