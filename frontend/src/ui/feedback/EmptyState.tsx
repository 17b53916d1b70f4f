import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NO_GRANT_TITLE, useMissingGrant } from '../../access/useMissingGrant';

interface Props {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** Whether the list is empty for a member without a grant. The text then says which grant is missing. */
  needsGrant?: boolean;
}

export function EmptyState({ icon: Glyph, title, children, action, needsGrant = false }: Props) {
  const missingGrant = useMissingGrant(needsGrant);
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={44} radius="xl">
        <Glyph size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} size="md">
        {missingGrant === null ? title : NO_GRANT_TITLE}
      </Text>
      <Text c="dimmed" maw={460}>
        {missingGrant ?? children}
      </Text>
      {action}
    </Stack>
  );
}
