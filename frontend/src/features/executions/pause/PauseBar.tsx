import { Box, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Pause } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ThumbBar, useThumbBar } from '../run/ThumbBar';
import classes from './pause.module.css';

interface Props {
  pause: Pause;
  title: string;
  /** Buttons beside the title; on a phone at the lower edge. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** Reason and expiry of a pause. Stays visible while scrolling. */
export function PauseBar({ pause, title, actions, children }: Props) {
  const onPhone = useThumbBar();
  return (
    <section className={classes.bar} aria-label="Paused run" data-testid="pause-bar">
      <Group justify="space-between" gap="sm" align="flex-start">
        <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 320px" miw={0}>
          <span className={classes.icon}>
            <IconPlayerPause size={20} aria-hidden />
          </span>
          <Box miw={0}>
            <Text fw={620} size="md" component="h2" m={0}>
              {title}
            </Text>
            <Text size="xs" component="div">
              Waiting since <RelativeTime at={pause.since} />. Without a decision the run expires{' '}
              <RelativeTime at={pause.expiresAt} />.
            </Text>
          </Box>
        </Group>
        {actions && !onPhone && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
      {actions && onPhone && <ThumbBar>{actions}</ThumbBar>}
    </section>
  );
}
