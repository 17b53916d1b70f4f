import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Environment } from '../../api/types';

/** The last emergency override of the protection of an environment; nothing without one. */
export function OverrideNotice({ override }: { override: Environment['protectionOverride'] }) {
  if (!override) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Emergency override of the protection">
      {override.by} weakened the protection of this environment without a second person: {override.reason}
    </Alert>
  );
}
