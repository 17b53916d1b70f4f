import { Button, Group, Paper, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconArrowsExchange,
  IconPlugConnected,
  IconPlayerPlay,
  IconPlayerStop,
  IconTag,
  IconTrash,
  type Icon,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useServerCheck } from '../../../api/queries/inventory/servers';
import { plural } from '../../../ui/format/format';
import { checkMany, MOST_CHECKED } from '../checks/check-many';
import type { BulkKind } from './bulk-text';
import type { Selection } from './selection';

const ACTIONS: { kind: BulkKind; label: string; icon: Icon; color?: string }[] = [
  { kind: 'tags', label: 'Tags', icon: IconTag },
  { kind: 'move', label: 'Move', icon: IconArrowsExchange },
  { kind: 'enable', label: 'Enable', icon: IconPlayerPlay },
  { kind: 'disable', label: 'Disable', icon: IconPlayerStop },
];

interface Props {
  selection: Selection;
  /** Ids of the rows that are loaded. */
  loaded: readonly string[];
  /** How many fit the filter; undefined: not known yet. */
  total: number | undefined;
  onAll: () => void;
  onClear: () => void;
  onAct: (kind: BulkKind) => void;
}

/** How many servers are selected, and what can be done with them. */
export function BulkBar({ selection, loaded, total, onAll, onClear, onAct }: Props) {
  const count = selection.all ? (total ?? loaded.length) : selection.picked.size;
  const more = !selection.all && total !== undefined && total > count;
  return (
    <Paper p="xs" mb="xs" role="toolbar" aria-label="Selected servers" bg="var(--rw-selected)">
      <Group gap="xs">
        <Text fw={600} role="status">
          {selection.all ? `All ${plural(count, 'server')} that fit` : `${plural(count, 'server')} selected`}
        </Text>
        {more && (
          <Button variant="subtle" onClick={onAll}>
            Select all {total.toLocaleString('en')} that fit
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear
        </Button>
        <Group gap={6} ml="auto">
          {ACTIONS.map(({ kind, label, icon: Glyph }) => (
            <Can role="operator" key={kind}>
              <Button variant="default" leftSection={<Glyph size={15} aria-hidden />} onClick={() => onAct(kind)}>
                {label}
              </Button>
            </Can>
          ))}
          <CheckSelected ids={selection.all ? loaded : [...selection.picked]} count={count} />
          <Can role="operator">
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => onAct('delete')}
            >
              Delete
            </Button>
          </Can>
        </Group>
      </Group>
    </Paper>
  );
}

function CheckSelected({ ids, count }: { ids: readonly string[]; count: number }) {
  const check = useServerCheck();
  const [done, setDone] = useState<number | null>(null);
  const run = async () => {
    setDone(0);
    const { failed } = await checkMany(ids, check, (so) => setDone(so.done));
    setDone(null);
    const message =
      failed === 0 ? 'The list shows what was found.' : `${plural(failed, 'server')} could not be checked.`;
    notifications.show({
      color: failed === 0 ? 'green' : 'yellow',
      title: `${plural(count, 'server')} checked`,
      message,
    });
  };
  return (
    <Can
      role="operator"
      unless={count > MOST_CHECKED ? `At most ${MOST_CHECKED} servers are checked together: select fewer` : null}
    >
      <Button
        variant="default"
        disabled={done !== null}
        leftSection={<IconPlugConnected size={15} aria-hidden />}
        onClick={() => void run()}
      >
        {done === null ? 'Check' : `Checked ${done} of ${count}`}
      </Button>
    </Can>
  );
}
