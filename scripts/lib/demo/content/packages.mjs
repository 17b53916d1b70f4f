/** Commands of the plan that patches hosts. The packages are lines of a list in the home folder. */

export const REFRESH = `mkdir -p "$HOME/packages" && cd "$HOME/packages"
[ -e installed ] || printf '%s\\n' 'curl 8.14.1-1' 'libc6 2.41-10' 'nginx 1.26.3-2' 'openssl 3.5.1-1' 'sudo 1.9.16-2' > installed
printf '%s\\n' 'curl 8.14.1-2' 'libc6 2.41-12' 'nginx 1.26.3-3' 'openssl 3.5.4-1' 'sudo 1.9.16-2' > available
echo "$(grep -vxF -f installed available | wc -l | tr -d ' ') of $(wc -l < available | tr -d ' ') packages have an update (simulated)"`;

export const UPGRADE = `cd "$HOME/packages"
count=0
while read -r name version; do
  old=$(sed -n "s/^$name //p" installed)
  [ "$old" != "$version" ] || continue
  echo "upgrading $name ($old -> $version)"
  sleep 0.15
  count=$((count + 1))
done < available
if [ "$count" = 0 ]; then echo "nothing to upgrade"; exit 0; fi
cp available installed
echo "$count upgraded (simulated)"
exit 10`;

export const VERIFY_PACKAGES = `cd "$HOME/packages" && cmp installed available && echo "all $(wc -l < installed | tr -d ' ') packages are up to date"`;
