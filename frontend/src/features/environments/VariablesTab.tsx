import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconEyeOff, IconPlus, IconVariable } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../access/Can';
import { useDeleteVariable, variablesQuery } from '../../api/queries/environment-variables';
import type { EnvironmentVariable } from '../../api/types';
import { Badge } from '../../ui/status/Badge';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { RowActions } from '../../ui/tables/RowActions';
import { VariableDialog } from './VariableDialog';
import { typeName, formatValue } from './variable-form';

interface Props {
  environmentId: string;
  /** Why an operator can't change the variables; null when they can. */
  unless: string | null;
}

export function VariablesTab({ environmentId, unless }: Props) {
  const variables = listState(useInfiniteQuery(variablesQuery(environmentId)));
  const remove = useDeleteVariable(environmentId);
  const [edited, setEdited] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const [toDelete, setToDelete] = useState<EnvironmentVariable | null>(null);
  const current = variables.rows?.find(({ key }) => key === edited) ?? null;
  const create = (
    <Can role="operator" unless={unless}>
      <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setAdding(true)}>
        New variable
      </Button>
    </Can>
  );
  const columns: Column<EnvironmentVariable>[] = [
    {
      key: 'key',
      title: 'Name',
      render: ({ key, type }) => (
        <Stack gap={0}>
          <span className="rw-mono" style={{ overflowWrap: 'anywhere', fontWeight: 600 }}>
            {key}
          </span>
          <Text size="xs" c="dimmed">
            {typeName(type)}
          </Text>
        </Stack>
      ),
    },
    { key: 'value', title: 'Value', render: (variable) => <Value variable={variable} /> },
    {
      key: 'set',
      title: 'Set',
      from: 'sm',
      width: 200,
      render: ({ updatedAt, updatedBy }) => (
        <Text>
          <RelativeTime at={updatedAt} /> by {updatedBy.name}
        </Text>
      ),
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (variable) => (
        <RowActions
          label={`Actions for ${variable.key}`}
          editWord="Change"
          unless={unless}
          onEdit={() => setEdited(variable.key)}
          onDelete={() => {
            remove.reset();
            setToDelete(variable);
          }}
        />
      ),
    },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640} style={{ flex: '1 1 320px' }}>
          Exported to every command that runs here. A plan that declares the name can also use it in{' '}
          <span className="rw-mono">{'{{ }}'}</span>. A value that a start gives goes before it.
        </Text>
        {create}
      </Group>
      <DataTable
        label="Variables"
        list={variables}
        columns={columns}
        rowKey={({ key }) => key}
        empty={
          <EmptyState icon={IconVariable} title="No variables yet" action={create}>
            Values that differ between environments, such as a region or a password, belong here instead of in plans.
          </EmptyState>
        }
      />
      {adding && <VariableDialog environmentId={environmentId} current={null} onClose={() => setAdding(false)} />}
      {current && <VariableDialog environmentId={environmentId} current={current} onClose={() => setEdited(null)} />}
      <ConfirmDialog
        opened={toDelete !== null}
        title={`Delete ${toDelete?.key ?? ''}?`}
        confirm="Delete variable"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => toDelete && remove.mutate(toDelete, { onSuccess: () => setToDelete(null) })}
        onClose={() => setToDelete(null)}
      >
        Runs that start from now on don’t get it. A plan that needs it asks for a value instead.
      </ConfirmDialog>
    </Stack>
  );
}

function Value({ variable }: { variable: EnvironmentVariable }) {
  const { secret, updatedAt, updatedBy } = variable;
  if (!secret)
    return (
      <Text className="rw-mono" lineClamp={3} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {formatValue(variable)}
      </Text>
    );
  return (
    <Stack gap={2} align="flex-start">
      <Badge tone="muted" icon={IconEyeOff}>
        Secret
      </Badge>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        set <RelativeTime at={updatedAt} /> by {updatedBy.name}
      </Text>
    </Stack>
  );
}
