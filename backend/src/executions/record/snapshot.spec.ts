import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { EMPTY_PLAN as EMPTY } from '../../plans/steps/plan-content.js';
import type { RunContent } from './run-content.js';
import { computeDigest, type FrozenHost } from './snapshot.js';

const EMPTY_PLAN: RunContent = { ...EMPTY, steps: [] };

const digest = (plan: RunContent): string =>
  computeDigest({ plan, variables: {}, secretNames: [], targets: '' }, [], 'environment', {});

describe('digest of a snapshot', () => {
  it('omits the default strategy, so that it equals the digest of runs from before strategies existed', () => {
    const { strategy: _, ...before } = EMPTY_PLAN;
    expect(digest(EMPTY_PLAN)).toBe(digest(before as RunContent));
  });

  it('changes with the strategy "free"', () => {
    expect(digest({ ...EMPTY_PLAN, strategy: 'free' })).not.toBe(digest(EMPTY_PLAN));
  });

  it.each([0, 1, 3])('is the SHA-256 of the canonical JSON of all fields (RFC 8785), with %i hosts', (count) => {
    const plain = { hostname: 'h.example.test', port: 22, username: 'deploy', ssh_key_id: 'k', host_key: null };
    const hosts = Array.from(
      { length: count },
      (_, ordinal): FrozenHost => ({
        ...plain,
        server_id: `id-${ordinal}`,
        ordinal,
        name: `host "${ordinal}" ü`,
        more_host_keys: null,
        jump_server_id: ordinal === 1 ? 'jump' : null,
        tags: { b: '2', a: '1' },
        ...(ordinal === 2 ? { variables: { list: [1, 'two'] } } : {}),
      }),
    );
    const written = hosts.map(({ more_host_keys: _, jump_server_id: jump, ...host }) =>
      jump === null ? host : { ...host, jump_server_id: jump },
    );
    const { strategy: _, ...plan } = EMPTY_PLAN;
    const snapshot = { variables: { z: 1, a: 'x' }, secretNames: ['s'], targets: 'role=web' };
    const secrets = { s: 'print', a: 'other' };
    const text = canonicalize({ hosts: written, secrets, environmentId: 'e', snapshot: { ...snapshot, plan } }) ?? '';
    expect(computeDigest({ ...snapshot, plan: EMPTY_PLAN }, hosts, 'e', secrets)).toBe(
      createHash('sha256').update(text).digest('hex'),
    );
  });
});
