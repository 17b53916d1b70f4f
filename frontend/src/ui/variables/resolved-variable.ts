import type { ResolvedVariable } from '../../api/types';

/** A resolved value as text; empty when there is none or it is secret. */
export function formatValue({ value }: Pick<ResolvedVariable, 'value'>): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const SOURCES = { plan: 'the plan’s default', environment: 'the environment', server: 'the server' };

const NAMED = 3;

/** Which servers have values of their own, as a sentence; null: none. */
export function describeServers({ serverCount, servers }: ResolvedVariable, given: boolean): string | null {
  if (serverCount === 0) return null;
  const shown = servers
    .slice(0, NAMED)
    .map((server) => `${server.serverName} ${server.secret ? '(secret)' : `= ${formatValue(server).slice(0, 40)}`}`);
  const more = serverCount > shown.length ? ` and ${serverCount - shown.length} more` : '';
  const whose = `${shown.join(', ')}${more}`;
  return given ? `Given here, also instead of the servers’ own: ${whose}` : `On their own servers: ${whose}`;
}

/** Why a start would be refused for a server's own value; null: it would not. */
export function serverProblem({ servers }: ResolvedVariable): string | null {
  const server = servers.find(({ problem }) => problem !== null);
  return server ? `${server.serverName}: ${server.problem}` : null;
}

/** Where a variable's value comes from, as a sentence. @param given whether the start sets a value */
export function describeSource({ source, required }: ResolvedVariable, given: boolean): string {
  if (given) return source ? `Given here, instead of that of ${SOURCES[source]}` : 'Given here';
  if (source) return `From ${SOURCES[source]} unless given`;
  return required ? 'Nothing gives a value yet' : 'Empty unless given';
}
