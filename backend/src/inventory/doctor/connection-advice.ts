import { getPinnedKeys, formatPinFingerprints } from '../../transport/keys/pinned-key.js';
import { type SshError, formatEndpoint } from '../../transport/ssh-errors.js';
import type { ConnectionStage } from '../../transport/connection/tcp-socket.js';
import type { ServerContactData, ContactFinding } from '../checks/server-contact.js';
import { type DiagnosisStep, toFailedVerdict, toOkVerdict, type DiagnosisVerdict } from './diagnosis.js';

export const DIAGNOSIS_STEP_BY_STAGE: Readonly<Record<ConnectionStage, DiagnosisStep>> = {
  resolved: 'resolve',
  connected: 'tcp',
  identified: 'banner',
  agreed: 'host_key',
};

/** @param detail see `ConnectionStage` */
export function toStageVerdict(
  stage: ConnectionStage,
  detail: string,
  { server }: ServerContactData,
): DiagnosisVerdict {
  switch (stage) {
    case 'resolved':
      return toOkVerdict(
        detail === server.hostname ? 'This is an address: no lookup needed.' : `The name resolves to ${detail}.`,
      );
    case 'connected':
      return toOkVerdict(`${formatEndpoint({ host: detail, port: server.port })} accepts connections.`);
    case 'identified':
      return toOkVerdict(detail === '' ? 'An SSH server answers.' : `An SSH server answers: ${detail}.`);
    case 'agreed':
      return toOkVerdict(`The host owns a pinned key: ${formatPinFingerprints(getPinnedKeys(server))}.`);
  }
}

const DEFAULT_ADVICE_BY_STEP: Readonly<Record<DiagnosisStep, string>> = {
  resolve: 'Check the host name of the server.',
  tcp: 'Check the host, the port and the firewalls between Runward and the host.',
  banner: 'Check that an SSH server listens on this port, and read its log.',
  host_key: 'Check the version, the settings and the log of the SSH server.',
  login: 'Check the log of the SSH server on the host.',
  shell: "Check the login user's shell.",
  journal: 'Check the host.',
  sudo: 'Check the host.',
};

/** Errors that a jump server reports about its connection to the host. */
const ROUTE_ERROR_CODES: ReadonlySet<string> = new Set([
  'host_not_found',
  'connection_refused',
  'connect_timeout',
  'network_unreachable',
]);

/** Explains why connecting failed, with advice. Never quotes text from the other side. */
export function toConnectionFailedVerdict(
  step: DiagnosisStep,
  error: SshError,
  contact: ServerContactData,
): DiagnosisVerdict {
  const { server, publicKey, hops } = contact;
  const { hostname, port, username } = server;
  const pins = getPinnedKeys(server);
  const where = formatEndpoint({ host: hostname, port });
  if (error.code === 'jump_failed')
    return toFailedVerdict(error.message, 'Diagnose the jump server first, then this server again.');
  if (hops.length > 0 && ROUTE_ERROR_CODES.has(error.code))
    return toFailedVerdict(error.message, 'Test the same address and port from the jump server.');
  switch (error.code) {
    case 'host_not_found':
      return toFailedVerdict(
        `The name ${hostname} was not found.`,
        'Check its spelling, and that the DNS servers of the Runward machine can resolve it. Or register the IP address instead.',
      );
    case 'connection_refused':
      return toFailedVerdict(
        `${where} refused the connection: the machine answers, but nothing listens on this port.`,
        'Start the SSH server, or correct the port. A firewall that rejects connections causes the same error.',
      );
    case 'connect_timeout':
      return toFailedVerdict(
        step === 'resolve' ? `Looking up ${hostname} took too long.` : `${where} did not answer in time.`,
        step === 'resolve'
          ? 'Check the DNS servers of the Runward machine.'
          : 'Usually a firewall drops the connection or the host is down. Open the port for the Runward machine, and check the address.',
      );
    case 'network_unreachable':
      return toFailedVerdict(
        `There is no network route to ${where}.`,
        'Check the address, and the routes, VPN and firewall of the Runward machine.',
      );
    case 'not_ssh':
      return toFailedVerdict(error.message, 'Correct the port, or configure an SSH server to listen on it.');
    case 'hostile_peer':
      return toFailedVerdict(
        error.message,
        'An SSH server sends no such amounts. Look for strange processes on the host, update its SSH server, and check what answers on this port.',
      );
    case 'handshake_timeout':
      return toFailedVerdict(
        step === 'banner'
          ? `${where} took the connection but did not name itself as an SSH server in time.`
          : `${where} did not finish the SSH handshake in time.`,
        'Check that the port belongs to an SSH server and the host is not overloaded. Check also that no device in between inspects or slows SSH.',
      );
    case 'host_key_changed':
      return toFailedVerdict(
        `The host shows a key that is not pinned: pinned ${formatPinFingerprints(pins)}, shown ${error.seen?.fingerprint ?? 'none'}.`,
        'Another machine may answer at this address. Compare with the key on the host (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub). Accept the new key only if the host was reinstalled or its key replaced on purpose.',
      );
    case 'host_key_type_missing':
      return pins.length > 0
        ? toFailedVerdict(
            `The host no longer offers a key of the pinned type ${pins.map(({ type }) => type).join(', ')}. Pinned: ${formatPinFingerprints(pins)}.`,
            'If its keys were replaced on purpose, check the server, compare the key it shows and accept it.',
          )
        : toFailedVerdict(
            'The host offers no key type that Runward accepts.',
            'Create an Ed25519, ECDSA or RSA host key on it.',
          );
    case 'second_factor_required':
    case 'no_common_algorithm': {
      const [message = '', ...advice] = error.message.split(/(?<=\.) (?=Exempt|Update)/);
      return toFailedVerdict(message, advice.join(' '));
    }
    case 'login_refused':
      if (!error.message.includes('authorized_keys'))
        return toFailedVerdict(error.message, DEFAULT_ADVICE_BY_STEP[step]);
      return toFailedVerdict(
        `The host refused the login of ${username} with the server's key.`,
        `Check the user name; then add this line to ~${username}/.ssh/authorized_keys on the host, where file and folder belong to ${username} and only they may write: ${publicKey}`,
      );
    case 'protected_host':
      return toFailedVerdict(
        error.message,
        'Runward sent nothing to it. Use the server of that environment, or register another host.',
      );
    case 'address_refused':
    case 'address_not_allowed':
      return toFailedVerdict(error.message, 'Change the address of the server.');
    default:
      return toFailedVerdict(error.message, DEFAULT_ADVICE_BY_STEP[step]);
  }
}

export function toHostKeyVerdict(finding: ContactFinding): DiagnosisVerdict {
  const { seen, state, message } = finding;
  if (state === 'protected_host')
    return toFailedVerdict(message, 'Run it in its own environment, or register another host.');
  return toFailedVerdict(
    `No host key is pinned for this server yet. The host shows ${seen?.type ?? ''} ${seen?.fingerprint ?? ''}.`,
    'Compare it with the key on the host (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and accept it. Runward does not sign in before that.',
  );
}
