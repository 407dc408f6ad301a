"""Requests wait in a bounded queue; a process outside the web server scores them."""
