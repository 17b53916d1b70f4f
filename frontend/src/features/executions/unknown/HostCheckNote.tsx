import { Text } from '@mantine/core';
import type { HostCheck } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { FINDING_LABELS } from './resolve-labels';

/** The last check of a host whose result is unknown, or that a check is pending. */
export function HostCheckNote({ check }: { check: HostCheck }) {
  const { askedAt, askedBy, pending, at, finding, message } = check;
  if (pending || finding === null) {
    return (
      <Text size="xs" role="status" component="div">
        Asking the host…{askedBy && ` (${askedBy}, `}
        <RelativeTime at={askedAt} />
        {askedBy && ')'}
      </Text>
    );
  }
  return (
    <Text size="xs" role="status" component="div" style={{ overflowWrap: 'anywhere' }}>
      {FINDING_LABELS[finding]}, <RelativeTime at={at} />
      {message ? `: ${message}` : '.'}
    </Text>
  );
}
