export interface DatabaseHost {
  host: string;
  port: number;
}

const DATABASE_URL_PATTERN = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;
const HOSTS_PARAMETER = 'hosts';
const DEFAULT_PORT = 5432;

/**
 * Converts an address with several hosts to one that the drivers can parse: the first host, and all hosts in a
 * parameter. Accepts the forms of libpq, `postgres://h1:5432,h2/db` and `?host=h1,h2&port=5432,5433`. Returns an
 * address with one host unchanged.
 */
export function toParsableUrl(url: string): string {
  const parts = DATABASE_URL_PATTERN.exec(url);
  if (!parts) return url;
  const [, scheme = '', login = '', authority = '', rest = ''] = parts;
  const [path = '', queryText = ''] = splitOnce(rest, '?');
  const query = new URLSearchParams(queryText);
  const named = query.get('host');
  if (!(named ?? authority).includes(',')) return url;
  const ports = (query.get('port') ?? '').split(',');
  const hosts = named
    ? named.split(',').map((host, at) => `${addIpv6Brackets(host)}:${ports[at] || ports[0] || DEFAULT_PORT}`)
    : authority.split(',');
  for (const name of ['host', 'port']) query.delete(name);
  query.set(HOSTS_PARAMETER, hosts.join(','));
  return `${scheme}${login}${hosts[0]}${path}?${query.toString()}`;
}

/**
 * Returns the hosts of an address in the order of connection attempts; empty = the driver reads the single host itself.
 */
export function parseDatabaseHosts(url: string | undefined): DatabaseHost[] {
  const named = new URLSearchParams(splitOnce(url ?? '', '?')[1]).get(HOSTS_PARAMETER);
  return named ? named.split(',').map(parseDatabaseHost) : [];
}

export function replaceHosts(url: string, { host, port }: DatabaseHost): string {
  const parts = DATABASE_URL_PATTERN.exec(url);
  if (!parts) return url;
  const [, scheme = '', login = '', , rest = ''] = parts;
  return `${scheme}${login}${addIpv6Brackets(host)}:${port}${rest}`;
}

function parseDatabaseHost(text: string): DatabaseHost {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [undefined, text];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port ?? DEFAULT_PORT) };
}

const addIpv6Brackets = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
