import { Alert } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';

/** What a protected environment means for whoever wants to run something there. */
export function ProtectedNotice({ name }: { name: string }) {
  return (
    <Alert color="yellow" icon={<IconShieldCheck aria-hidden />} title={`${name} is protected`}>
      Runs need approval there before any host is touched. This version can’t ask for approval yet, so it refuses every
      start there; approvals come with a later version.
    </Alert>
  );
}
