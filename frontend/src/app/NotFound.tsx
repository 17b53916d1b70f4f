import { Container } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { EmptyState } from '../ui/EmptyState';
import { ButtonLink } from '../ui/links';

export function NotFound() {
  return (
    <Container size="sm" component="section">
      <EmptyState
        icon={IconCompass}
        title="There is no such page"
        action={<ButtonLink to="/">Go to the dashboard</ButtonLink>}
      >
        The address may be mistyped, or what it named is gone.
      </EmptyState>
    </Container>
  );
}
