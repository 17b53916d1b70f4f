import type { RunAuthor } from '../../../api/types';

const KINDS: Record<string, string> = {
  plan: 'Plans',
  script: 'Scripts',
  template: 'Templates',
  git_commit: 'Git commits',
  git_source: 'Git sources',
  environment_variable: 'Environment variables',
  server_variable: 'Server variables',
  server_tag: 'Server tags',
  server: 'Servers',
  host_key: 'Host keys',
  jump_server: 'Jump servers',
  ssh_key: 'SSH keys',
};

interface AuthorGroup {
  kind: string;
  label: string;
  items: RunAuthor[];
}

export function authorGroups(authors: readonly RunAuthor[]): AuthorGroup[] {
  const groups = new Map<string, AuthorGroup>();
  for (const author of authors) {
    const { kind } = author;
    const group = groups.get(kind) ?? { kind, label: KINDS[kind] ?? kind, items: [] };
    group.items.push(author);
    groups.set(kind, group);
  }
  return [...groups.values()];
}

export const authorName = ({ user, statedName }: RunAuthor): string => user?.name ?? statedName ?? 'Unknown';

/** Example: `deploy.sh, revision 3`. */
export const changeText = ({ name, revision, detail, kind }: RunAuthor): string =>
  [
    name,
    revision === null ? null : `revision ${revision}`,
    kind === 'git_commit' && detail ? `commit ${detail}` : detail,
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ');
