import { Alert, Text } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useStoppedInstallation } from '../../api/queries/access/installation';

const TITLES = {
  held: 'This installation is held: you can read everything, but nothing starts or runs',
  draining: 'This installation is draining: running runs continue, but nothing new starts',
} as const;

/** Shows on every page that the installation is held or draining, why, and how to end this. */
export function InstallationBanner() {
  const stopped = useStoppedInstallation();
  if (!stopped || stopped.state === 'active') return null;
  return (
    <Alert color="yellow" role="status" icon={<IconHandStop aria-hidden />} title={TITLES[stopped.state]} mb="md">
      <Text>{stopped.reason?.text}</Text>
      <Text c="dimmed">{stopped.howToEnd?.replaceAll('`', '')}</Text>
    </Alert>
  );
}
