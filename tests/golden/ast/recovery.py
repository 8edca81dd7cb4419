def good(x):
    return x +

def broken(x:
    return (x

class Also:
    a = 1
