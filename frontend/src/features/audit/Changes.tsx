import { Stack, Switch, Table, Text } from '@mantine/core';
import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Badge } from '../../ui/status/Badge';
import classes from './audit.module.css';
import { type ChangeKind, changesOf, type FieldChange } from './changes';

interface Props {
  before: object | null;
  after: object | null;
}

export function Changes({ before, after }: Props) {
  const [showAll, setShowAll] = useState(false);
  const changes = changesOf(before, after);
  if (changes.length === 0) return <Text c="dimmed">This entry changed no fields.</Text>;
  const same = changes.filter(({ kind }) => kind === 'same').length;
  const visible = showAll ? changes : changes.filter(({ kind }) => kind !== 'same');
  return (
    <Stack gap="xs">
      {same > 0 && (
        <Switch
          label={`Show unchanged fields (${same})`}
          checked={showAll}
          onChange={(event) => setShowAll(event.currentTarget.checked)}
        />
      )}
      <Table aria-label="Before and after" layout="fixed" verticalSpacing={6} className={classes.changes}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="26%">Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {visible.map((change) => (
            <Table.Tr key={change.field}>
              <Table.Td>
                <Text size="xs" fw={600} className="rw-wrap-anywhere">
                  {change.field}
                </Text>
                <Kind kind={change.kind} />
              </Table.Td>
              <Value change={change} side="before" />
              <Value change={change} side="after" />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Value({ change, side }: { change: FieldChange; side: 'before' | 'after' }) {
  const text = change[side];
  const tone = change.kind === 'same' ? '' : side === 'before' ? classes.old : classes.fresh;
  return (
    <Table.Td className={text === null ? undefined : tone}>
      <pre className={classes.value}>{text ?? '–'}</pre>
    </Table.Td>
  );
}

function Kind({ kind }: { kind: ChangeKind }) {
  if (kind === 'same') return null;
  if (kind === 'added')
    return (
      <Badge tone="good" icon={IconPlus}>
        Added
      </Badge>
    );
  if (kind === 'gone')
    return (
      <Badge tone="bad" icon={IconMinus}>
        Removed
      </Badge>
    );
  return (
    <Badge tone="warn" icon={IconPencil}>
      Changed
    </Badge>
  );
}
