/** Where to go after signing in: only paths of this site, to prevent open redirects. */
export function safePath(wanted: string | undefined): string {
  if (!wanted) return '/';
  const url = URL.parse(wanted, window.location.origin);
  if (!url || url.origin !== window.location.origin || url.pathname === '/login') return '/';
  // `/.//x` has the path `//x`, which read by itself is another site.
  if (url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
