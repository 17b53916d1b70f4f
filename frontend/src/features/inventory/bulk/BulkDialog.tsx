import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { BulkFields } from './BulkFields';
import { BulkPreview } from './BulkPreview';
import { confirmText, TITLES } from './bulk-text';
import { type BulkContent, useBulkChange } from './useBulkChange';

interface Props extends BulkContent {
  count: number;
  onClose: () => void;
}

/** Bulk change in three stages: input, preview with refusals, and application. */
export function BulkDialog({ kind, target, count, onDone, onClose }: Props) {
  const { form, edit, bulkChange, preview, change, look, applyChange } = useBulkChange({ kind, target, onDone });
  const result = preview.data;
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
          problem={result?.items.find(({ reason }) => reason?.code === 'host_proved_elsewhere')?.reason ?? null}
          pending={preview.isPending}
          label="Confirm hosts and preview again"
          onConfirm={() => look(true)}
        />
        <DialogBar>
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
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
