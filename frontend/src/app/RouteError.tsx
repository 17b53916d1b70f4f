import { Alert, Button, Container, Group, Loader, Stack, Text } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '../ui/feedback/ErrorPanel';
import { useReconnection } from '../ui/feedback/useReconnection';
import { isLoadError } from './routes/lazy-page';

/** Error page of a route. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      {isLoadError(error) ? (
        <UnloadedScripts onReload={() => window.location.reload()} />
      ) : (
        <ErrorPanel error={error} title="The page could not be loaded" onRetry={retry} />
      )}
    </Container>
  );
}

/** Scripts of the page are missing: without a connection until it is back, otherwise since an upgrade. */
export function UnloadedScripts({ onReload }: { onReload: () => void }) {
  const connected = useReconnection(onReload);
  if (connected === null) return <Loader size="sm" aria-label="Loading" />;
  if (connected)
    return (
      <Alert role="alert" title="A new version is available">
        <Stack gap="xs" align="flex-start">
          <Text>Runward was upgraded after you opened this page.</Text>
          <Button onClick={onReload}>Reload</Button>
        </Stack>
      </Alert>
    );
  return (
    <Alert color="yellow" role="status" title="No connection">
      <Group gap="xs" wrap="nowrap">
        <Loader size={14} aria-hidden />
        <Text>The server does not respond. Retrying every 3 seconds.</Text>
      </Group>
    </Alert>
  );
}
