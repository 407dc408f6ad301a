"""Jobs: files of many requests, kept in folders and worked on while no request waits."""
