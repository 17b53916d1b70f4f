import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { meQuery } from '../../api/queries/access/session';
import { onDiscard } from './ask-to-discard';

interface Draft<T> {
  /** Version of the record that was edited. */
  version: number;
  values: T;
}

interface Options<T> {
  /** Name of the form, unique in the application. */
  form: string;
  version: number;
  /** Current input; it must contain no secret. */
  values: T;
  isDirty: boolean;
}

const PAUSE_MS = 300;

/**
 * Keeps unsaved input in this tab until it is saved or discarded, for the same member only. After a reload, it is
 * offered once as `found`.
 */
export function useDraft<T>({ form, version, values, isDirty }: Options<T>) {
  const { data: me } = useQuery(meQuery);
  const key = me ? `runward.draft.${me.id}.${form}` : null;
  const kept = useMemo(() => (key === null ? null : readDraft<T>(key)), [key]);
  const [isDecided, setDecided] = useState(false);
  const found = isDecided || isDirty ? null : kept;
  const current = isDirty ? JSON.stringify({ version, values }) : null;
  const [settled] = useDebouncedValue(current, PAUSE_MS);
  const wasDirty = useRef(false);
  const isOver = useRef(false);
  useEffect(() => {
    if (key === null || isOver.current) return;
    if (isDirty) {
      wasDirty.current = true;
      if (settled !== null) writeDraft(key, settled);
    } else if (wasDirty.current) {
      wasDirty.current = false;
      sessionStorage.removeItem(key);
    }
  }, [key, settled, isDirty]);
  useEffect(() => {
    if (key === null || current === null) return;
    const flush = () => {
      if (!isOver.current) writeDraft(key, current);
    };
    window.addEventListener('pagehide', flush);
    return () => window.removeEventListener('pagehide', flush);
  }, [key, current]);
  const isDiscarded = useRef(false);
  useEffect(() => {
    // The form is still open: another dialog may have been discarded.
    isDiscarded.current = false;
    return onDiscard(() => {
      isDiscarded.current = true;
    });
  }, [current]);
  useEffect(
    () => () => {
      if (isDiscarded.current && wasDirty.current && key !== null) sessionStorage.removeItem(key);
    },
    [key],
  );
  const forget = () => {
    setDecided(true);
    if (key !== null) sessionStorage.removeItem(key);
  };
  /** Deletes the draft for good, because the input is saved and the form is about to close. */
  const end = () => {
    isOver.current = true;
    forget();
  };
  return { found, isOutdated: found !== null && found.version !== version, forget, end };
}

function readDraft<T>(key: string): Draft<T> | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft<T> | null;
  } catch {
    return null;
  }
}

function writeDraft(key: string, draft: string): void {
  try {
    sessionStorage.setItem(key, draft);
  } catch {
    // The storage is full or blocked: the form works without a draft.
  }
}
