import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { UnloadedScripts } from '../src/app/RouteError';
import { ApiProblem } from '../src/api/errors';
import { ErrorPanel } from '../src/ui/feedback/ErrorPanel';

const PROBLEM = new ApiProblem({
  ...{ status: 422, code: 'validation_failed', title: 'Invalid request', requestId: '01a2-7f' },
  detail: 'Port must be between 1 and 65535 (got 70000).',
});
const doNothing = () => undefined;

export const Notices = () => (
  <Stack>
    <ErrorPanel error={PROBLEM} onRetry={doNothing} />
    <UnloadedScripts onReload={doNothing} />
    {['blue', 'yellow', 'red', 'green', 'gray'].map((color) => (
      <Alert key={color} color={color} title={`Notice in ${color}`}>
        <Text>Held by run 4f2c on web-1.</Text>
      </Alert>
    ))}
    <Group>
      {(['filled', 'light', 'default', 'subtle'] as const).map((variant) => (
        <Button key={variant} variant={variant}>
          {variant}
        </Button>
      ))}
      <Button color="red">Delete</Button>
      <Button loading>Saving</Button>
      <Button disabled>Needs the Operator role</Button>
    </Group>
  </Stack>
);
