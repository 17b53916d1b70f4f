import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Glyph, title, children, action }: Props) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={44} radius="xl">
        <Glyph size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} size="md">
        {title}
      </Text>
      <Text c="dimmed" maw={460}>
        {children}
      </Text>
      {action}
    </Stack>
  );
}
