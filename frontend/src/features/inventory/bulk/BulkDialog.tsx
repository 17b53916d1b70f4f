import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useChangeServers, usePreviewServers } from '../../../api/queries/inventory/servers';
import type { BulkFilter } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { BulkFields } from './BulkFields';
import { BulkPreview } from './BulkPreview';
import { type BulkForm, type BulkKind, confirmText, EMPTY_FORM, toBulkChange, summaryOf, TITLES } from './bulk-text';

interface Props {
  kind: BulkKind;
  target: { serverIds: string[] } | { filter: BulkFilter };
  count: number;
  onDone: () => void;
  onClose: () => void;
}

/** Bulk change in three stages: input, preview with refusals, and application. */
export function BulkDialog({ kind, target, count, onDone, onClose }: Props) {
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
  const isDangerous = kind === 'delete';
  return (
    <FormModal opened onClose={onClose} title={`${TITLES[kind]}: ${plural(count, 'server')}`} size="lg">
      <Stack gap="md">
        {kind === 'delete' && (
          <Text>
            Deletes the servers and their accepted host keys from Runward. Earlier runs are kept. Nothing changes on the
            hosts.
          </Text>
        )}
        <BulkFields kind={kind} form={form} onChange={edit} />
        {preview.isPending && (
          <Group gap="sm" role="status">
            <Loader size="sm" aria-hidden />
            <Text>Calculating changes…</Text>
          </Group>
        )}
        {preview.error && <ErrorPanel error={preview.error} onRetry={() => look()} />}
        {change.error && <ErrorPanel error={change.error} />}
        {result && <BulkPreview result={result} kind={kind} />}
        <ConfirmHosts
          problem={result?.items.find(({ code }) => code === 'host_proved_elsewhere') ?? null}
          pending={preview.isPending}
          label="Confirm hosts and preview again"
          onConfirm={() => look(true)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {result ? (
            <Button
              color={isDangerous ? 'red' : undefined}
              disabled={result.changed === 0}
              loading={change.isPending}
              onClick={applyChange}
            >
              {confirmText(result, kind)}
            </Button>
          ) : (
            <Button disabled={bulkChange === null} loading={preview.isPending} onClick={() => look()}>
              Preview
            </Button>
          )}
        </Group>
      </Stack>
    </FormModal>
  );
}
