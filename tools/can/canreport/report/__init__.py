# SPDX-License-Identifier: GPL-2.0-only
"""Modules of canreport: read results, arrange them in figures, draw them, create the page."""
