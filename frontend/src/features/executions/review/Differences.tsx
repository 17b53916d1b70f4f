import { Badge, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Difference } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { diffLines } from '../../../ui/diff/diff-lines';
import { DiffText } from '../../../ui/diff/DiffText';
import { VisibleText } from '../../../ui/diff/VisibleText';

const KINDS: Record<Difference['kind'], string> = {
  step: 'Step',
  variable: 'Variable',
  secret: 'Secret',
  host: 'Host',
  script: 'Script',
  template: 'Template',
  setting: 'Setting',
};
const CHANGES: Record<Difference['change'], { label: string; color: string }> = {
  added: { label: 'new', color: 'green' },
  removed: { label: 'gone', color: 'red' },
  changed: { label: 'changed', color: 'yellow' },
};

export function Differences({ items, more = 0 }: { items: readonly Difference[]; more?: number }) {
  return (
    <Stack gap="sm">
      {items.map((item) => (
        <DifferenceItem key={`${item.kind} ${item.name}`} item={item} />
      ))}
      {more > 0 && <Text c="dimmed">And {plural(more, 'more difference')} not listed here.</Text>}
    </Stack>
  );
}

function DifferenceItem({ item: { kind, name, change, before, after } }: { item: Difference }) {
  const { label, color } = CHANGES[change];
  const hasNoText = before === null && after === null;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    <div>
      <Group gap={6} mb={hasNoText ? 0 : 4}>
        <Text fw={550} component="span">
          {KINDS[kind]} <VisibleText text={name} />
        </Text>
        <Badge variant="light" color={color} tt="none">
          {label}
        </Badge>
        {kind === 'secret' && (
          <Text size="xs" c="dimmed">
            The value is never shown.
          </Text>
        )}
      </Group>
      {!hasNoText && <DiffText lines={lines} label={`${KINDS[kind]} ${name}, before and after`} />}
    </div>
  );
}
