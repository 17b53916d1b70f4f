import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { meQuery } from '../../../../api/queries/access/session';
import { readSaved, type SavedFilter, storageKey } from './saved-filters';

const listen = (told: () => void) => {
  window.addEventListener('storage', told);
  return () => window.removeEventListener('storage', told);
};

/** The filters that the signed-in member has saved in this browser; other tabs see changes at once. */
export function useSavedFilters(): { saved: SavedFilter[]; save: (all: SavedFilter[]) => boolean } {
  const { data: me } = useQuery(meQuery);
  const key = me ? storageKey(me.tenant.id, me.id) : null;
  const [, setWritten] = useState(0);
  const text = useSyncExternalStore(listen, () => (key === null ? null : stored(key)));
  const save = (all: SavedFilter[]) => {
    if (key === null) return false;
    try {
      localStorage.setItem(key, JSON.stringify(all));
    } catch {
      // The browser keeps nothing, or no more.
      return false;
    }
    setWritten((count) => count + 1);
    return true;
  };
  return { saved: readSaved(text), save };
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
