/** Returns the page to open after sign-in. Accepts only paths of this site, to prevent open redirects. */
export function safePath(target: string | undefined): string {
  if (!target) return '/';
  const url = URL.parse(target, window.location.origin);
  if (!url || url.origin !== window.location.origin || url.pathname === '/login') return '/';
  // `/.//x` becomes the path `//x`, which as a URL points to another site.
  if (url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
