import { Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconVariable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { DeleteVariable, PutVariable } from '../../api/queries/inventory/variables';
import type { Variable } from '../../api/types';
import { EmptyState } from '../feedback/EmptyState';
import { DeleteDialog } from '../dialogs/DeleteDialog';
import { ActionButton } from '../page/ActionButton';
import type { ListState } from '../tables/DataTable';
import { VariableDialog } from './VariableDialog';
import { VariableTable } from './VariableTable';

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
    <ActionButton role="operator" unless={unless} icon={IconPlus} variant="filled" onClick={() => setDialogOpen(true)}>
      New variable
    </ActionButton>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640} flex="1 1 320px">
          {about}
        </Text>
        {create}
      </Group>
      <VariableTable
        list={variables}
        unless={unless}
        onEdit={({ key }) => setEditedKey(key)}
        onDelete={setVariableToDelete}
        empty={
          <EmptyState icon={IconVariable} title="No variables yet" action={create}>
            {empty}
          </EmptyState>
        }
      />
      {dialogOpen && <VariableDialog put={put} current={null} onClose={() => setDialogOpen(false)} />}
      {current && <VariableDialog put={put} current={current} onClose={() => setEditedKey(null)} />}
      <DeleteDialog
        record={variableToDelete}
        name={variableToDelete?.key}
        confirm="Delete variable"
        remove={remove}
        onDeleted={() => setVariableToDelete(null)}
        onClose={() => setVariableToDelete(null)}
      >
        {afterDelete}
      </DeleteDialog>
    </Stack>
  );
}
