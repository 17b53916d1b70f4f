import { Button, Group, Paper, Text } from '@mantine/core';
import {
  IconArrowsExchange,
  IconPlugConnected,
  IconPlayerPlay,
  IconPlayerStop,
  IconTag,
  IconTrash,
  type Icon,
} from '@tabler/icons-react';
import { plural } from '../../../ui/format/format';
import type { BulkKind } from './bulk-text';
import type { Selection } from './selection';
import { ActionButton } from '../../../ui/page/ActionButton';

const ACTIONS: { kind: BulkKind; label: string; icon: Icon; color?: string }[] = [
  { kind: 'tags', label: 'Tags', icon: IconTag },
  { kind: 'move', label: 'Move', icon: IconArrowsExchange },
  { kind: 'enable', label: 'Enable', icon: IconPlayerPlay },
  { kind: 'disable', label: 'Disable', icon: IconPlayerStop },
];

interface Props {
  selection: Selection;
  loaded: number;
  /** Number of servers that match the filter; undefined: not known yet. */
  total: number | undefined;
  onSelectAll: () => void;
  onClear: () => void;
  onAction: (kind: BulkKind) => void;
  onCheck: () => void;
  checking: boolean;
}

export function BulkBar({ selection, loaded, total, onSelectAll, onClear, onAction, onCheck, checking }: Props) {
  const count = selection.all ? (total ?? loaded) : selection.picked.size;
  const more = !selection.all && total !== undefined && total > count;
  return (
    <Paper p="xs" mb="xs" role="toolbar" aria-label="Selected servers" bg="var(--rw-selected)">
      <Group gap="xs">
        <Text fw={600} role="status">
          {selection.all ? `All ${plural(count, 'matching server')}` : `${plural(count, 'server')} selected`}
        </Text>
        {more && (
          <Button variant="subtle" onClick={onSelectAll}>
            Select all {total.toLocaleString('en')} matching servers
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear selection
        </Button>
        <Group gap={6} ml="auto">
          {ACTIONS.map(({ kind, label, icon: Glyph }) => (
            <ActionButton role="operator" key={kind} icon={Glyph} onClick={() => onAction(kind)}>
              {label}
            </ActionButton>
          ))}
          <ActionButton
            role="operator"
            unless={checking ? 'Checks are running' : null}
            icon={IconPlugConnected}
            onClick={onCheck}
          >
            Check
          </ActionButton>
          <ActionButton
            role="operator"
            icon={IconTrash}
            c="var(--mantine-color-error)"
            onClick={() => onAction('delete')}
          >
            Delete
          </ActionButton>
        </Group>
      </Group>
    </Paper>
  );
}
