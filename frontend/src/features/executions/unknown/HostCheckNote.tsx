import { Text } from '@mantine/core';
import type { HostCheck } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { FINDING_LABELS } from './resolve-labels';

/** Shows the last attempt to read an unknown result from the host, or that an attempt is running. */
export function HostCheckNote({ check }: { check: HostCheck }) {
  const { askedAt: requestedAt, askedBy: requester, pending, at, reason } = check;
  if (pending || reason === null) {
    return (
      <Text size="xs" role="status" component="div">
        Reading the result from the host…{requester && ` (${requester.name}, `}
        <RelativeTime at={requestedAt} />
        {requester && ')'}
      </Text>
    );
  }
  return (
    <Text size="xs" role="status" component="div" className="rw-wrap-anywhere">
      {FINDING_LABELS[reason.code] && `${FINDING_LABELS[reason.code]}, `}
      <RelativeTime at={at} />: {reason.text}
    </Text>
  );
}
