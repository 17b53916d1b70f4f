import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '../ui/feedback/ErrorPanel';

/** Error page of a route. Also shown if an upgrade has removed a script of the page from the server. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const message = error instanceof Error ? error.message : '';
  if (/dynamically imported module|Importing a module script failed/.test(message)) {
    return (
      <Container size="sm" py="xl">
        <ErrorPanel
          error={new Error('Runward was upgraded after you opened this page. Reload it.')}
          title="New version available"
          onRetry={() => window.location.reload()}
        />
      </Container>
    );
  }
  return (
    <Container size="sm" py="xl">
      <ErrorPanel error={error} title="The page could not be loaded" onRetry={retry} />
    </Container>
  );
}
