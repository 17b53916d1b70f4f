import { Alert } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { Environment } from '../../api/types';
import { limit, plural } from '../format/format';

type Policy = Pick<Environment, 'name' | 'requiredApprovals' | 'approvalTtlSeconds' | 'allowSelfApproval'>;

export function ProtectedNotice({ policy, dryRun = false }: { policy: Policy; dryRun?: boolean }) {
  const { name, requiredApprovals, approvalTtlSeconds, allowSelfApproval } = policy;
  return (
    <Alert color="yellow" icon={<IconShieldCheck aria-hidden />} title={`${name} is protected`}>
      {dryRun
        ? 'A dry run needs no approval. In a protected environment it skips the plan’s own test commands.'
        : `A run waits for ${plural(requiredApprovals, 'approval')}, at most ${limit(approvalTtlSeconds * 1000)}, before any host is touched; then it expires. ${
            allowSelfApproval
              ? 'The requester may approve it.'
              : 'The requester and authors of its content cannot approve it.'
          }`}
    </Alert>
  );
}
