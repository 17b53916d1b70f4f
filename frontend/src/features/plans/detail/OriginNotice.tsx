import { Alert, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconGitBranch } from '@tabler/icons-react';
import { gitSourceQuery } from '../../../api/queries/library/git-sources';
import type { Plan } from '../../../api/types';
import { SourceFileLink } from '../../../ui/git/SourceFileLink';
import { AnchorLink } from '../../../ui/page/links';

/** Where a plan comes from that is changed in a git source only. */
export function OriginNotice({ origin }: { origin: NonNullable<Plan['origin']> }) {
  const { gitSourceId, path, commit } = origin;
  const source = useQuery(gitSourceQuery(gitSourceId));
  return (
    <Alert color="blue" py={8} mb="md" icon={<IconGitBranch aria-hidden />} role="status">
      Comes from{' '}
      <AnchorLink to="/git-sources/$id" params={{ id: gitSourceId }} search={{ tab: 'plans' }} underline="always">
        {source.data?.name ?? 'a git source'}
      </AnchorLink>{' '}
      · <SourceFileLink gitSourceId={gitSourceId} path={path} commit={commit} /> at{' '}
      <Code title={commit}>{commit.slice(0, 10)}</Code>. It is changed there: commit, and have the source synced.
    </Alert>
  );
}
