import { Container } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { EmptyState } from '../ui/EmptyState';
import { ButtonLink } from '../ui/links';
import { PageHeader } from '../ui/PageHeader';

export function NotFound() {
  return (
    <Container size="sm" component="main" py="xl">
      <PageHeader title="There is no such page" />
      <EmptyState icon={IconCompass} title="Nothing here" action={<ButtonLink to="/">Go to the dashboard</ButtonLink>}>
        The address may be mistyped, or what it named is gone.
      </EmptyState>
    </Container>
  );
}
