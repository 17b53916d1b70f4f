import { matchesSelector, parseSelector, type SelectableServer } from '../../inventory/selectors/selector.js';

export function listTargetIds(
  selector: string,
  hosts: readonly { server_id: string; name: string; tags: Record<string, string> }[],
): string[] {
  const parsed = parseSelector(selector);
  return hosts.filter((host) => matchesSelector(parsed, host)).map((host) => host.server_id);
}

/** Returns a function that returns the keys of the steps for a host; null = all steps. */
export function createStepMatcher(
  steps: readonly { key: string; targets: string }[],
): (host: SelectableServer) => string[] | null {
  const parsed = steps.map(({ key, targets }) => ({ key, selector: parseSelector(targets) }));
  if (parsed.every(({ selector }) => selector.requirements.length === 0)) return () => null;
  return (host) => {
    const hostSelectors = parsed.filter(({ selector }) => matchesSelector(selector, host));
    return hostSelectors.length === parsed.length ? null : hostSelectors.map(({ key }) => key);
  };
}

export function createLaterTargetMatcher(
  steps: readonly { targets: string }[],
  index: number,
): (host: SelectableServer) => boolean {
  const selectors = steps.slice(index + 1).map(({ targets }) => parseSelector(targets));
  return (host) => selectors.some((selector) => matchesSelector(selector, host));
}
