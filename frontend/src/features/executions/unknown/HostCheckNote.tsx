import { Text } from '@mantine/core';
import type { HostCheck } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { FINDING_WORDS } from './resolve-words';

/** What a host told of a command whose result is unknown, and when; or that it is being asked. */
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
      {FINDING_WORDS[finding]}, <RelativeTime at={at} />
      {message ? `: ${message}` : '.'}
    </Text>
  );
}
