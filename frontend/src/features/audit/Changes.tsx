import { Button, Stack, Switch, Table, Text } from '@mantine/core';
import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { diffLines } from '../../ui/diff/diff-lines';
import { DiffText } from '../../ui/diff/DiffText';
import { plural } from '../../ui/format/format';
import { Badge } from '../../ui/status/Badge';
import classes from './audit.module.css';
import { type ChangeKind, changesOf, type FieldChange } from './changes';

/** Maximum number of values shown at first. A plan of 1,000 steps has 10,000 and more. */
const FIRST_VALUES = 200;

interface Props {
  before: object | null;
  after: object | null;
}

export function Changes({ before, after }: Props) {
  const [showAll, setShowAll] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const changes = changesOf(before, after);
  if (changes.length === 0) return <Text c="dimmed">This entry changed no fields.</Text>;
  const same = changes.filter(({ kind }) => kind === 'same').length;
  const visible = showAll ? changes : changes.filter(({ kind }) => kind !== 'same');
  const listed = isWhole ? visible : visible.slice(0, FIRST_VALUES);
  const sides = SIDES.filter((side) => (side === 'before' ? before : after) !== null);
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
            {sides.map((side) => (
              <Table.Th key={side}>{side === 'before' ? 'Before' : 'After'}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map((change) => (
            <Table.Tr key={change.field}>
              <Table.Td>
                <Text size="xs" fw={600} className="rw-wrap-anywhere">
                  {change.field}
                </Text>
                <Kind kind={change.kind} />
              </Table.Td>
              {isLongText(change) ? (
                <Table.Td colSpan={sides.length}>
                  <DiffText lines={diffLines(change.before, change.after)} label={`Changes of ${change.field}`} />
                </Table.Td>
              ) : (
                sides.map((side) => <Value key={side} change={change} side={side} />)
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {listed.length < visible.length && (
        <Button variant="default" size="xs" onClick={() => setIsWhole(true)}>
          Show {plural(visible.length - listed.length, 'more value')}
        </Button>
      )}
    </Stack>
  );
}

const SIDES = ['before', 'after'] as const;

/** Whether the change is shown line by line. */
const isLongText = ({ kind, before, after }: FieldChange): boolean =>
  kind === 'changed' && `${before}${after}`.includes('\n');

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
