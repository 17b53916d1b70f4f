import { Text } from '@mantine/core';
import type { OverlapConflict } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { RelativeTime } from '../../../ui/format/RelativeTime';

/** Conflicting runs, each with the locks and hosts that it holds. */
export function ConflictList({ conflicts, hidden }: { conflicts: readonly OverlapConflict[]; hidden: number }) {
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
          {conflict.startedBy && ` by ${conflict.startedBy}`}, <RelativeTime at={conflict.since ?? null} />,{' '}
          {conflict.unknownResults ? 'is over with an unknown result and still holds' : 'holds'}{' '}
          {(conflict.sharedHosts.length > 0 ? conflict.sharedHosts : conflict.sharedKeys).join(', ')}.
        </Text>
      ))}
      {hidden > 0 && <Text>{hidden} more that you may not see.</Text>}
    </>
  );
}
