import { describe, expect, it } from '@jest/globals';
import { SshError, type SshErrorCode } from '../../transport/ssh-errors.js';
import type { Server } from '../fields/server.entity.js';
import { toConnectionFailedVerdict } from './connection-advice.js';
import type { DiagnosisStep } from './diagnosis.js';

const server = { hostname: 'web-1', port: 22, username: 'deploy', hostKey: null } as Server;
const verdict = (step: DiagnosisStep, code: SshErrorCode) =>
  toConnectionFailedVerdict(step, new SshError(code, 'what the transport says'), {
    server,
    hops: [],
    key: null,
    publicKey: 'line',
  });

describe("the doctor's text for failures that no test can produce", () => {
  it.each([
    ['tcp', 'connect_timeout', /did not answer in time/, /firewall drops/],
    ['tcp', 'network_unreachable', /no network route/, /routes/],
    ['resolve', 'connect_timeout', /Looking up web-1 took too long/, /DNS servers/],
    ['host_key', 'handshake_timeout', /did not finish the SSH handshake/, /overloaded/],
    ['host_key', 'host_key_type_missing', /no key type/, /Ed25519/],
    ['banner', 'connection_lost', /what the transport says/, /log/],
  ] as const)('%s, %s: names the cause', (step, code, message, advice) => {
    expect(verdict(step, code)).toEqual({
      status: 'failed',
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
  });
});
