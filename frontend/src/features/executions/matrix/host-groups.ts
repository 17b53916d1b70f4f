import type { ExecutionHost, ResultGrid } from '../../../api/types';
import { countRows, type Row } from './matrix-rows';

/** Hosts with the same value of a tag. */
export interface HostGroup {
  /** Selector of the group: `role=web`, or `!role` for hosts without the tag. */
  selector: string;
  /** Null: hosts without the tag. */
  value: string | null;
  hosts: number;
  failed: number;
}

/** A tag with more values, or with another one on each host, does not make groups. */
const MAX_GROUPS = 50;
const byName = new Intl.Collator('en', { numeric: true });

/** Adds the facts of the grid to the tags of hosts, as `facts.os`. Tags of the same name take precedence. */
export function withFacts(
  hosts: readonly ExecutionHost[],
  { serverIds, hostFacts, facts }: Pick<ResultGrid, 'serverIds' | 'hostFacts' | 'facts'>,
): readonly ExecutionHost[] {
  const labels = facts.map((each) =>
    Object.fromEntries(Object.entries(each).map(([name, value]) => [`facts.${name}`, value])),
  );
  const labelsOf = new Map(serverIds.map((id, index) => [id, labels[hostFacts[index] ?? 0]]));
  return hosts.map((host) => ({ ...host, tags: { ...labelsOf.get(host.serverId), ...host.tags } }));
}

/** Returns the tags that divide the hosts into groups, by name. */
export function groupingTags(hosts: readonly ExecutionHost[]): string[] {
  const values = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { tags } of hosts) {
    for (const [key, value] of Object.entries(tags)) {
      const known = values.get(key) ?? new Set();
      if (known.size <= MAX_GROUPS) known.add(value);
      values.set(key, known);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...values]
    .filter(([, { size }]) => size <= MAX_GROUPS && size < hosts.length)
    .filter(([key, { size }]) => size > 1 || counts.get(key) !== hosts.length)
    .map(([key]) => key)
    .sort(byName.compare);
}

/** Returns the groups of a tag: those with most failed hosts first, then by value. */
export function groupRows(rows: readonly Row[], tag: string): HostGroup[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const selector = selectorOf(row.tags, tag);
    const members = groups.get(selector) ?? [];
    members.push(row);
    groups.set(selector, members);
  }
  return [...groups]
    .map(([selector, members]) => ({
      selector,
      value: members[0]?.tags[tag] ?? null,
      hosts: members.length,
      failed: countRows(members, 'failed'),
    }))
    .sort((a, b) => b.failed - a.failed || byName.compare(a.value ?? '￿', b.value ?? '￿'));
}

/** @param selector `selector` of a group; undefined: all */
export const inGroup = ({ tags }: Row, tag: string | undefined, selector: string | undefined): boolean =>
  tag === undefined || selector === undefined || selectorOf(tags, tag) === selector;

const selectorOf = (tags: Readonly<Record<string, string>>, tag: string): string => {
  const value = tags[tag];
  return value === undefined ? `!${tag}` : `${tag}=${value}`;
};
