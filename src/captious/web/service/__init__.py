"""The scoring service: captions in, scores out, over HTTP, the same numbers as `captious score`.

`requests` reads what was sent and knows which metrics may be asked for, `scoring` scores several requests
in one call, `queue` gathers requests for such calls and runs them in a process outside the web server,
`tokens` says who may ask for how much, and `api` is the HTTP. `service` puts these together, and `app` is
the service by itself.
"""
