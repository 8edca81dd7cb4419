#!/usr/bin/env python3
"""Makes the two families that the window carries from the fonts they are derived from (fontTools; OFL.txt names them).

    make.py FOLDER      with Inter-Regular.otf, Inter-SemiBold.otf, JetBrainsMono-{Regular,Bold,Italic}.ttf

Both have names of their own, so that no other version that a machine has is taken instead, and hold the characters of European
scripts, mathematics, arrows and boxes. Mono has no ligatures: one character, one cell, and shaping costs next to nothing. Sans has
digits of one width, so that columns of numbers line up.
"""
import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

CHARACTERS = ("0020-052F", "1E00-1EFF", "2000-20CF", "2100-23FF", "2500-27BF", "2900-297F", "2A00-2BFF", "FB00-FB06", "FEFF", "FFFD")


def characters():
    for span in CHARACTERS:
        first, _, last = span.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def fix_digits(font):
    """Tabular digits stand for the ordinary ones."""
    gsub = font["GSUB"].table
    lookups = {i for f in gsub.FeatureList.FeatureRecord if f.FeatureTag == "tnum" for i in f.Feature.LookupListIndex}
    tabular = {}
    for index in lookups:
        for table in gsub.LookupList.Lookup[index].SubTable:
            tabular.update(getattr(table, "ExtSubTable", table).mapping)
    digits = {ord(d): tabular[font.getBestCmap()[ord(d)]] for d in "0123456789"}
    for table in font["cmap"].tables:
        table.cmap.update(digits)


def make(source, family, style, features):
    font = TTFont(source)
    if "tnum" in features:
        fix_digits(font)
    options = subset.Options(layout_features=[f for f in features if f != "tnum"], name_IDs=["*"], name_languages=["*"], notdef_outline=True)
    options.drop_tables += ["DSIG"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    plain = style in ("Regular", "Bold", "Italic")
    file = f"{family}-{style}".replace(" ", "")
    names = {1: family if plain else f"{family} {style}", 3: f"{family} {style}, derived", 4: f"{family} {style}", 6: file, 16: family}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.string)
    if "CFF " in font:
        outlines = font["CFF "].cff
        outlines.fontNames = [file]
        outlines[0].FullName, outlines[0].FamilyName = names[4], family
    font.save(pathlib.Path(__file__).parent / (file + source.suffix))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for style in ("Regular", "Bold", "Italic"):
        make(folder / f"JetBrainsMono-{style}.ttf", "Tilewright Mono", style, ["mark", "mkmk"])
    for style in ("Regular", "SemiBold"):
        make(folder / f"Inter-{style}.otf", "Tilewright Sans", style, ["kern", "mark", "mkmk", "tnum"])
