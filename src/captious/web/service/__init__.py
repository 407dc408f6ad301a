"""The scoring service: captions in, scores out, over HTTP, the same numbers as `captious score`.

`request` reads what was sent, `offer` knows which metrics may be asked for, `queue` puts requests that
can be scored together into one call, `process` runs that call outside the web server, `together` is the
call itself, `tokens` says who may ask for how much, `jobs` keeps long work, and `routes` is the HTTP.
"""
