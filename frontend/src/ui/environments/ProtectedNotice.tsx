import { Alert } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { Environment } from '../../api/types';
import { limit, plural } from '../format/format';

type Policy = Pick<Environment, 'name' | 'requiredApprovals' | 'approvalTtlSeconds' | 'allowSelfApproval'>;

/** What protection of an environment means for a run in it. */
export function ProtectedNotice({ policy, dryRun = false }: { policy: Policy; dryRun?: boolean }) {
  const { name, requiredApprovals, approvalTtlSeconds, allowSelfApproval } = policy;
  return (
    <Alert color="yellow" icon={<IconShieldCheck aria-hidden />} title={`${name} is protected`}>
      {dryRun
        ? 'A dry run needs no approval: it changes nothing. It leaves out the checks that plans bring along, as those are commands too.'
        : `A run waits for ${plural(requiredApprovals, 'approval')}, at most ${limit(approvalTtlSeconds * 1000)}, before any host is touched; then it expires. ${
            allowSelfApproval
              ? 'Whoever started it may approve it too.'
              : 'Whoever started it, or changed what it runs or reads, can’t approve it.'
          }`}
    </Alert>
  );
}
