import { listFrozenSources, type RunContent, type RunStep } from '../record/run-content.js';
import { createHash } from 'node:crypto';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Difference } from '../../common/errors/problem.js';
import { type VariableValue, toValueText } from '../../variables/variable-value.js';
import type { Snapshot } from '../record/execution-row.js';
import { collectJumpPath, toServerConnection } from '../../inventory/fields/server-connection.js';
import { getPinnedKeys, formatPinFingerprints } from '../../transport/keys/pinned-key.js';
import { getSharedValues } from '../record/host-values.js';
import { type FrozenHost, thawConnection } from '../record/snapshot.js';
import { describeSettingChanges } from '../../inventory/fields/server-settings.js';
import { getRunStepType } from '../steps/types/run-step-types.js';

export interface ComparedRun {
  planRevision: number;
  environmentName: string;
  snapshot: Snapshot;
  hosts: readonly FrozenHost[];
  /** Keyed hash of each secret value, by name of the secret. */
  secrets: Readonly<Record<string, string>>;
}

const MAX_VALUE_CHARACTERS = 200;
const MAX_DIFFERENCES = 200;
/** Number of hosts to describe before other requests have their turn: a few ms. */
const HOSTS_AT_ONCE = 100;

export const limitDifferences = (all: readonly Difference[]) => ({
  differences: all.slice(0, MAX_DIFFERENCES),
  moreDifferences: Math.max(0, all.length - MAX_DIFFERENCES),
});

export async function compareRuns(before: ComparedRun, after: ComparedRun): Promise<Difference[]> {
  return [
    ...compareSetting('environment', before.environmentName, after.environmentName),
    ...compareSettings(before.snapshot.plan, after.snapshot.plan),
    ...compareSetting('targets of the start', before.snapshot.targets, after.snapshot.targets),
    ...compareSetting('first step', before.snapshot.fromStepKey ?? '', after.snapshot.fromStepKey ?? ''),
    ...compareSetting('results taken over', describeInherited(before), describeInherited(after)),
    ...compareMaps('step', mapStepTexts(before.snapshot.plan.steps), mapStepTexts(after.snapshot.plan.steps)),
    ...compareSetting('order of the steps', describeStepOrder(before, after), describeStepOrder(after, before)),
    ...compareMaps('setting', mapDefinitionTexts(before.snapshot.plan), mapDefinitionTexts(after.snapshot.plan)),
    ...compareMaps('variable', mapValueTexts(before.snapshot.variables), mapValueTexts(after.snapshot.variables)),
    ...compareMaps('setting', mapCalledPlanTexts(before), mapCalledPlanTexts(after)),
    ...compareMaps('script', mapScriptTexts(before), mapScriptTexts(after)),
    ...compareMaps('template', mapTemplateTexts(before), mapTemplateTexts(after)),
    ...compareMaps('setting', mapSourceCommits(before), mapSourceCommits(after)),
    ...compareSecrets(before, after),
    ...compareMaps('host', await mapHostTexts(before), await mapHostTexts(after)),
  ];
}

function describeInherited({ snapshot: { inherited } }: ComparedRun): string {
  if (!inherited) return '';
  const done = inherited.done.length > 0 ? `; completed steps: ${inherited.done.join(', ')}` : '';
  return `${inherited.results} (${inherited.sha256.slice(0, 12)})${done}`;
}

const COMPARED_SETTINGS = [
  'targets',
  'timeoutSeconds',
  'maxFailPercent',
  'onFailure',
  'strategy',
  'parallelSafe',
  'locks',
  'allowedModes',
] as const;

const compareSettings = (before: RunContent, after: RunContent): Difference[] =>
  COMPARED_SETTINGS.flatMap((name) => compareSetting(name, formatValue(before[name]), formatValue(after[name])));

const compareSetting = (name: string, before: string, after: string): Difference[] =>
  before === after ? [] : [{ kind: 'setting', name, change: 'changed', before, after }];

/** Returns the keys of steps that both runs have, in the order of `run`. */
const describeStepOrder = (run: ComparedRun, other: ComparedRun): string => {
  const known = new Set(other.snapshot.plan.steps.map(({ key }) => key));
  return run.snapshot.plan.steps.flatMap(({ key }) => (known.has(key) ? [key] : [])).join(', ');
};

function compareMaps(
  kind: Difference['kind'],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Difference[] => {
    const [was, is] = [before.get(name) ?? null, after.get(name) ?? null];
    if (was === is) return [];
    return [
      { kind, name, change: was === null ? 'added' : is === null ? 'removed' : 'changed', before: was, after: is },
    ];
  });
}

function compareSecrets(before: ComparedRun, after: ComparedRun): Difference[] {
  const versions = (run: ComparedRun) =>
    new Map([
      ...Object.entries(getSharedValues(run.secrets)).map(([name, hash]): [string, string] => [
        name,
        `${hash} ${run.snapshot.secretVersions?.[name] ?? ''}`,
      ]),
      ...run.hosts.flatMap(({ name: host, secrets }) =>
        Object.entries(secrets ?? {}).map(([name, { version, at }]): [string, string] => [
          `${name} of ${host}`,
          `${at === null ? '' : run.secrets[at]} ${version}`,
        ]),
      ),
    ]);
  // The hashes only detect a change. They are not returned.
  return compareMaps('secret', versions(before), versions(after)).map((each) => ({
    ...each,
    before: null,
    after: null,
  }));
}

