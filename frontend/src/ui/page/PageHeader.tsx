import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { FavouriteButton } from '../bookmarks/FavouriteButton';
import { useNotedVisit } from './recent-pages';

interface Props {
  title: string;
  /** Title of the browser tab, if it differs. */
  tabTitle?: string;
  description?: ReactNode;
  above?: ReactNode;
  badge?: ReactNode;
  actions?: ReactNode;
  /** Whether members can add the page to their favourites. */
  favourite?: boolean;
}

export function PageHeader({ title, tabTitle = title, description, above, badge, actions, favourite = false }: Props) {
  useDocumentTitle(`${tabTitle} · Runward`);
  useNotedVisit(title);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Box miw={0} flex="1 1 320px">
        {above && (
          <Text size="xs" c="dimmed" component="div" mb={2}>
            {above}
          </Text>
        )}
        <Stack gap={2}>
          <Group gap="sm">
            <Title order={1} size="h3" className="rw-wrap-anywhere">
              {title}
            </Title>
            {badge}
            {favourite && <FavouriteButton name={title} />}
          </Group>
          {description && (
            <Text c="dimmed" component="div">
              {description}
            </Text>
          )}
        </Stack>
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
