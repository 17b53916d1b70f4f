import type { ImportFormat } from '../../../../api/types';

const MAX_INSPECTED_CHARACTERS = 20_000;

/** Detects the format of a text from its file name and beginning; null: unknown. */
export function guessFormat(content: string, fileName = ''): ImportFormat | null {
  const name = fileName.toLowerCase();
  // The file extension has priority, because YAML can resemble other formats.
  if (/\.ya?ml$/.test(name)) return 'ansible-yaml';
  return byContent(content.slice(0, MAX_INSPECTED_CHARACTERS)) ?? byName(name);
}

function byName(name: string): ImportFormat | null {
  if (name.endsWith('.json')) return 'json';
  if (/^((ssh_?)?config|.*\.conf)$/.test(name)) return 'ssh-config';
  return /\.ini$|^(hosts|inventory)/.test(name) ? 'ansible-ini' : null;
}

/** Distinctive patterns for each format. The first format whose patterns all match wins. */
const FORMAT_CLUES: readonly (readonly [ImportFormat, ...RegExp[]])[] = [
  ['json', /^\s*\[\s*(\{|\]\s*$)/],
  ['ansible-json', /^\s*\{/, /"(_meta|hostvars|children|hosts|vars)"\s*:/],
  ['json', /^\s*\{/],
  ['ansible-yaml', /^(---|[\w.-]+:)[ \t]*(#.*)?$/m],
  ['ssh-config', /^[ \t]*host[ \t=]+\S/im, /^[ \t]*(hostname|user|port|identityfile|proxyjump)[ \t=]/im],
  ['ansible-ini', /^\[[\w.:-]+\][ \t]*$|\bansible_\w+[ \t]*=/m],
];

const byContent = (start: string): ImportFormat | null =>
  FORMAT_CLUES.find(([, ...clues]) => clues.every((clue) => clue.test(start)))?.[0] ?? null;
