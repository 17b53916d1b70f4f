import { describe, expect, it } from 'vitest';
import { matchesWords, parsePaletteText } from './palette-query';

const ENVIRONMENTS = [
  { id: '1', name: 'Staging' },
  { id: '2', name: 'production' },
  { id: '3', name: 'production eu' },
  { id: '4', name: 'lab 1' },
  { id: '5', name: 'lab 2' },
];
const parse = (text: string) => parsePaletteText(text, ENVIRONMENTS);

describe('text of the command palette', () => {
  it('starts a plan in an environment', () => {
    expect(parse('run Deploy shop in staging')).toEqual({ q: 'Deploy shop', environmentId: '1', runs: true });
    expect(parse('start deploy in stag')).toMatchObject({ q: 'deploy', environmentId: '1', runs: true });
  });

  it('prefers the exact name to a longer one', () => {
    expect(parse('deploy in PRODUCTION')).toMatchObject({ environmentId: '2', runs: false });
  });

  it.each(['backup in lab', 'check in nowhere', 'log in'])(
    'keeps “in” when it names no single environment: %s',
    (text) => {
      expect(parse(text)).toEqual({ q: text, environmentId: undefined, runs: false });
    },
  );

  it.each(['', ' ', 'a', 'run b'])('is too short for a search: “%s”', (text) => {
    expect(parse(text)).toBeNull();
  });
});

describe('pages and actions', () => {
  it('match when each word of the text begins one of their words', () => {
    expect(matchesWords('ssh k', 'SSH keys')).toBe(true);
    expect(matchesWords('keys ssh', 'SSH keys')).toBe(true);
    expect(matchesWords('eys', 'SSH keys')).toBe(false);
  });
});
