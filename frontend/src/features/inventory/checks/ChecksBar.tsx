import { Box, CloseButton, Group, List, Paper, Progress, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { checkedCount, checksText, isOver, type SkippedServer, type ManyChecks } from './many-checks';

const NAMED = 200;

interface Props {
  so: ManyChecks;
  error: unknown;
  onClose: () => void;
}

export function ChecksBar({ so, error, onClose }: Props) {
  const done = checkedCount(so);
  const all = done + so.waiting.size;
  const over = isOver(so) || Boolean(error);
  return (
    <Paper p="xs" mb="xs" component="section" aria-label="Checks">
      <Stack gap={6}>
        <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
          <Text role="status">
            {checksText(so)}
            {!over && so.workers === 0 && ' No worker is running. The checks start when a worker starts.'}
          </Text>
          <CloseButton aria-label={over ? 'Close' : 'Stop following'} onClick={onClose} />
        </Group>
        {!over && (
          <Progress value={all === 0 ? 0 : (100 * done) / all} animated={all === 0} aria-label="Servers checked" />
        )}
        {Boolean(error) && <ErrorPanel error={error} />}
        {so.leftOut.length > 0 && <SkippedServers servers={so.leftOut} />}
      </Stack>
    </Paper>
  );
}

function SkippedServers({ servers }: { servers: readonly SkippedServer[] }) {
  const [opened, setOpened] = useState(servers.length <= 5);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Group gap={4} c="var(--rw-warn)">
          <Chevron size={15} aria-hidden />
          <Text fw={550}>{plural(servers.length, 'server')} skipped</Text>
        </Group>
      </UnstyledButton>
      {opened && (
        <Box className="rw-scroll" mah={180} tabIndex={0} role="group" aria-label="Skipped servers">
          <List size="sm" mt={4}>
            {servers.slice(0, NAMED).map(({ id, name, reason }) => (
              <List.Item key={id}>
                <Text span fw={550}>
                  {name}
                </Text>
                : {reason}
              </List.Item>
            ))}
          </List>
          {servers.length > NAMED && <Text c="dimmed">And {plural(servers.length - NAMED, 'more server')}.</Text>}
        </Box>
      )}
    </div>
  );
}
