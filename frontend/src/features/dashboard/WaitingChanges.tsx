import { Group, Paper, Stack, Text } from '@mantine/core';
import { IconShieldQuestion } from '@tabler/icons-react';
import type { ProtectionChange } from '../../api/types';
import { changeTexts } from '../../ui/environments/change-texts';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';

export function WaitingChanges({ changes }: { changes: readonly ProtectionChange[] }) {
  return (
    <Stack gap="xs" component="ul" aria-label="Protection changes waiting for you" m={0} p={0}>
      {changes.map((change) => (
        <Paper key={change.id} component="li" p="sm" className="rw-plain-list">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <IconShieldQuestion size={18} aria-hidden className="rw-lead-icon" />
            <div>
              <AnchorLink to="/environments/$id" params={{ id: change.environmentId }} search={{ tab: 'protection' }}>
                Protection change in {change.environmentName}
              </AnchorLink>
              <Text size="sm">{changeTexts(change.settings).join('. ')}.</Text>
              <Text size="sm" c="dimmed">
                {change.requestedBy.name}, <RelativeTime at={change.requestedAt} />: {change.reason}
              </Text>
            </div>
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}
