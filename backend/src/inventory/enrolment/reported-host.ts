import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toCanonicalAddress, findHostAddressFault } from '../../common/network/host-address.js';
import type { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { type HostKey, InvalidHostKeyError, parseHostKey } from '../../transport/keys/host-key.js';
import { MAX_PINS } from '../fields/requested-pins.js';

const MIN_RSA_BITS = 2048;

export interface ReportedHost {
  hostName: string;
  addresses: readonly string[];
  address?: string;
  hostKeys: readonly string[];
}

/** Returns the keys that can be pinned, one per type, and a message for each other key. */
export function selectPinnableKeys(lines: readonly string[]): { keys: HostKey[]; leftOut: string[] } {
  const keys: HostKey[] = [];
  const leftOut: string[] = [];
  for (const line of lines) {
    const type = line.split(' ')[0] ?? '';
    try {
      const key = parseHostKey(line);
      if (key.type === 'ssh-rsa' && countRsaBits(key) < MIN_RSA_BITS)
        leftOut.push(`The RSA key is left out: it has fewer than ${MIN_RSA_BITS} bits.`);
      else if (keys.length >= MAX_PINS || keys.some((other) => other.type === key.type))
        leftOut.push(`A second ${key.type} key is left out.`);
      else keys.push(key);
    } catch (error) {
      if (!(error instanceof InvalidHostKeyError)) throw error;
      leftOut.push(`The key of type ${type} is left out: ${error.message}`);
    }
  }
  return { keys, leftOut };
}

/** The last string of the wire format is the modulus, as a positive integer (RFC 4253, section 6.6). */
function countRsaBits({ publicKey }: HostKey): number {
  const blob = Buffer.from(publicKey, 'base64');
  let at = 0;
  for (let skipped = 0; skipped < 2; skipped += 1) at += 4 + blob.readUInt32BE(at);
  const modulus = blob.subarray(at + 4);
  const first = modulus.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (modulus.length - first) * 8 - Math.clz32(modulus[first] ?? 0) + 24;
}

/** Source of a registration request, and whether a jump server leads to the host. */
export interface RequestSource {
  source: string;
  /** Whether Runward reaches the host through a jump server. The request can then come from another network. */
  viaJumpServer: boolean;
  refused: RefusedAddresses;
}

/**
 * Selects the address to register: the address from the command; else the source address, if the host has it or is
 * reached directly; else the first usable address of the host.
 * @returns `fault` with a message if no address is usable
 */
export function chooseAddress(
  { address, addresses }: Pick<ReportedHost, 'address' | 'addresses'>,
  { source, viaJumpServer, refused }: RequestSource,
): { hostname: string } | { fault: string } {
  if (address !== undefined) {
    if (findHostAddressFault(address) !== null) return { fault: `RUNWARD_ADDRESS is not a host name or address.` };
    if (refused.includes(address))
      return { fault: `Runward does not connect to ${address}: the installation does not allow it.` };
    return { hostname: address };
  }
  const isUsableAddress = (text: string) => isMachineAddress(text) && !refused.includes(text);
  const own = addresses.map(toCanonicalAddress).filter(isUsableAddress);
  const from = toCanonicalAddress(source);
  if (own.includes(from) || (!viaJumpServer && isUsableAddress(from))) return { hostname: from };
  const [first] = own;
  if (first !== undefined) return { hostname: first };
  return {
    fault:
      'Runward knows no usable address of this host. Set the address at which Runward reaches it, such as RUNWARD_ADDRESS=10.0.0.5',
  };
}

/** Whether other machines can use the address: not a loopback and not a link-local address. */
function isMachineAddress(text: string): boolean {
  if (isIP(text) === 0 || findHostAddressFault(text) !== null) return false;
  const range = ipaddr.parse(text).range();
  return range !== 'loopback' && range !== 'linkLocal';
}

const HOST_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Selects the name to register.
 *
 * @param requestedName name from the enrolment; null = use the host name
 * @returns null if the host name is generic (`localhost`) or not valid for a server
 */
export function chooseServerName(requestedName: string | null, hostName: string): string | null {
  if (requestedName !== null) return requestedName;
  if (!HOST_NAME_PATTERN.test(hostName) || /^localhost(\.|$)/i.test(hostName)) return null;
  return hostName.slice(0, 100);
}
