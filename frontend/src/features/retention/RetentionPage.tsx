import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { retentionQuery, useRequestRetentionPass } from '../../api/queries/runs/retention';
import type { RetainedEnvironment, Retention } from '../../api/types';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { bytes, plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { Fact } from '../../ui/page/Fact';
import { PageHeader } from '../../ui/page/PageHeader';
import { RetentionTable } from './RetentionTable';
import { RuleDialog } from './RuleDialog';
import { limitsText } from './rule-form';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

const TITLE = 'Retention';
/** Refetch interval while a retention pass is running or about to start, in ms. */
const REFRESH_MS = 3_000;

export function RetentionPage() {
  return (
    <AdminOnly title={TITLE}>
      <Stored />
    </AdminOnly>
  );
}

const goesOn = ({ pass }: Retention): boolean =>
  pass !== null && (pass.begunAt !== null || (pass.dueAt !== null && Date.parse(pass.dueAt) <= Date.now()));

function Stored() {
  const retention = useQuery({
    ...retentionQuery,
    refetchInterval: ({ state }) => (state.data && goesOn(state.data) ? REFRESH_MS : false),
  });
  if (retention.data) return <Overview retention={retention.data} />;
  return <UnloadedPage title={TITLE} query={retention} />;
}

function Overview({ retention }: { retention: Retention }) {
  const { rule, environments, moreEnvironments, pass } = retention;
  /** Rule that is open in the dialog; `all`: the rule of the tenant. */
  const [open, setOpen] = useState<'all' | RetainedEnvironment | null>(null);
  const [dialogOpen, setDialogOpen] = useState(false);
  const limited = pass !== null && pass.dueAt !== null;
  return (
    <>
      <PageHeader
        title={TITLE}
        description="Storage used by runs, and how long runs are kept. The audit trail is never deleted."
        actions={
          limited && (
            <ActionButton icon={IconEraser} loading={goesOn(retention)} onClick={() => setDialogOpen(true)}>
              Delete due runs
            </ActionButton>
          )
        }
      />
      <Stack gap="md">
        <StorageFacts retention={retention} onChangeRule={() => setOpen('all')} />
        <RetentionTable environments={environments} onChangeRule={setOpen} />
        {moreEnvironments > 0 && (
          <Text c="dimmed">{plural(moreEnvironments, 'more environment')} with less storage.</Text>
        )}
      </Stack>
      {open !== null && (
        <RuleDialog
          environment={open === 'all' ? null : { id: open.environmentId, name: open.environmentName ?? '' }}
          rule={open === 'all' ? rule : open.rule}
          onClose={() => setOpen(null)}
        />
      )}
      <PassDialog opened={dialogOpen} onClose={() => setDialogOpen(false)} />
    </>
  );
}

interface FactsProps {
  retention: Retention;
  onChangeRule: () => void;
}

function StorageFacts({ retention, onChangeRule }: FactsProps) {
  const { rule, runs, pass } = retention;
  return (
    <Paper p="md">
      <Group justify="space-between" gap="md">
        <Group gap="8px 28px" align="flex-start">
          <Fact label="Finished runs">{runs}</Fact>
          <Fact label="Output">{bytes(retention.bytes)}</Fact>
          <Fact label="Retention">{limitsText(rule ?? { keepDays: null, keepRuns: null, keepBytes: null })}</Fact>
          {pass?.dueAt && <Fact label="Next pass">{goesOn(retention) ? 'now' : <RelativeTime at={pass.dueAt} />}</Fact>}
          {pass?.lastFinishedAt && (
            <Fact label="Latest pass">
              <RelativeTime at={pass.lastFinishedAt} />, {plural(pass.lastRuns ?? 0, 'run')} deleted
            </Fact>
          )}
        </Group>
        <Button onClick={onChangeRule}>Change tenant rule</Button>
      </Group>
    </Paper>
  );
}

function PassDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const request = useRequestRetentionPass();
  return (
    <ConfirmDialog
      opened={opened}
      title="Delete due runs now?"
      confirm="Delete"
      pending={request.isPending}
      error={request.error}
      onConfirm={() =>
        request.mutate(undefined, {
          onSuccess: ({ workers }) => {
            notifications.show({
              message:
                workers > 0
                  ? 'Deletion starts shortly.'
                  : 'No worker is running. Deletion starts when a worker starts.',
            });
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      Runward deletes the runs and output that the next pass would delete. This cannot be undone.
    </ConfirmDialog>
  );
}
