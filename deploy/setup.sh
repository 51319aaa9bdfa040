#!/bin/sh
# Make a brain on this server: sh setup.sh WHEEL NAME. Run as root; safe to run again,
# with a newer wheel too. MANENT_ROOT puts everything below another folder.
set -eu
[ $# -eq 2 ] || { echo "usage: sh setup.sh WHEEL NAME" >&2; exit 2; }
wheel=$1 name=$2
root=${MANENT_ROOT:-}
user=${MANENT_USER:-brain}
here=$(cd "$(dirname "$0")" && pwd)
home=$root/opt/manent brains=$root/srv/brains state=$root/var/lib/manent etc=$root/etc/manent

case $name in
  *[!a-z0-9-]* | -* | '') echo "the name must be small letters, digits and -" >&2; exit 2 ;;
esac
[ -f "$wheel" ] || { echo "no wheel at $wheel: python -m build --wheel makes one" >&2; exit 2; }

if ! id "$user" > /dev/null 2>&1; then
  useradd --system --home-dir /var/lib/manent --shell /opt/manent/libexec/login-shell "$user"
fi
[ -x "$home/bin/python" ] || python3 -m venv "$home"
# With it what serves over MCP, and the driver of PostgreSQL where an address of one is named:
# in MANENT_DATABASE here, or in what the server will be started with.
extras=serve
if printf '%s\n' "${MANENT_DATABASE:-}" | cat - "$etc/serve.env" 2> /dev/null \
  | grep -Eq '^[^#]*postgres(ql)?(\+psycopg)?://'; then
  extras=serve,postgres
fi
"$home/bin/python" -m pip install --quiet --upgrade "$wheel[$extras]"

install -d -m 0755 "$etc" "$root/var/backups"
install -d -o "$user" -m 0750 "$brains"
install -d -o "$user" -m 0700 "$state" "$state/$name" "$root/var/backups/manent"
# Bundles are read by the web server, where other machines fetch them, and by nobody else.
install -d -o "$user" -m 0750 "$root/srv/bundles" "$root/srv/bundles/$name"
if [ "$(id -u)" -eq 0 ] && getent group www-data > /dev/null; then
  chgrp www-data "$root/srv/bundles" "$root/srv/bundles/$name"
  chmod 2750 "$root/srv/bundles" "$root/srv/bundles/$name"
fi

# The files of the recipe. What an operator has changed below /etc is theirs: the new text
# is laid beside it as FILE.new.
paths='/opt/manent/ /srv/brains /srv/bundles /var/lib/manent /var/backups/manent /etc/manent/ /run/manent/'
script="s|^User=brain|User=$user|; s|Match User brain|Match User $user|"
if [ -n "$root" ]; then
  for path in $paths; do script="$script; s|$path|$root$path|g"; done
fi
( cd "$here/root" && find . -type f ) | while read -r file; do
  target=$root/${file#./}
  install -d "$(dirname "$target")"
  sed "$script" "$here/root/$file" > "$target.new"
  case $file in ./opt/*) chmod 0755 "$target.new" ;; *) chmod 0644 "$target.new" ;; esac
  if [ ! -e "$target" ] || cmp -s "$target" "$target.new"; then
    mv "$target.new" "$target"
  else
    case $file in
      ./opt/*) mv "$target.new" "$target" ;;
      *) echo "$target differs and stays; the recipe's text is $target.new" ;;
    esac
  fi
done
# Nobody gets in until the operator names somebody.
[ -e "$etc/agents.json" ] || { echo '{}' > "$etc/agents.json"; chmod 0640 "$etc/agents.json"; }
[ -e "$etc/htpasswd" ] || : > "$etc/htpasswd"
[ -e "$etc/authorized_keys" ] || : > "$etc/authorized_keys"
if [ "$(id -u)" -eq 0 ]; then
  chgrp "$(id -gn "$user")" "$etc/agents.json"
  chmod 0644 "$etc/authorized_keys"
  if getent group www-data > /dev/null; then
    chgrp www-data "$etc/htpasswd"; chmod 0640 "$etc/htpasswd"
  fi
fi

brain=$brains/$name.git
as_user() { if [ "$(id -un)" = "$user" ]; then "$@"; else runuser -u "$user" -- "$@"; fi; }
if [ -d "$brain" ]; then
  as_user "$home/bin/manent" hooks install --repo "$brain" --server
else
  as_user "$home/bin/manent" brain create "$brain"
fi
as_user git -C "$brain" config --get manent.agents > /dev/null \
  || as_user git -C "$brain" config manent.agents "$etc/agents.json"
# What is written over MCP is a commit: by its author, committed by this one.
as_user git -C "$brain" config --get user.name > /dev/null \
  || as_user git -C "$brain" config user.name manent
as_user git -C "$brain" config --get user.email > /dev/null \
  || as_user git -C "$brain" config user.email manent@manent
# A server has the room to keep a push's worker for the next one.
as_user git -C "$brain" config --get manent.worker > /dev/null \
  || as_user git -C "$brain" config manent.worker "${MANENT_WORKER:-3600}"
as_user "$home/bin/manent" brain status "$brain"
