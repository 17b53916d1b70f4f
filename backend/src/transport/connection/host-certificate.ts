import { type Certificate, getCertificateState, CertificateError, readHostCertificate } from '../keys/certificate.js';
import { hostKeyFromBlob, type HostKey } from '../keys/host-key.js';
import { formatEndpoint, SshError } from '../ssh-errors.js';
import { allowHostKeyAlgorithms } from '../ssh2/private-fields.js';
import { type ScanOptions, scanHostKeyBlob } from './host-key-scan.js';

/**
 * Added to the algorithms of ssh2, which would not offer them. ssh2 never verifies a signature against a certificate:
 * the connection that reads a certificate ends right after, and the login then requires the plain key. RSA certificates
 * are omitted, because ssh2 mistakes their signature algorithms for another key type.
 */
const CERTIFICATE_ALGORITHMS = [
  'ssh-ed25519-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'ecdsa-sha2-nistp384-cert-v01@openssh.com',
  'ecdsa-sha2-nistp521-cert-v01@openssh.com',
];

/**
 * Reads the host certificate over a separate connection.
 * @param authorities keys whose signatures are trusted
 * @returns the certified key; the host must still prove that it owns this key
 * @throws SshError `host_key_type_missing`: the host has no certificate; `host_key_changed`: the certificate is invalid
 *   or not trusted
 */
export async function scanCertifiedKey(
  target: { host: string; port: number },
  authorities: readonly HostKey[],
  options: ScanOptions,
): Promise<HostKey> {
  allowHostKeyAlgorithms(CERTIFICATE_ALGORITHMS);
  const blob = await scanHostKeyBlob(target.host, target.port, options, CERTIFICATE_ALGORITHMS).catch(
    (error: unknown) => {
      throw error instanceof SshError && error.code === 'host_key_type_missing' ? toNoCertificateError(target) : error;
    },
  );
  const refused = (why: string, seen?: HostKey) =>
    new SshError(
      'host_key_changed',
      `${formatEndpoint(target)} shows a host certificate that is not accepted: ${why} Trusted is ${authorities.map(({ fingerprint }) => fingerprint).join(', ')}.`,
      { seen },
    );
  let certificate: Certificate;
  try {
    certificate = readHostCertificate(blob);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw refused(error.message);
  }
  const key = hostKeyFromBlob(certificate.key);
  const fault = findCertificateFault(certificate, target.host, authorities, new Date());
  if (fault !== null) throw refused(fault, key);
  return key;
}

const toNoCertificateError = (target: { host: string; port: number }) =>
  new SshError(
    'host_key_type_missing',
    `${formatEndpoint(target)} shows no host certificate for an Ed25519 or ECDSA key, and none of its host keys is pinned. Check HostCertificate in its sshd_config, or pin its key.`,
  );

/** Returns why the certificate is not valid for the host; null: it is valid. */
export function findCertificateFault(
  certificate: Certificate,
  host: string,
  authorities: readonly HostKey[],
  now: Date,
): string | null {
  if (!authorities.some(({ fingerprint }) => fingerprint === certificate.caFingerprint))
    return `it is signed by ${certificate.caFingerprint}.`;
  const state = getCertificateState(certificate, now);
  if (state === 'expired') return `it expired at ${certificate.validUntil?.toISOString()}.`;
  if (state === 'not_yet_valid') return `it is only valid from ${certificate.validFrom?.toISOString()}.`;
  if (certificate.isConditional) return 'it has conditions, which host certificates must not have.';
  const name = host.toLowerCase().replace(/\.+$/, '');
  if (certificate.principals.some((principal) => matchesPrincipal(principal.toLowerCase(), name))) return null;
  return `it is for ${certificate.principals.join(', ') || 'no name'}, not for ${host}.`;
}

/**
 * Returns whether the pattern matches. `*.example.com` matches names directly in that domain, but not in its
 * subdomains.
 */
function matchesPrincipal(principal: string, name: string): boolean {
  if (!principal.startsWith('*.')) return principal === name;
  return name.slice(name.indexOf('.')) === principal.slice(1) && name.indexOf('.') > 0;
}
