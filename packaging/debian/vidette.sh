#!/bin/sh
# The command of the installed server: with the service's environment and as its user, so that no file in the data folder
# belongs to root. Variables of the caller win.
set -e
if [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid=vidette --regid=vidette --init-groups env HOME=/var/lib/vidette "$0" "$@"
fi
given=$(export -p)
VIDETTE_DATA=/var/lib/vidette
if [ -r /etc/vidette/vidette.env ]; then
  set -a
  . /etc/vidette/vidette.env
  set +a
fi
eval "$given"
export VIDETTE_DATA NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-/var/cache/vidette}"
exec /usr/lib/vidette/bin/vidette "$@"
