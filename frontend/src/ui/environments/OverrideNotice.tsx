import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Environment } from '../../api/types';

/** Last emergency override of an environment's protection. Shows nothing if there was none. */
export function OverrideNotice({ override }: { override: Environment['protectionOverride'] }) {
  if (!override) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Emergency override of the protection">
      {override.by.name} weakened the protection of this environment without a second person: {override.reason}
    </Alert>
  );
}
