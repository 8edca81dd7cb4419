@decorated(1, *rest, key=2, **more)
def f(a, /, b: int = 1, *args, c, d=2, **kw) -> None:
    x: list[int] = [i for i in range(3) if i]
    y = z = lambda p, q=1: p if q else not p
    with open(a) as g, h:
        while (n := next(g)) < 3:
            break
        else:
            pass
    try:
        raise ValueError(f"{a!r:>{b}} {c=}") from None
    except (A, B) as e:
        del e
    finally:
        return a[1:2, ..., ::3], -b ** 2
match x:
    case {"k": [1, *_], **rest} if rest:
        x @= 1
    case Point(x=0) | None:
        pass
