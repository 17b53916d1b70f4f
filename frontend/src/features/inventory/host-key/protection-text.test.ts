import { describe, expect, it } from 'vitest';
import type { ProtectionProof } from '../../../api/types';
import { protectionReason } from './protection-text';

const proof = (fields: Partial<ProtectionProof>): ProtectionProof => ({
  ...{ address: '10.0.0.5', port: 22, fingerprint: null, provedAt: null, provedHow: null, executionId: null },
  ...{ confirmedAt: null, confirmedBy: null },
  ...fields,
});

describe('by what a server protects its host', () => {
  it.each([
    ['nothing, where nothing was proved', 'not_proved', [], null],
    ['nothing, where the environment is open', 'environment_open', [proof({ provedHow: 'run' })], null],
    ['a login', 'proved', [proof({ provedHow: 'run' })], 'a run signed in'],
    [
      'an approver before a login',
      'confirmed',
      [proof({ provedHow: 'check' }), proof({ confirmedBy: { id: '1', name: 'Ada' } })],
      'Ada confirmed it',
    ],
    ['an upgrade', 'confirmed', [proof({ confirmedAt: '2026-01-01T00:00:00Z' })], 'it was in use before an upgrade'],
  ] as const)('is %s', (_what, state, proofs, expected) => {
    expect(protectionReason({ state, proofs: [...proofs] })).toBe(expected);
  });
});
