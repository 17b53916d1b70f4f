import { Container } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';

/** Text for an unknown path, shown within the shell. */
export function NotFoundText() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState icon={IconCompass} title="Page not found" action={<ButtonLink to="/">Open overview</ButtonLink>}>
        The address is wrong, or the record was deleted.
      </EmptyState>
    </>
  );
}

/** Separate page for an unknown path, outside the shell. */
export const NotFound = () => (
  <Container size="sm" component="main" py="xl">
    <NotFoundText />
  </Container>
);
