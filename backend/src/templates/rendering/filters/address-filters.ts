import ipaddr from 'ipaddr.js';
import { type FilterFunction, invalid, isMissing, toPlainText, readArguments } from './filter-value.ts';

type Version = 4 | 6;

interface Address {
  readonly version: Version;
  readonly address: bigint;
  readonly prefix: number;
  /** Whether the value had a prefix or mask. */
  readonly inNetwork: boolean;
}

const BITS = { 4: 32, 6: 128 } as const;
const maxAddress = (version: Version): bigint => (1n << BigInt(BITS[version])) - 1n;
const networkMask = ({ version, prefix }: Address): bigint =>
  maxAddress(version) ^ (maxAddress(version) >> BigInt(prefix));
const networkOf = (of: Address): bigint => of.address & networkMask(of);
const getLastAddress = (of: Address): bigint => networkOf(of) | (maxAddress(of.version) ^ networkMask(of));

function formatAddress(version: Version, address: bigint): string {
  const bytes = Array.from({ length: BITS[version] / 8 }, (_, index) =>
    Number((address >> BigInt(BITS[version] - 8 * (index + 1))) & 255n),
  );
  return ipaddr.fromByteArray(bytes).toString();
}

/**
 * Accepts dotted quads and IPv6 without a zone, followed by an optional prefix or, for IPv4, a mask. Null: not an
 * address.
 */
function parseAddress(value: unknown): Address | null {
  if (typeof value !== 'string') return null;
  const [, text = '', rest] = /^([0-9a-fA-F.:]{2,45})(?:\/([0-9.]{1,15}))?$/.exec(value.trim()) ?? [];
  const version: Version | null = ipaddr.IPv4.isValidFourPartDecimal(text) ? 4 : ipaddr.IPv6.isValid(text) ? 6 : null;
  if (version === null) return null;
  const address = ipaddr
    .parse(text)
    .toByteArray()
    .reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  if (rest === undefined) return { version, address, prefix: BITS[version], inNetwork: false };
  const prefix = prefixOf(version, rest);
  return prefix === null ? null : { version, address, prefix, inNetwork: true };
}

function prefixOf(version: Version, text: string): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= BITS[version] ? Number(text) : null;
  return version === 4 && ipaddr.IPv4.isValidFourPartDecimal(text)
    ? ipaddr.IPv4.parse(text).prefixLengthFromSubnetMask()
    : null;
}

const withPrefix = (of: Address, address: bigint): string => `${formatAddress(of.version, address)}/${of.prefix}`;

/** Properties of an address; null: the address does not have the property. */
const QUERIES: Readonly<Record<string, (of: Address) => string | number | null>> = {
  address: (of) => formatAddress(of.version, of.address),
  broadcast: (of) => (of.version === 4 && of.prefix < 31 ? formatAddress(4, getLastAddress(of)) : null),
  first_usable: (of) => (of.prefix < BITS[of.version] - 1 ? formatAddress(of.version, networkOf(of) + 1n) : null),
  host: (of) => withPrefix(of, of.address),
  hostmask: (of) => formatAddress(of.version, maxAddress(of.version) ^ networkMask(of)),
  last_usable: (of) =>
    of.prefix < BITS[of.version] - 1
      ? formatAddress(of.version, getLastAddress(of) - (of.version === 4 ? 1n : 0n))
      : null,
  netmask: (of) => formatAddress(of.version, networkMask(of)),
  network: (of) => formatAddress(of.version, networkOf(of)),
  prefix: (of) => of.prefix,
  private: (of) => (isPrivate(of) ? toInputForm(of) : null),
  public: (of) => (isPrivate(of) || getRangeName(of) !== 'unicast' ? null : toInputForm(of)),
  size: (of) => Number(getLastAddress(of) - networkOf(of) + 1n),
  subnet: (of) => withPrefix(of, networkOf(of)),
  version: (of) => of.version,
};

const getRangeName = (of: Address): string => ipaddr.parse(formatAddress(of.version, of.address)).range();
const isPrivate = (of: Address): boolean => ['private', 'uniqueLocal'].includes(getRangeName(of));
const toInputForm = (of: Address): string =>
  of.inNetwork ? withPrefix(of, of.address) : formatAddress(of.version, of.address);

function findNthAddress(of: Address, index: number): string | null {
  const address = index >= 0 ? networkOf(of) + BigInt(index) : getLastAddress(of) + 1n + BigInt(index);
  return address < networkOf(of) || address > getLastAddress(of) ? null : withPrefix(of, address);
}

/** Returns a filter that maps one address to one result, and a list to the non-null results. */
function addressFilter(filter: string, version: Version | null) {
  return (value: unknown, ...args: unknown[]): unknown => {
    const { query } = readArguments(filter, args, ['query']);
    const answer = (each: unknown): string | number | null => {
      const of = parseAddress(each);
      if (!of || (version !== null && of.version !== version)) return null;
      if (query === undefined) return toInputForm(of);
      if (typeof query === 'number' && Number.isInteger(query)) return findNthAddress(of, query);
      const known = typeof query === 'string' && Object.hasOwn(QUERIES, query) ? QUERIES[query] : undefined;
      if (!known)
        throw invalid(`The filter ${filter} can be asked for ${Object.keys(QUERIES).join(', ')}, or a number.`);
      return known(of);
    };
    return Array.isArray(value) ? value.map(answer).filter((each) => each !== null) : answer(value);
  };
}

const queryFilter = (query: string): FilterFunction => {
  const filter = addressFilter(query, null);
  return (value, ...args) => {
    readArguments(query, args, []);
    return filter(value, query);
  };
};

/** Filters for addresses and networks. They return null for other values, so that `default` can replace it. */
export const ADDRESS_FILTERS: Readonly<Record<string, FilterFunction>> = {
  broadcast: queryFilter('broadcast'),
  hostmask: queryFilter('hostmask'),
  ipaddr: addressFilter('ipaddr', null),
  ipv4: addressFilter('ipv4', 4),
  ipv6: addressFilter('ipv6', 6),
  ipwrap: (value) => {
    const of = isMissing(value) ? null : parseAddress(value);
    if (of?.version !== 6) return toPlainText(value);
    return of.inNetwork ? `[${formatAddress(6, of.address)}]/${of.prefix}` : `[${formatAddress(6, of.address)}]`;
  },
  netmask: queryFilter('netmask'),
  network: queryFilter('network'),
  prefix: queryFilter('prefix'),
};
