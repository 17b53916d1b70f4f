import type {
  Execution,
  Plan,
  PlanRevisionDiff,
  ResolvedVariable,
  TargetsPreview,
  VariableValue,
} from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { changeLines } from '../../../ui/revisions/revision-changes';
import { enteredValues, type TypedValue } from '../../../ui/variables/typed-value';

interface NextStart {
  plan: Pick<Plan, 'revision' | 'variables'>;
  /** Values of the form. */
  entered: Record<string, TypedValue>;
  resolved: readonly ResolvedVariable[];
  preview: Pick<TargetsPreview, 'count' | 'servers'> | undefined;
  /** Differences of the plan's revisions; undefined = not loaded, or none. */
  diff: PlanRevisionDiff | undefined;
}

type Success = Pick<Execution, 'planRevision' | 'variables' | 'hosts' | 'hostsNextCursor' | 'hostCount'>;

const MAX_LINES = 6;
const MAX_NAMES = 3;
const MAX_VALUE = 40;

/** Returns the differences of a start from an earlier run, one a line: content of the plan, variables, hosts. */
export function startChanges(success: Success, next: NextStart): string[] {
  const lines = [...planChanges(success, next), ...variableChanges(success, next), ...hostChanges(success, next)];
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), plural(lines.length - MAX_LINES + 1, 'more change')];
}

function planChanges({ planRevision }: Success, { plan, diff }: NextStart): string[] {
  if (planRevision === plan.revision) return [];
  const lines = diff ? changeLines(diff) : [];
  return [`Revision ${planRevision} → ${plan.revision}`, ...lines];
}

function variableChanges({ variables }: Success, { plan, entered, resolved }: NextStart): string[] {
  const values = enteredValues(entered);
  return plan.variables.flatMap(({ name, type }) => {
    if (type === 'secret') return [];
    const before = textOf(variables[name]);
    const after = textOf(values[name] ?? resolved.find((each) => each.name === name)?.value);
    return before === after ? [] : [`${name}: ${before} → ${after}`];
  });
}

function textOf(value: VariableValue | null | undefined): string {
  if (value === null || value === undefined) return 'no value';
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function hostChanges({ hosts, hostsNextCursor, hostCount }: Success, { preview }: NextStart): string[] {
  if (!preview) return [];
  // Both lists contain only the first hosts of a large fleet.
  if (hostsNextCursor !== null || preview.count > preview.servers.length)
    return hostCount === preview.count ? [] : [`Hosts: ${hostCount} → ${preview.count}`];
  const before = new Set(hosts.map(({ serverId }) => serverId));
  const after = new Set(preview.servers.map(({ id }) => id));
  return [
    ...named(
      preview.servers.filter(({ id }) => !before.has(id)),
      'added',
    ),
    ...named(
      hosts.filter(({ serverId }) => !after.has(serverId)),
      'removed',
    ),
  ];
}

const named = (hosts: readonly { name: string }[], change: string): string[] =>
  hosts.length === 0
    ? []
    : [
        hosts.length > MAX_NAMES
          ? `${plural(hosts.length, 'host')} ${change}`
          : `${hosts.map(({ name }) => name).join(', ')} ${change}`,
      ];
