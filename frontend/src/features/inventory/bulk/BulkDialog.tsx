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
import { type BulkForm, type BulkKind, confirmText, EMPTY_FORM, orderOf, summaryOf, TITLES } from './bulk-text';

interface Props {
  kind: BulkKind;
  /** Which servers: these, or all that the filter leaves. */
  target: { serverIds: string[] } | { filter: BulkFilter };
  /** How many, as far as the list knows. */
  count: number;
  onDone: () => void;
  onClose: () => void;
}

/** Asks what is to be done, shows what that would change and what is refused, and does it. */
export function BulkDialog({ kind, target, count, onDone, onClose }: Props) {
  const [form, setForm] = useState<BulkForm>(EMPTY_FORM);
  const preview = usePreviewServers();
  const change = useChangeServers();
  const order = orderOf(kind, form);
  const [confirmHosts, setConfirmHosts] = useState<true>();
  const look = (confirmed = confirmHosts) => {
    change.reset();
    setConfirmHosts(confirmed);
    if (order) preview.mutate({ ...target, ...order, confirmHosts: confirmed });
  };
  const begun = useRef(false);
  useEffect(() => {
    // Where nothing is to be typed, what would happen is shown at once.
    if (begun.current || !order || kind === 'tags' || kind === 'move') return;
    begun.current = true;
    preview.mutate({ ...target, ...order });
  });
  const shown = preview.data;
  const edit = (next: BulkForm) => {
    setForm(next);
    setConfirmHosts(undefined);
    preview.reset();
    change.reset();
  };
  const carryOut = () => {
    if (!order || !shown) return;
    const body = { ...target, ...order, confirmHosts, expectedCount: shown.matched, partial: shown.refused > 0 };
    change.mutate(body, {
      onSuccess: (done) => {
        notifications.show({ color: done.refused > 0 ? 'yellow' : 'green', message: `${summaryOf(done, kind)}.` });
        onDone();
      },
      // Something changed since: what would happen now is another thing.
      onError: () => preview.reset(),
    });
  };
  const danger = kind === 'delete';
  return (
    <FormModal opened onClose={onClose} title={`${TITLES[kind]}: ${plural(count, 'server')}`} size="lg">
      <Stack gap="md">
        {kind === 'delete' && (
          <Text>
            Runward forgets the servers and their accepted host keys. What ran on them before stays in the runs. Nothing
            changes on the hosts themselves.
          </Text>
        )}
        <BulkFields kind={kind} form={form} onChange={edit} />
        {preview.isPending && (
          <Group gap="sm" role="status">
            <Loader size="sm" aria-hidden />
            <Text>Looking at what would change…</Text>
          </Group>
        )}
        {preview.error && <ErrorPanel error={preview.error} onRetry={() => look()} />}
        {change.error && <ErrorPanel error={change.error} />}
        {shown && <BulkPreview result={shown} kind={kind} />}
        <ConfirmHosts
          problem={shown?.items.find(({ code }) => code === 'host_proved_elsewhere') ?? null}
          pending={preview.isPending}
          label="Confirm hosts and preview again"
          onConfirm={() => look(true)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {shown ? (
            <Button
              color={danger ? 'red' : undefined}
              disabled={shown.changed === 0}
              loading={change.isPending}
              onClick={carryOut}
            >
              {confirmText(shown, kind)}
            </Button>
          ) : (
            <Button disabled={order === null} loading={preview.isPending} onClick={() => look()}>
              Preview
            </Button>
          )}
        </Group>
      </Stack>
    </FormModal>
  );
}
