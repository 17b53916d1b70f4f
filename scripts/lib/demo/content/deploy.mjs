/** Commands of the plans that deploy the shop. */

export const FETCH = `cd "$HOME" && mkdir -p shop/releases shop/shared && cd shop/releases
release={{ release }}
if [ -d "$release" ]; then echo "Release $release is already unpacked"; exit 0; fi
rm -rf "$release.new" && mkdir "$release.new"
for part in assets checkout pages search; do
  echo "$part of release $release" > "$release.new/$part.txt"
  echo "unpacked $part"
done
echo "$release" > "$release.new/VERSION"
mv "$release.new" "$release"
echo "checksum $(cat "$release"/*.txt | cksum | cut -d' ' -f1)"`;

export const SWITCH = `cd "$HOME/shop"
release={{ release }}
previous=$(readlink current || true)
echo "\${previous##*/}" > previous
date +%FT%T > drained
echo "drained, was serving \${previous##*/}"
sleep 0.4
ln -sfn "releases/$release" current
echo "current -> releases/$release"
if [ -e shared/deploy.lock ]; then
  echo "To fix it, run the plan 'Clear stale locks' on this host. Then rerun the failed host."
  echo "health check: 503, shared/deploy.lock still exists ($(cat shared/deploy.lock))" >&2
  exit 1
fi
echo "health check: 200, serves $(cat current/VERSION)"
rm drained && echo "back in service"`;

export const ROLL_BACK = `cd "$HOME/shop"
previous=$(cat previous)
if [ -n "$previous" ]; then ln -sfn "releases/$previous" current; fi
rm -f drained
echo "rolled back to \${previous:-nothing}, back in service"`;

export const CLEAR_LOCK = `lock=$HOME/shop/shared/deploy.lock
if [ ! -e "$lock" ]; then echo "No lock found"; exit 0; fi
echo "Removing shared/deploy.lock ($(cat "$lock"))"
rm "$lock" && exit 10`;
