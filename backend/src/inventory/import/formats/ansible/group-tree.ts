import { type Findings, toPrintableName } from '../texts/findings.ts';
import { MAX_GROUPS, MAX_GROUPS_OF_HOST } from '../texts/limits.ts';
import type { AnsibleSettings } from './variable-settings.ts';

export const ALL_GROUP = 'all';
export const UNGROUPED_GROUP = 'ungrouped';

export interface AnsibleGroup {
  readonly name: string;
  readonly line: number | null;
  readonly settings: AnsibleSettings;
  readonly parents: Set<AnsibleGroup>;
  readonly children: Set<AnsibleGroup>;
  /** Among groups of the same depth, variables of the group with the highest priority win. */
  priority: number;
  depth: number;
}

export class GroupTree {
  readonly #groups = new Map<string, AnsibleGroup>();
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.add(ALL_GROUP, null);
    this.add(UNGROUPED_GROUP, null);
  }

  get groups(): IterableIterator<AnsibleGroup> {
    return this.#groups.values();
  }

  get(name: string): AnsibleGroup | undefined {
    return this.#groups.get(name);
  }

  add(name: string, line: number | null): AnsibleGroup {
    const known = this.#groups.get(name);
    if (known) return known;
    if (this.#groups.size >= MAX_GROUPS + 2) {
      this.#findings.refuse(
        line,
        name,
        'too_many_groups',
        `A text can contain at most ${MAX_GROUPS} groups. Import it in several parts.`,
      );
    }
    const group: AnsibleGroup = {
      name,
      line,
      settings: new Map(),
      parents: new Set(),
      children: new Set(),
      priority: 1,
      depth: name === ALL_GROUP ? 0 : 1,
    };
    this.#groups.set(name, group);
    return group;
  }

  addChild(parent: AnsibleGroup, child: AnsibleGroup, line: number | null): void {
    if (child.name === ALL_GROUP) {
      const message = `The group "${ALL_GROUP}" contains every group and can't be a child of "${toPrintableName(parent.name)}".`;
      this.#findings.refuse(line, parent.name, 'group_circle', message);
    }
    if (parent.name === ALL_GROUP) return;
    child.parents.add(parent);
    parent.children.add(child);
  }

  /** Calculates the depth of each group, and rejects cycles. Call it after all groups are known. */
  sortByDepth(): void {
    const waiting = new Map([...this.#groups.values()].map((group) => [group, group.parents.size]));
    const ready = [...waiting].filter(([, parents]) => parents === 0).map(([group]) => group);
    for (let group = ready.pop(); group; group = ready.pop()) {
      waiting.delete(group);
      for (const child of group.children) {
        child.depth = Math.max(child.depth, group.depth + 1);
        const parents = (waiting.get(child) ?? 0) - 1;
        waiting.set(child, parents);
        if (parents === 0) ready.push(child);
      }
    }
    const [cyclicGroup] = waiting.keys();
    if (cyclicGroup) this.#refuseCircle(cyclicGroup, waiting);
  }

  /**
   * Returns the groups and their ancestors except `all`, in the order in which their variables apply: the last group
   * wins.
   */
  listGroupsAround(directGroups: Iterable<AnsibleGroup>, host: string, line: number | null): AnsibleGroup[] {
    const found = new Set(directGroups);
    for (const group of found) {
      for (const parent of group.parents) found.add(parent);
      if (found.size <= MAX_GROUPS_OF_HOST) continue;
      const message = `The host is in more than ${MAX_GROUPS_OF_HOST} groups, including their parent groups.`;
      this.#findings.refuse(line, host, 'too_many_groups', message);
    }
    this.#findings.countSteps(found.size);
    return [...found].sort(
      (one, other) => one.depth - other.depth || one.priority - other.priority || (one.name < other.name ? -1 : 1),
    );
  }

  /**
   * Reports a cycle. Every group without a depth has a parent without a depth, so following parents leads to a cycle.
   */
  #refuseCircle(start: AnsibleGroup, cyclicGroup: ReadonlyMap<AnsibleGroup, number>): never {
    const path: AnsibleGroup[] = [];
    const seen = new Set<AnsibleGroup>();
    let group: AnsibleGroup | undefined = start;
    while (group && !seen.has(group)) {
      seen.add(group);
      path.push(group);
      group = [...group.parents].find((parent) => cyclicGroup.has(parent));
    }
    const cyclePath = path.slice(group ? path.indexOf(group) : 0).reverse();
    const printedNames = [...cyclePath, cyclePath[0]].map((member) => toPrintableName(member?.name ?? ''));
    const shortened =
      printedNames.length > 12 ? [...printedNames.slice(0, 10), '…', ...printedNames.slice(-1)] : printedNames;
    const message = `Groups contain one another in a cycle: ${shortened.join(' → ')}. Remove one of them from the other.`;
    return this.#findings.refuse(cyclePath[0]?.line ?? null, cyclePath[0]?.name ?? null, 'group_circle', message);
  }
}
