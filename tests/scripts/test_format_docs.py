"""docs/formats.md is what the declarations say."""

import make_format_docs

from textcore.output.formats import FORMATS


def test_the_page_is_up_to_date():
    assert make_format_docs.main(["--check"]) == 0


def test_every_family_is_on_the_page():
    page = make_format_docs.page()
    for form in FORMATS:
        assert f"\n## {form.name}\n" in page
        for alias in form.aliases:
            assert f"`{alias}`" in page
