#!/bin/sh
# Make a brain on this server: sh setup.sh WHEEL NAME. Run as root; safe to run again.
set -eu
[ $# -eq 2 ] || { echo "usage: sh setup.sh WHEEL NAME" >&2; exit 2; }
wheel=$1 name=$2
root=${MANENT_ROOT:-}
user=${MANENT_USER:-brain}
home=$root/opt/manent brains=$root/srv/brains

case $name in
  *[!a-z0-9-]* | -* | '') echo "the name must be small letters, digits and -" >&2; exit 2 ;;
esac
[ -f "$wheel" ] || { echo "no wheel at $wheel: python -m build --wheel makes one" >&2; exit 2; }

if ! id "$user" > /dev/null 2>&1; then
  useradd --system --create-home --shell /usr/bin/git-shell "$user"
fi
[ -x "$home/bin/python" ] || python3 -m venv "$home"
"$home/bin/python" -m pip install --quiet --upgrade "$wheel"
install -d -o "$user" -m 0750 "$brains"
brain=$brains/$name.git
as_user() { if [ "$(id -un)" = "$user" ]; then "$@"; else runuser -u "$user" -- "$@"; fi; }
if [ -d "$brain" ]; then
  as_user "$home/bin/manent" hooks install --repo "$brain" --server
else
  as_user "$home/bin/manent" brain create "$brain"
fi
as_user "$home/bin/manent" brain status "$brain"
