import type { ImportFormat } from '../../../../api/types';

/** So much of a text is looked at; it tells enough, also of the largest. */
const LOOKED_AT = 20_000;

/** The format of a text, as far as the name of its file and its beginning tell; null: nothing tells. */
export function guessFormat(content: string, fileName = ''): ImportFormat | null {
  const name = fileName.toLowerCase();
  // YAML may look like anything else, so its ending counts more.
  if (/\.ya?ml$/.test(name)) return 'ansible-yaml';
  return byContent(content.slice(0, LOOKED_AT)) ?? byName(name);
}

function byName(name: string): ImportFormat | null {
  if (name.endsWith('.json')) return 'json';
  if (/^((ssh_?)?config|.*\.conf)$/.test(name)) return 'ssh-config';
  return /\.ini$|^(hosts|inventory)/.test(name) ? 'ansible-ini' : null;
}

/** Of each format what only its texts hold; those that hold all of it are of the first such format. */
const CLUES: readonly (readonly [ImportFormat, ...RegExp[]])[] = [
  ['json', /^\s*\[\s*(\{|\]\s*$)/],
  ['ansible-json', /^\s*\{/, /"(_meta|hostvars|children|hosts|vars)"\s*:/],
  ['json', /^\s*\{/],
  ['ansible-yaml', /^(---|[\w.-]+:)[ \t]*(#.*)?$/m],
  ['ssh-config', /^[ \t]*host[ \t=]+\S/im, /^[ \t]*(hostname|user|port|identityfile|proxyjump)[ \t=]/im],
  ['ansible-ini', /^\[[\w.:-]+\][ \t]*$|\bansible_\w+[ \t]*=/m],
];

const byContent = (start: string): ImportFormat | null =>
  CLUES.find(([, ...clues]) => clues.every((clue) => clue.test(start)))?.[0] ?? null;
