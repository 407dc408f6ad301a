"""What a request asks for, and which metrics the service offers."""
