import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalAddress, hostAddressFault } from '../../common/network/host-address.js';
import type { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { type HostKey, InvalidHostKeyError, parseHostKey } from '../../transport/keys/host-key.js';
import { MOST_PINS } from '../fields/requested-pins.js';

/** Shortest RSA modulus of a host key that is pinned, in bits. */
const LEAST_RSA_BITS = 2048;

/** What a host told of itself. Pure; nothing of it is believed before a login has shown it. */
export interface ReportedHost {
  hostName: string;
  /** Its own, the preferred one first. */
  addresses: readonly string[];
  /** What whoever started it said to register; undefined: nothing. */
  address?: string;
  /** Lines such as `ssh-ed25519 AAAA…`. */
  hostKeys: readonly string[];
}

/** The keys that can be pinned, one of each type, and a sentence on each that can not. */
export function pinnableKeys(lines: readonly string[]): { keys: HostKey[]; leftOut: string[] } {
  const keys: HostKey[] = [];
  const leftOut: string[] = [];
  for (const line of lines) {
    const type = line.split(' ')[0] ?? '';
    try {
      const key = parseHostKey(line);
      if (key.type === 'ssh-rsa' && rsaBits(key) < LEAST_RSA_BITS)
        leftOut.push(`The RSA key is left out: it has fewer than ${LEAST_RSA_BITS} bits.`);
      else if (keys.length >= MOST_PINS || keys.some((other) => other.type === key.type))
        leftOut.push(`A second ${key.type} key is left out.`);
      else keys.push(key);
    } catch (error) {
      if (!(error instanceof InvalidHostKeyError)) throw error;
      leftOut.push(`The key of type ${type} is left out: ${error.message}`);
    }
  }
  return { keys, leftOut };
}

/** The last string of the wire form is the modulus, as a positive integer (RFC 4253, 6.6). */
function rsaBits({ publicKey }: HostKey): number {
  const blob = Buffer.from(publicKey, 'base64');
  let at = 0;
  for (let skipped = 0; skipped < 2; skipped += 1) at += 4 + blob.readUInt32BE(at);
  const modulus = blob.subarray(at + 4);
  const first = modulus.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (modulus.length - first) * 8 - Math.clz32(modulus[first] ?? 0) + 24;
}

/** From where a host called, and how it is going to be reached. */
export interface Arrival {
  /** Address that the request came from. */
  source: string;
  /** Whether it is reached through a jump server, whose side of the network the request need not have come from. */
  jumped: boolean;
  refused: RefusedAddresses;
}

/**
 * What to register the host under: what its command says; else where the request came from, if the host has that address
 * or is reached directly; else its first own address.
 * @returns a sentence in `fault` where there is none
 */
export function addressOf(
  { address, addresses }: Pick<ReportedHost, 'address' | 'addresses'>,
  { source, jumped, refused }: Arrival,
): { hostname: string } | { fault: string } {
  if (address !== undefined) {
    if (hostAddressFault(address) !== null) return { fault: `RUNWARD_ADDRESS is no host name or address.` };
    if (refused.includes(address))
      return { fault: `Runward makes no connection to ${address}: the installation does not allow it.` };
    return { hostname: address };
  }
  const usable = (text: string) => isMachine(text) && !refused.includes(text);
  const own = addresses.map(canonicalAddress).filter(usable);
  const from = canonicalAddress(source);
  if (own.includes(from) || (!jumped && usable(from))) return { hostname: from };
  const [first] = own;
  if (first !== undefined) return { hostname: first };
  return { fault: 'No address is known under which Runward can reach this host. Say it: RUNWARD_ADDRESS=10.0.0.5' };
}

/** Whether other machines can reach one by this address: not that of a loopback device, nor one of a single link. */
function isMachine(text: string): boolean {
  if (isIP(text) === 0 || hostAddressFault(text) !== null) return false;
  const range = ipaddr.parse(text).range();
  return range !== 'loopback' && range !== 'linkLocal';
}

const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * The name to register the host under.
 *
 * @param wanted the name that the enrolment asks for; null: it leaves the name to the host
 * @returns null where the host has no name of its own (`localhost`) or one that no server may have
 */
export function nameOf(wanted: string | null, hostName: string): string | null {
  if (wanted !== null) return wanted;
  if (!HOST_NAME.test(hostName) || /^localhost(\.|$)/i.test(hostName)) return null;
  return hostName.slice(0, 100);
}
