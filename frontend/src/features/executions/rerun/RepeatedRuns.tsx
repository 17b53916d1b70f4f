import { Group, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { runStatusLabel } from '../../../ui/status/statuses';
import { MAX_RERUNS } from '../../../api/queries/runs/executions';
import { useReruns } from './useReruns';

/** Example: "Takes over 3 results of it; “Build” was done there." */
function describeInherited({ inherited, steps }: Pick<Execution, 'inherited' | 'steps'>): string {
  const names = steps.filter(({ key }) => inherited?.done.includes(key)).map(({ name }) => `“${name}”`);
  const taken = `Keeps ${plural(inherited?.results ?? 0, 'result')}`;
  return names.length > 0 ? `${taken}; ${names.join(', ')} ran there.` : `${taken}.`;
}

export function RepeatedRuns({ run }: { run: Execution }) {
  const { data } = useReruns(run);
  const children = (data?.items ?? []).toReversed();
  if (run.parentId === null && children.length === 0) return null;
  return (
    <Group gap="4px 14px" mb="md" role="group" aria-label="Repeated runs">
      {run.parentId !== null && (
        <AnchorLink to="/executions/$id" params={{ id: run.parentId }}>
          Rerun of {run.parentId.slice(-8)}
        </AnchorLink>
      )}
      {run.inherited !== null && <Text c="dimmed">{describeInherited(run)}</Text>}
      {children.length > 0 && <Text c="dimmed">{data?.nextCursor ? `Latest ${MAX_RERUNS} reruns:` : 'Reruns:'}</Text>}
      {children.map((child) => (
        <Group gap={6} key={child.id}>
          <AnchorLink to="/executions/$id" params={{ id: child.id }}>
            {child.id.slice(-8)}
          </AnchorLink>
          <StatusBadge status={child.status} label={runStatusLabel(child)} plain />
          <Text size="xs" c="dimmed" component="span">
            <RelativeTime at={child.createdAt} />
          </Text>
        </Group>
      ))}
    </Group>
  );
}
