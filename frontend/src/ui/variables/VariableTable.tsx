import { Box, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Variable } from '../../api/types';
import { RelativeTime } from '../format/RelativeTime';
import { Badge } from '../status/Badge';
import { type Column, DataTable, type ListState } from '../tables/DataTable';
import { RowActions } from '../tables/RowActions';
import { formatValue, TYPE_NAMES } from './variable-form';

interface Props {
  list: ListState<Variable>;
  empty: ReactNode;
  /** Why an operator can't change the variables; null = allowed. */
  unless: string | null;
  onEdit: (variable: Variable) => void;
  onDelete: (variable: Variable) => void;
}

export function VariableTable({ list, empty, unless, onEdit, onDelete }: Props) {
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
          onEdit={() => onEdit(variable)}
          onDelete={() => onDelete(variable)}
        />
      ),
    },
  ];
  return <DataTable label="Variables" list={list} columns={columns} rowKey={({ key }) => key} empty={empty} />;
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
