"""The HTTP of the scoring service: addresses, access and errors, and its OpenAPI document."""
