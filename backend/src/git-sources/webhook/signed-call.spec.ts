import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhookCall } from './signed-call.js';

const SECRET = 'secret-of-the-forge';
const NOW = 1_800_000_000;
const BODY = '{"ref":"refs/heads/main"}';
const hex = (body: string, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');
const standard = (body: string, { id = 'msg-1', at = NOW, key = Buffer.from(SECRET) } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
});
const isProven = (headers: Record<string, string | string[]>, body = BODY, secret = SECRET) =>
  verifyWebhookCall({ headers, body: Buffer.from(body) }, secret, NOW);

describe('provenCall', () => {
  it.each<[string, Record<string, string>]>([
    ['GitHub', { 'x-hub-signature-256': `sha256=${hex(BODY)}`, 'x-github-event': 'push' }],
    ['GitLab by its token', { 'x-gitlab-token': SECRET, 'x-gitlab-event': 'Push Hook' }],
    ['GitLab by a signature', { ...standard(BODY), 'x-gitlab-event': 'Tag Push Hook' }],
    ['Gitea', { 'x-gitea-signature': hex(BODY), 'x-gitea-event': 'push' }],
    ['Gogs', { 'x-gogs-signature': hex(BODY), 'x-gogs-event': 'push' }],
    ['a script', { 'x-hub-signature-256': `sha256=${hex(BODY)}` }],
  ])('accepts a call signed as %s does', (_, headers) => {
    expect(isProven(headers)).toEqual({ key: expect.any(Buffer), push: true });
    expect(isProven(headers)?.key).toEqual(isProven(headers)?.key);
  });

  it('accepts a Standard Webhooks secret, and one of several signatures', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef');
    const secret = `whsec_${key.toString('base64')}`;
    const headers = standard(BODY, { key });
    expect(isProven(headers, BODY, secret)).not.toBeNull();
    expect(
      isProven({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, BODY, secret),
    ).not.toBeNull();
  });

  it('requests no sync for other events', () => {
    expect(isProven({ 'x-hub-signature-256': `sha256=${hex(BODY)}`, 'x-github-event': 'ping' })?.push).toBe(false);
    expect(isProven({ 'x-gitlab-token': SECRET, 'x-gitlab-event': 'Issue Hook' })?.push).toBe(false);
  });

  const github = { 'x-hub-signature-256': `sha256=${hex(BODY)}` };
  const FORGED_CALLS: [Record<string, string | string[]>, string?][] = [
    [{}],
    [{ 'x-github-event': 'push' }],
    [github, `${BODY} `],
    [github, ''],
    [{ 'x-hub-signature-256': `sha256=${hex(BODY, 'another')}` }],
    [{ 'x-hub-signature-256': hex(BODY) }],
    [{ 'x-hub-signature-256': `sha1=${hex(BODY)}` }],
    [{ 'x-hub-signature-256': `sha256=${hex(BODY).toUpperCase()}` }],
    [{ 'x-hub-signature-256': `sha256=${hex(BODY)}00` }],
    [{ 'x-hub-signature-256': 'sha256=' }],
    [{ 'x-hub-signature-256': [`sha256=${hex(BODY)}`, 'x'] }],
    [{ 'x-hub-signature': `sha1=${createHmac('sha1', SECRET).update(BODY).digest('hex')}` }],
    // A weak proof does not compensate for an invalid stronger one.
    [{ 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': SECRET }],
    [{ 'x-gitea-signature': '00', 'x-gitlab-token': SECRET }],
    [{ ...standard(BODY), 'webhook-signature': 'v1,AAAA', 'x-gitlab-token': SECRET }],
    [{ 'x-gitlab-token': `${SECRET}x` }],
    [{ 'x-gitlab-token': SECRET.slice(1) }],
    [{ 'x-gitlab-token': hex(BODY) }],
    [{ 'x-gitea-signature': `sha256=${hex(BODY)}` }],
    [standard(BODY), `${BODY}x`],
    [standard(BODY, { at: NOW - 301 })],
    [standard(BODY, { at: NOW + 301 })],
    [{ ...standard(BODY), 'webhook-id': 'msg-2' }],
    [{ ...standard(BODY), 'webhook-timestamp': String(NOW + 1) }],
    [{ ...standard(BODY), 'webhook-timestamp': '' }],
    [{ ...standard(BODY), 'webhook-timestamp': 'NaN' }],
    [{ ...standard(BODY), 'webhook-id': '' }],
    [{ ...standard(BODY), 'webhook-id': 'x'.repeat(257) }],
    [{ ...standard(BODY), 'webhook-signature': standard(BODY)['webhook-signature'].replace('v1,', 'v2,') }],
  ];
  it(`rejects ${FORGED_CALLS.length} forged calls`, () => {
    expect(FORGED_CALLS.filter(([headers, body]) => isProven(headers, body) !== null)).toEqual([]);
  });

  it('returns the same key for the same body with different proofs', () => {
    expect(isProven(github)?.key).toEqual(isProven({ 'x-gitlab-token': SECRET })?.key);
    expect(isProven(standard(BODY, { id: 'a' }))?.key).not.toEqual(isProven(standard(BODY, { id: 'b' }))?.key);
  });
});
