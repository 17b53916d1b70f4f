import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { meQuery } from '../../../../api/queries/access/session';
import { readSaved, type SavedFilter, storageKey } from './saved-filters';

const listen = (onChange: () => void) => {
  window.addEventListener('storage', onChange);
  return () => window.removeEventListener('storage', onChange);
};

/** Saved filters of the signed-in member in this browser, synchronised between tabs. */
export function useSavedFilters(): { saved: SavedFilter[]; save: (all: SavedFilter[]) => boolean } {
  const { data: me } = useQuery(meQuery);
  const key = me ? storageKey(me.tenant.id, me.id) : null;
  const [, setWriteCount] = useState(0);
  const text = useSyncExternalStore(listen, () => (key === null ? null : stored(key)));
  const save = (all: SavedFilter[]) => {
    if (key === null) return false;
    try {
      localStorage.setItem(key, JSON.stringify(all));
    } catch {
      return false;
    }
    setWriteCount((count) => count + 1);
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
