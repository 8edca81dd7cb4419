#!/bin/sh
# with_numpy.sh PYTHON SCRIPT…: runs the script by the first Python that has NumPy and ml_dtypes; exit 77 if there is none.
own=$1
shift
export PYTHONDONTWRITEBYTECODE=1
for python in "$own" python3; do
    if "$python" -c 'import numpy, ml_dtypes' 2>/dev/null; then
        exec "$python" "$@"
    fi
done
echo "skipped: no Python with NumPy and ml_dtypes (./dev test makes one)"
exit 77
