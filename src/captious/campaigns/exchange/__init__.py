"""Campaigns in and out of files: imports, exports, datasheets."""
