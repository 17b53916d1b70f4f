import { invalidRequest } from '../../common/errors/problem.js';
import { FINGERPRINT_MESSAGE, FINGERPRINT_PATTERN, type HostKeyRequest } from '../../common/http/host-key.dto.js';
import { type HostKey, InvalidHostKeyError, parseHostKey } from './host-key.js';

/**
 * Returns the key of a request. With a fingerprint alone, only the fingerprint is known.
 * @throws Problem 400: `invalid_host_key`, `conflicting_fields`, `required`
 */
export function parseRequestedHostKey(
  { publicKey, fingerprint }: Pick<HostKeyRequest, 'publicKey' | 'fingerprint'>,
  path: string,
): HostKey | { fingerprint: string } {
  if (publicKey === undefined || publicKey === '') {
    if (fingerprint !== undefined && FINGERPRINT_PATTERN.test(fingerprint)) return { fingerprint };
    if (fingerprint !== undefined)
      throw invalidRequest([{ path: `${path}/fingerprint`, code: 'invalid_host_key', message: FINGERPRINT_MESSAGE }]);
    throw invalidRequest([{ path, code: 'required', message: 'Send publicKey or fingerprint.' }]);
  }
  const key = parsePublicKey(publicKey, `${path}/publicKey`);
  if (fingerprint === undefined || fingerprint === key.fingerprint) return key;
  const message = `publicKey has another fingerprint: ${key.fingerprint}. Send one of both.`;
  throw invalidRequest([{ path: `${path}/fingerprint`, code: 'conflicting_fields', message }]);
}

function parsePublicKey(publicKey: string, path: string): HostKey {
  try {
    return parseHostKey(publicKey);
  } catch (error) {
    if (!(error instanceof InvalidHostKeyError)) throw error;
    const message = 'publicKey must be a host public key line such as "ssh-ed25519 AAAA…".';
    throw invalidRequest([{ path, code: 'invalid_host_key', message }]);
  }
}