const mapScriptTexts = ({ snapshot }: ComparedRun): Map<string, string> =>
  new Map(
    Object.values(snapshot.library?.scripts ?? {}).map(({ name, interpreter, interpreterArguments = [], content }) => [
      name,
      `${[interpreter, ...interpreterArguments].join(' ')}\n${content}`,
    ]),
  );

const mapSourceCommits = ({ snapshot }: ComparedRun): Map<string, string> =>
  new Map(
    listFrozenSources(snapshot.library).map(({ sourceName, path, ref, commit, sha256 }) => [
      `${sourceName}: ${path}${ref === null ? '' : ` (${ref})`}`,
      `commit ${commit}, SHA-256 ${sha256}`,
    ]),
  );

const mapTemplateTexts = ({ snapshot }: ComparedRun): Map<string, string> =>
  new Map(Object.values(snapshot.library?.templates ?? {}).map(({ name, content }) => [name, content]));

/** Returns the text of each step: the unrendered command, then a line per setting. */
function mapStepTexts(steps: readonly RunStep[]): Map<string, string> {
  return new Map(
    steps.map((step) => {
      const { key, scope, ...rest } = step;
      const type = getRunStepType(step);
      const own = type.getSubject(step);
      const details = Object.entries(rest)
        .filter(([name]) => !(type.subjectFields as readonly string[]).includes(name))
        .map(([name, value]) => [name, formatValue(value)] as const)
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${name}: ${text}`);
      const outer = (scope?.outer ?? []).map(({ when }) => `when (of the call): ${when}`);
      return [key, [own, ...details, ...outer].join('\n')];
    }),
  );
}

function mapCalledPlanTexts({ snapshot: { calledPlans = [], scopes = [] } }: ComparedRun): Map<string, string> {
  const plans = calledPlans.map(({ name, revision }): [string, string] => [
    `called plan "${name}"`,
    `revision ${revision}`,
  ]);
  const values = scopes.flatMap(({ call }, index): [string, string][] =>
    call
      ? [
          [
            `values of call ${index + 1}`,
            formatValue({ variables: call.variables, from: call.from, secrets: Object.keys(call.secrets) }),
          ],
        ]
      : [],
  );
  return new Map([...plans, ...values]);
}

const mapDefinitionTexts = ({ variables }: RunContent): Map<string, string> =>
  new Map(
    variables.map(({ name, default: _, ...rest }) => [
      `definition of ${name}`,
      Object.entries(rest)
        .map(([field, value]) => `${field}: ${formatValue(value)}`)
        .join('\n'),
    ]),
  );

const mapValueTexts = (values: Readonly<Record<string, VariableValue>>): Map<string, string> =>
  new Map(Object.entries(values).map(([name, value]) => [name, toValueText(value)]));

async function mapHostTexts({ hosts, snapshot }: ComparedRun): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [index, host] of hosts.entries()) {
    if (index % HOSTS_AT_ONCE === HOSTS_AT_ONCE - 1) await turnOfOthers();
    texts.set(host.name, toHostText(host, snapshot));
  }
  return texts;
}

function toHostText(host: FrozenHost, snapshot: Snapshot): string {
  const tags = Object.entries(host.tags).map(([name, value]) => `${name}=${value}`);
  const connection = thawConnection(host);
  const key = snapshot.sshKeys?.[host.ssh_key_id] ?? host.ssh_key_id;
  const lines = [
    `${host.username}@${host.hostname}:${host.port}`,
    `host key ${formatPinFingerprints(getPinnedKeys(connection))}`,
    ...describeSettingChanges(null, connection),
    ...listJumpTexts(host, snapshot),
    `SSH key ${key}`,
    `tags ${tags.sort().join(', ') || 'none'}`,
    ...Object.entries(host.variables ?? {})
      .map(([name, value]) => `variable ${name}: ${shortenText(toValueText(value))}`)
      .sort(),
  ];
  return lines.join('\n');
}

function listJumpTexts(
  { jump_server_id }: FrozenHost,
  { jumpServers = {}, sshKeys }: ComparedRun['snapshot'],
): string[] {
  if (!jump_server_id) return [];
  const path = collectJumpPath(jump_server_id, new Map(Object.entries(jumpServers))).reverse();
  return path.map((jump) => {
    const address = `${jump.username}@${jump.hostname}:${jump.port}`;
    // A jump server without a name is in another environment, which the caller may not be allowed to see. The SHA-256
    // still reveals a changed address.
    const where =
      jump.name === null
        ? `a jump server in another environment (address SHA-256 ${createHash('sha256').update(address).digest('hex').slice(0, 12)})`
        : address;
    return `through ${where}, host key ${formatPinFingerprints(getPinnedKeys(jump))}, SSH key ${sshKeys?.[jump.sshKeyId] ?? jump.sshKeyId}${describeSettingChanges(
      null,
      toServerConnection(jump),
    )
      .map((text) => `, ${text}`)
      .join('')}`;
  });
}
/** Shortens a long text. The SHA-256 still reveals a change in the omitted part. */
const shortenText = (text: string): string =>
  text.length <= MAX_VALUE_CHARACTERS
    ? text
    : `${text.slice(0, MAX_VALUE_CHARACTERS)}… (SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 12)})`;

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, each]) => `${name}=${String(each)}`)
      .join(', ');
  }
  const plain = value as string | number | boolean;
  return String(plain);
}
