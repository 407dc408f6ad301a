"""The database of campaigns: its tables, its log, its rows as records, its images."""
