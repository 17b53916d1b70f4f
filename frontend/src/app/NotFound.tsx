import { Container } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { EmptyState } from '../ui/feedback/EmptyState';
import { ButtonLink } from '../ui/page/links';
import { PageHeader } from '../ui/page/PageHeader';

/** Text for an unknown path, to be shown within the shell. */
export function NotFoundText() {
  return (
    <>
      <PageHeader title="There is no such page" />
      <EmptyState icon={IconCompass} title="Nothing here" action={<ButtonLink to="/">Go to the dashboard</ButtonLink>}>
        The address may be mistyped, or what it named is gone.
      </EmptyState>
    </>
  );
}

/** The same as a page of its own, outside the shell. */
export const NotFound = () => (
  <Container size="sm" component="main" py="xl">
    <NotFoundText />
  </Container>
);
