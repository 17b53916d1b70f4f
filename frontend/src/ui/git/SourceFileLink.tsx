import type { ReactNode } from 'react';
import { AnchorLink } from '../page/links';

interface Props {
  gitSourceId: string;
  path: string;
  commit: string;
  children?: ReactNode;
}

export function SourceFileLink({ gitSourceId, path, commit, children }: Props) {
  return (
    <AnchorLink
      to="/git-sources/$id"
      params={{ id: gitSourceId }}
      search={{ file: path, at: commit }}
      underline="always"
      className="rw-wrap-anywhere"
    >
      {children ?? path}
    </AnchorLink>
  );
}
