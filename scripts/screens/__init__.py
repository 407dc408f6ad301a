"""The pages that documentation shows, and how to get to each."""
