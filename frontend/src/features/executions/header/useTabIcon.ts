import { useEffect } from 'react';

/** Replaces the icon of the browser tab until the component is gone. */
export function useTabIcon(address: string): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link) return;
    const { href } = link;
    link.href = address;
    return () => {
      link.href = href;
    };
  }, [address]);
}
