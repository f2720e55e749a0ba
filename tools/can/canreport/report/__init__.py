# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of canreport: results are read, arranged in figures, drawn, and put on a page."""
