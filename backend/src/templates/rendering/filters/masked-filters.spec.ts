import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { createRedactor } from '../../../executions/output/redact-secrets.js';
import answerRequest from '../template-thread.js';
import { TEMPLATE_FILTERS } from './known-filters.js';
import { SECRET_FILTERS } from './secret-value.js';

const LIMITS = { renderMs: 1000, memory: 2_000_000, length: 262_144, jobMs: 250, jobLength: 2_000_000 };
const PIECES = [
  'a',
  'Z',
  '7',
  ' ',
  "'",
  '"',
  '\\',
  '$',
  '`',
  '/',
  '+',
  '=',
  '&',
  '<',
  '>',
  '~',
  '\n',
  '\t',
  'ö',
  '€',
  ': ',
  '- ',
  '#',
  '%',
];
const random = seededRandom(7);
/** Redaction does not mask blanks at the ends of a secret. */
const secrets = Array.from({ length: 25 }, () =>
  Array.from({ length: 10 + random.int(30) }, () => PIECES[random.int(PIECES.length)] ?? 'x')
    .join('')
    .trim(),
).filter((text) => text.length >= 8);

const redactors = new Map(secrets.map((value) => [value, createRedactor([{ name: 'PW', value }])]));

function rendered(content: string, text: string) {
  const scopes = [{ values: {}, facts: {}, secrets: { PW: text }, masked: false }];
  const found = answerRequest({ content, scopes, marksUnknownNames: false, limits: LIMITS });
  if (!found.ok) throw new Error(found.fault.message);
  return found.files[0];
}

/** Whether no recognisable part of the secret is left in the masked text. */
function isMasked(text: string, secret: string): boolean {
  const masked = redactors.get(secret)?.text(text) ?? '';
  const left = masked.replaceAll('‹secret PW›', '').replaceAll(/["'|>\-+=\s\\]/g, '');
  return masked.includes('‹secret PW›') && left.length <= 3;
}

describe('filter applied to a secret', () => {
  it('is refused or its result is masked', () => {
    const refused: string[] = [];
    const leaks: string[] = [];
    for (const filter of TEMPLATE_FILTERS) {
      const args = filter === 'default' ? ": 'x'" : '';
      for (const secret of secrets) {
        const file = rendered(`{{ PW | ${filter}${args} }}`, secret);
        if (file && 'text' in file) {
          if (!isMasked(file.text, secret)) leaks.push(`${filter} ${JSON.stringify(secret)} => ${file.text}`);
        } else {
          expect(file?.fault.code).toBe('secret_in_expression');
          expect(file?.fault.message).not.toContain(secret);
          if (!refused.includes(filter)) refused.push(filter);
        }
      }
    }
    expect(leaks).toEqual([]);
    expect(refused).toEqual(TEMPLATE_FILTERS.filter((name) => !SECRET_FILTERS.includes(name)));
  });

  it('and a second filter are refused or their result is masked', () => {
    const leaks: string[] = [];
    for (const first of SECRET_FILTERS)
      for (const second of SECRET_FILTERS)
        for (const secret of secrets) {
          const file = rendered(
            `{{ PW | ${first}: 'x' | ${second}: 'x' }}`.replaceAll(/(?<!default): 'x'/g, ''),
            secret,
          );
          if (file && 'text' in file && !isMasked(file.text, secret)) leaks.push(`${first} ${second} ${secret}`);
        }
    expect(leaks).toEqual([]);
  });
});
