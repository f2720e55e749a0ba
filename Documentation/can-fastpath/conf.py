# SPDX-License-Identifier: GPL-2.0-only
"""Configuration of Sphinx for "lab docs".

The environment has KERNEL_TREE, the patched kernel tree, and DOCS_VERSION.
"""
import os
import sys

TREE = os.environ["KERNEL_TREE"]
sys.path.insert(0, f"{TREE}/Documentation/sphinx")

project = "CAN fastpath"
release = version = os.environ["DOCS_VERSION"]

extensions = ["automarkup", "kerneldoc"]
kerneldoc_bin = f"{TREE}/scripts/kernel-doc"
kerneldoc_srctree = TREE

highlight_language = "none"
html_title = f"{project} {release}"
html_show_copyright = False
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_theme_options = {"page_width": "1100px", "fixed_sidebar": True}

man_show_urls = True
man_make_section_directory = False
man_pages = [
    ("can-fastpath/guide", "can-fastpath", "faster CAN for Linux 6.12: install and use it", [], 7),
    ("networking/can-gateway", "can-gateway", "rules of the CAN gateway in the kernel", [], 7),
]
