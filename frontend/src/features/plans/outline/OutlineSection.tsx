import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Titled part of the outline. */
export function OutlineSection({ title, end, children }: { title: string; end?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={8} gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {end}
      </Group>
      {children}
    </section>
  );
}
