import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { IconDatabase, IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { retentionQuery, useRequestRetentionPass } from '../../api/queries/runs/retention';
import type { RetainedEnvironment, Retention } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { bytes, plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { RuleDialog } from './RuleDialog';
import { limitsText } from './rule-form';

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
  if (!retention.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title={TITLE} />
      <ErrorPanel error={retention.error} onRetry={() => void retention.refetch()} />
    </>
  );
}

function Overview({ retention }: { retention: Retention }) {
  const { rule, runs, environments, moreEnvironments, pass } = retention;
  /** Rule that is open in the dialog; `all`: the rule of the tenant. */
  const [open, setOpen] = useState<'all' | RetainedEnvironment | null>(null);
  const [dialogOpen, setDialogOpen] = useState(false);
  const limited = pass !== null && pass.dueAt !== null;
  const columns: Column<RetainedEnvironment>[] = [
    { key: 'name', title: 'Environment', render: (each) => <Name environment={each} /> },
    { key: 'runs', title: 'Runs', align: 'right', width: 90, render: (each) => each.runs },
    { key: 'bytes', title: 'Output', align: 'right', width: 110, render: (each) => bytes(each.bytes) },
    {
      key: 'held',
      title: 'Legal holds',
      align: 'right',
      width: 110,
      from: 'sm',
      render: ({ environmentId, heldRuns }) =>
        heldRuns === 0 ? (
          '–'
        ) : (
          <AnchorLink
            to="/executions"
            search={{ environment: environmentId, held: true }}
            aria-label={`${plural(heldRuns, 'run')} under a legal hold`}
          >
            {heldRuns}
          </AnchorLink>
        ),
    },
    {
      key: 'oldest',
      title: 'Oldest run',
      width: 140,
      from: 'md',
      render: ({ oldestAt }) => (oldestAt ? <RelativeTime at={oldestAt} /> : '–'),
    },
    {
      key: 'rule',
      title: 'Retention',
      from: 'xs',
      render: (each) =>
        each.rule ? (
          limitsText(each.rule)
        ) : (
          <Text span c="dimmed">
            tenant rule
          </Text>
        ),
    },
    {
      key: 'actions',
      title: '',
      width: 90,
      align: 'right',
      render: (each) =>
        each.environmentName === null ? null : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => setOpen(each)}
            aria-label={`Change rule of ${each.environmentName}`}
          >
            Change rule
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title={TITLE}
        description="Storage used by runs, and how long runs are kept. The audit trail is never deleted."
        actions={
          limited && (
            <Button
              variant="default"
              leftSection={<IconEraser size={15} aria-hidden />}
              loading={goesOn(retention)}
              onClick={() => setDialogOpen(true)}
            >
              Delete due runs
            </Button>
          )
        }
      />
      <Stack gap="md">
        <Paper p="md">
          <Group justify="space-between" gap="md">
            <Group gap="8px 28px" align="flex-start">
              <Fact label="Finished runs">{runs}</Fact>
              <Fact label="Output">{bytes(retention.bytes)}</Fact>
              <Fact label="Retention">{limitsText(rule ?? { keepDays: null, keepRuns: null, keepBytes: null })}</Fact>
              {limited && (
                <Fact label="Next pass">{goesOn(retention) ? 'now' : <RelativeTime at={pass.dueAt ?? ''} />}</Fact>
              )}
              {pass?.lastEndedAt && (
                <Fact label="Latest pass">
                  <RelativeTime at={pass.lastEndedAt} />, {plural(pass.lastRuns ?? 0, 'run')} deleted
                </Fact>
              )}
            </Group>
            <Button onClick={() => setOpen('all')}>Change tenant rule</Button>
          </Group>
        </Paper>
        <DataTable
          label="Storage by environment"
          list={{ rows: environments, error: null, refetch: () => undefined }}
          columns={columns}
          rowKey={({ environmentId }) => environmentId}
          empty={
            <EmptyState icon={IconDatabase} title="No stored runs yet">
              Environments appear here when their first run has finished.
            </EmptyState>
          }
        />
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

function Name({ environment: { environmentId, environmentName } }: { environment: RetainedEnvironment }) {
  if (environmentName === null)
    return (
      <Text span c="dimmed">
        a deleted environment
      </Text>
    );
  return (
    <AnchorLink to="/environments/$id" params={{ id: environmentId }}>
      {environmentName}
    </AnchorLink>
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
