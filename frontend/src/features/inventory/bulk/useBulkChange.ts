import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useChangeServers, usePreviewServers } from '../../../api/queries/inventory/servers';
import type { BulkFilter } from '../../../api/types';
import { type BulkForm, type BulkKind, EMPTY_FORM, summaryOf, toBulkChange } from './bulk-text';

export interface BulkContent {
  kind: BulkKind;
  target: { serverIds: string[] } | { filter: BulkFilter };
  onDone: () => void;
}

/** Input, preview and application of a change of several servers. An edit discards the preview. */
export function useBulkChange({ kind, target, onDone }: BulkContent) {
  const [form, setForm] = useState<BulkForm>(EMPTY_FORM);
  const preview = usePreviewServers();
  const change = useChangeServers();
  const bulkChange = toBulkChange(kind, form);
  const [confirmHosts, setConfirmHosts] = useState<true>();
  const look = (confirmed = confirmHosts) => {
    change.reset();
    setConfirmHosts(confirmed);
    if (bulkChange) preview.mutate({ ...target, ...bulkChange, confirmHosts: confirmed });
  };
  const begun = useRef(false);
  useEffect(() => {
    // Actions without input show the preview immediately.
    if (begun.current || !bulkChange || kind === 'tags' || kind === 'move') return;
    begun.current = true;
    preview.mutate({ ...target, ...bulkChange });
  });
  const result = preview.data;
  const edit = (next: BulkForm) => {
    setForm(next);
    setConfirmHosts(undefined);
    preview.reset();
    change.reset();
  };
  const applyChange = () => {
    if (!bulkChange || !result) return;
    const body = { ...target, ...bulkChange, confirmHosts, expectedCount: result.matched, partial: result.refused > 0 };
    change.mutate(body, {
      onSuccess: (done) => {
        notifications.show({ color: done.refused > 0 ? 'yellow' : 'green', message: `${summaryOf(done, kind)}.` });
        onDone();
      },
      // Something has changed since the preview, so a new preview is necessary.
      onError: () => preview.reset(),
    });
  };
  return { form, edit, bulkChange, preview, change, look, applyChange };
}
