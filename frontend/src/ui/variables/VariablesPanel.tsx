import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff, IconPlus, IconVariable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Can } from '../../access/Can';
import type { DeleteVariable, PutVariable } from '../../api/queries/inventory/variables';
import type { Variable } from '../../api/types';
import { Badge } from '../status/Badge';
import { ConfirmDialog } from '../forms/ConfirmDialog';
import { type Column, DataTable, type ListState } from '../tables/DataTable';
import { EmptyState } from '../feedback/EmptyState';

import { RelativeTime } from '../format/RelativeTime';
import { RowActions } from '../tables/RowActions';
import { VariableDialog } from './VariableDialog';
import { formatValue, TYPE_NAMES } from './variable-form';

interface Props {
  variables: ListState<Variable>;
  put: PutVariable;
  remove: DeleteVariable;
  about: ReactNode;
  empty: string;
  afterDelete: string;
  /** Why an operator can't change the variables; null = allowed. */
  unless: string | null;
}

export function VariablesPanel({ variables, put, remove, about, empty, afterDelete, unless }: Props) {
  const [editedKey, setEditedKey] = useState<string | null>(null);
  const [dialogOpen, setDialogOpen] = useState(false);
  const [variableToDelete, setVariableToDelete] = useState<Variable | null>(null);
  const current = variables.rows?.find(({ key }) => key === editedKey) ?? null;
  const create = (
    <Can role="operator" unless={unless}>
      <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setDialogOpen(true)}>
        New variable
      </Button>
    </Can>
  );
  const columns: Column<Variable>[] = [
    {
      key: 'key',
      title: 'Name',
      render: ({ key, type }) => (
        <Stack gap={0}>
          <Box component="span" className="rw-mono rw-wrap-anywhere" fw={600}>
            {key}
          </Box>
          <Text size="xs" c="dimmed">
            {TYPE_NAMES[type]}
          </Text>
        </Stack>
      ),
    },
    { key: 'value', title: 'Value', render: (variable) => <Value variable={variable} /> },
    {
      key: 'set',
      title: 'Last changed',
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
          onEdit={() => setEditedKey(variable.key)}
          onDelete={() => {
            remove.reset();
            setVariableToDelete(variable);
          }}
        />
      ),
    },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640} flex="1 1 320px">
          {about}
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
            {empty}
          </EmptyState>
        }
      />
      {dialogOpen && <VariableDialog put={put} current={null} onClose={() => setDialogOpen(false)} />}
      {current && <VariableDialog put={put} current={current} onClose={() => setEditedKey(null)} />}
      <ConfirmDialog
        opened={variableToDelete !== null}
        title={`Delete ${variableToDelete?.key ?? ''}?`}
        confirm="Delete variable"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          variableToDelete && remove.mutate(variableToDelete, { onSuccess: () => setVariableToDelete(null) })
        }
        onClose={() => setVariableToDelete(null)}
      >
        {afterDelete}
      </ConfirmDialog>
    </Stack>
  );
}

function Value({ variable }: { variable: Variable }) {
  const { secret, updatedAt, updatedBy } = variable;
  if (!secret)
    return (
      <Text className="rw-mono rw-pre-wrap" lineClamp={3}>
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
