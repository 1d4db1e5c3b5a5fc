#!/bin/sh
# Runs the server, or a command, on the Node of this folder.
set -e
self=$(readlink -f -- "$0")
program=${self%/bin/vidette}
node=$program/node_modules/node/bin/node
exec "$node" "$program/server/src/main.js" "$@"
