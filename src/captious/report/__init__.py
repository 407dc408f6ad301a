"""Reports: what metrics and judges say of a corpus, as one page that works without a network."""

from captious.report.photographs import ImageMode
from captious.report.write import Written, write_report

__all__ = ["ImageMode", "Written", "write_report"]
