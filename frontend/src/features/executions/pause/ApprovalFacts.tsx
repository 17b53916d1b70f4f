import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { Approval } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';

export function ApprovalFacts({ approval: { requestedBy, requestedAt, reason, decisions } }: { approval: Approval }) {
  return (
    <Stack gap={6}>
      <Text component="div">
        Requested by <b>{requestedBy.name}</b>, <RelativeTime at={requestedAt} />.
      </Text>
      {reason && (
        <Alert color="yellow" py={8}>
          Approval requested again: {reason.text}
        </Alert>
      )}
      {decisions.map(({ user, decision, comment, at }) => (
        <Group key={user.id} gap={6} wrap="nowrap" align="flex-start">
          {decision === 'approved' ? (
            <IconCheck size={16} aria-hidden color="var(--rw-good)" className="rw-lead-icon" />
          ) : (
            <IconX size={16} aria-hidden color="var(--rw-bad)" className="rw-lead-icon" />
          )}
          <Text component="div" className="rw-wrap-anywhere">
            <b>{user.name}</b> {decision} it, <RelativeTime at={at} />
            {comment ? `: ${comment}` : '.'}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
