import { matchesSelector, parseSelector } from '../../inventory/selector.js';

/** Ids of the run's hosts that a step's selector matches, by the names and tags frozen at the start. */
export function targetsOf(
  selector: string,
  hosts: readonly { server_id: string; name: string; tags: Record<string, string> }[],
): string[] {
  const parsed = parseSelector(selector);
  return hosts.filter((host) => matchesSelector(parsed, host)).map((host) => host.server_id);
}
