import { Alert, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconGitBranch } from '@tabler/icons-react';
import { gitSourceQuery } from '../../../api/queries/library/git-sources';
import type { Plan } from '../../../api/types';
import { SourceFileLink } from '../../../ui/git/SourceFileLink';
import { AnchorLink } from '../../../ui/page/links';

/** Names the git source that manages the plan. */
export function OriginNotice({ origin }: { origin: NonNullable<Plan['origin']> }) {
  const { gitSourceId, path, commit } = origin;
  const source = useQuery(gitSourceQuery(gitSourceId));
  return (
    <Alert color="blue" py={8} mb="md" icon={<IconGitBranch aria-hidden />} role="status">
      Managed in{' '}
      <AnchorLink to="/git-sources/$id" params={{ id: gitSourceId }} search={{ tab: 'plans' }} underline="always">
        {source.data?.name ?? 'a git source'}
      </AnchorLink>{' '}
      · <SourceFileLink gitSourceId={gitSourceId} path={path} commit={commit} /> at{' '}
      <Code title={commit}>{commit.slice(0, 10)}</Code>. To change it, commit there and sync the source.
    </Alert>
  );
}
