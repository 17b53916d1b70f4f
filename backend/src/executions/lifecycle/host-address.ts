const LAST_LABEL_IS_NUMBER = /(?:^|\.)(?:0x[0-9a-f]*|[0-9]+)$/;

/**
 * One text for all spellings of a host's address: a name in lower case and without the dot at its end, an IPv4 address
 * as four numbers, an IPv6 address as short as it can be and without brackets. An IPv4 address within IPv6
 * (`::ffff:10.0.0.1`) is the IPv4 address that is reached by it; a zone stays. Two names of one address stay two texts.
 */
export function canonicalAddress(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  if (!name.includes(':')) return LAST_LABEL_IS_NUMBER.test(name) ? (hostOf(name) ?? name) : name;
  const [, inner = name] = /^\[(.*)\]$/.exec(name) ?? [];
  const [address = '', ...zone] = inner.split('%');
  const short = hostOf(`[${address}]`)?.slice(1, -1);
  if (short === undefined) return name;
  return [embeddedIpv4(short) ?? short, ...zone].join('%');
}

/** As the addresses of the web write it; null: it is none. */
function hostOf(address: string): string | null {
  try {
    return new URL(`http://${address}`).hostname;
  } catch {
    return null;
  }
}

/** @param address short IPv6 */
function embeddedIpv4(address: string): string | null {
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return null;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
