import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { enrolmentQuery } from '../../../api/queries/inventory/enrolments';
import type { Enrolment } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { enrolmentStateText } from './enrolment-states';
import { EnrolmentBadge } from './EnrolmentBadge';

export function EnrolmentProgress({ created }: { created: Enrolment }) {
  const { data = created, error } = useQuery(enrolmentQuery(created.id));
  const stateText = enrolmentStateText(data);
  return (
    <Paper p="sm" component="section" aria-label="State">
      <Stack gap={6}>
        <Group gap="sm" role="status">
          <EnrolmentBadge of={data} />
          {data.server && (
            <AnchorLink to="/servers/$id" params={{ id: data.server.id }} fw={550}>
              {data.server.name}
            </AnchorLink>
          )}
          {data.state === 'open' && (
            <Text c="dimmed" size="sm">
              expires <RelativeTime at={data.expiresAt} />
            </Text>
          )}
        </Group>
        {stateText !== null && <Text className="rw-wrap-anywhere">{stateText}</Text>}
        {error && <ErrorPanel error={error} />}
      </Stack>
    </Paper>
  );
}
