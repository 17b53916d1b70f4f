import type { ResolvedVariable } from '../../api/types';

/** Returns a resolved value as text; empty = no value, or a secret one. */
export function formatValue({ value }: Pick<ResolvedVariable, 'value'>): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const SOURCES = { plan: 'the plan’s default', environment: 'the environment', server: 'the server' };

const NAMED = 3;

/** Returns a sentence about servers with their own values; null = none. */
export function describeServers({ serverCount, servers }: ResolvedVariable, given: boolean): string | null {
  if (serverCount === 0) return null;
  const listed = servers
    .slice(0, NAMED)
    .map((server) => `${server.serverName} ${server.secret ? '(secret)' : `= ${formatValue(server).slice(0, 40)}`}`);
  const more = serverCount > listed.length ? ` and ${serverCount - listed.length} more` : '';
  const whose = `${listed.join(', ')}${more}`;
  return given ? `Set here; replaces the values of servers: ${whose}` : `Values of servers: ${whose}`;
}

/** Returns why a server's own value would make the start fail; null = it would not. */
export function serverProblem({ servers }: ResolvedVariable): string | null {
  const server = servers.find(({ reason }) => reason !== null);
  return server?.reason ? `${server.serverName}: ${server.reason.text}` : null;
}

/**
 * Returns a sentence about the source of a variable's value.
 * @param given whether the start sets a value
 */
export function describeSource({ source, required }: ResolvedVariable, given: boolean): string {
  if (given) return source ? `Set here; replaces the value from ${SOURCES[source]}` : 'Set here';
  if (source) return `From ${SOURCES[source]} unless set here`;
  return required ? 'No value yet' : 'Empty by default';
}
