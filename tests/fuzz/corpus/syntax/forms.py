match x:
  case [1, *_] | {"a": b, **r} if c: pass
with (a as b, c): f"{x!r:>{w}}"
async def f[T](a, /, *b, c=1): yield
