import { Text } from '@mantine/core';
import type { OverlapConflict } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { RelativeTime } from '../../../ui/format/RelativeTime';

function conflictText({ unknownResults, waits }: OverlapConflict): string {
  if (unknownResults) return 'ended with an unknown result and still holds';
  return waits ? 'is earlier in the queue and waits for' : 'holds';
}

interface Props {
  conflicts: readonly OverlapConflict[];
  hidden: number;
}

export function ConflictList({ conflicts, hidden }: Props) {
  return (
    <>
      {conflicts.map((conflict, index) => (
        <Text key={conflict.executionId ?? index} component="div">
          {conflict.executionId ? (
            <AnchorLink to="/executions/$id" params={{ id: conflict.executionId }} inherit underline="always">
              {conflict.planName ?? 'A run'}
            </AnchorLink>
          ) : (
            (conflict.planName ?? 'A run')
          )}
          {conflict.startedBy && ` by ${conflict.startedBy.name}`}, <RelativeTime at={conflict.since ?? null} />,{' '}
          {conflictText(conflict)}{' '}
          {(conflict.sharedHosts.length > 0 ? conflict.sharedHosts : conflict.sharedKeys).join(', ')}.
        </Text>
      ))}
      {hidden > 0 && <Text>{hidden} more that you cannot view.</Text>}
    </>
  );
}
