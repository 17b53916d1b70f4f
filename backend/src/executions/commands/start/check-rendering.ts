import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { invalidRequest, conflict } from '../../../common/errors/problem.js';
import { CommandTemplateError, type CommandValue } from '../../../plans/rendering/render-command.js';
import { type PlanStep, runsProgram } from '../../../plans/steps/types/step-types.js';
import type { RunContent, FrozenScope, RunStep, FrozenLibrary } from '../../record/run-content.js';
import { findStepFactNeeds, renderStepCommand, toStartingStep } from '../../steps/step-command.js';
import type { StepSources } from '../../steps/types/run-step-type.js';
import { getCommandStepType, type StartingStep } from '../../steps/types/run-step-types.js';
import type { StepRendering } from '../../../plans/rendering/step-renderer.js';
import { describeOwnValues, listSharedValues } from '../../record/host-values.js';
import { ValuesByScope } from '../../scopes/scope-values.js';
import type { FrozenHost } from '../../record/snapshot.js';
import { listTargetIds } from '../../steps/step-targets.js';
import type { FrozenValues } from './freezing/freeze-values.js';
import { ReadCommits, ContentsNotReadError, ReadContents } from './freezing/freeze-library.js';

/** Time limit for the rendering of all steps, in ms. One step usually takes a few milliseconds. */
const RENDERING_TIME_LIMIT_MS = 15_000;
const STEPS_PER_BATCH = 16;

interface StepRenderingWork {
  readonly step: StartingStep;
  readonly sources: StepSources;
}

/**
 * Renders everything that the steps will run, so that a faulty run is refused before it starts.
 * @param sourcesOf returns the inputs of a step, one for each distinct set of values of its hosts
 * @param now monotonic clock, in ms
 * @throws Problem 400; 429 `too_many_at_once`; 503 `busy`
 */
export async function requireRenderableSteps(
  content: RunContent,
  sourcesOf: (stepIndex: number) => readonly StepSources[],
  now: () => number = () => performance.now(),
): Promise<void> {
  let spentMs = 0;
  for (const group of listRenderingBatches(content.steps, sourcesOf)) {
    await turnOfOthers();
    const from = now();
    const faults = await Promise.all(group.map((work) => toRenderingProblem(work, spentMs > RENDERING_TIME_LIMIT_MS)));
    const fault = faults.find((each) => each !== null);
    if (fault) throw invalidRequest([fault], 'The run was not started.');
    spentMs += now() - from;
  }
}

/** Puts each step that takes a job in a thread in a group of its own, because the queue of jobs is short. */
function* listRenderingBatches(
  steps: readonly PlanStep[],
  sourcesOf: (stepIndex: number) => readonly StepSources[],
): Generator<StepRenderingWork[], void> {
  let group: StepRenderingWork[] = [];
  for (const [index, step] of steps.entries()) {
    const starting = toStartingStep(step);
    if (!starting) continue;
    const { rendersInThread } = getCommandStepType(starting);
    for (const sources of sourcesOf(index)) {
      if (!rendersInThread) group.push({ step: starting, sources });
      if (group.length > 0 && (group.length >= STEPS_PER_BATCH || rendersInThread)) {
        yield group;
        group = [];
      }
      if (rendersInThread) yield [{ step: starting, sources }];
    }
  }
  if (group.length > 0) yield group;
}

async function toRenderingProblem({ step, sources }: StepRenderingWork, isLate: boolean) {
  try {
    if (isLate) throw new CommandTemplateError('too_much', 'Rendering the steps up to this one takes more than 15 s.');
    // Values that a host or an earlier step reports are unknown until the step runs.
    const needs = await findStepFactNeeds(step, sources);
    if (!needs.host && !needs.steps) await renderStepCommand(step, sources);
    if (runsProgram(step) && step.check !== null) await requireRenderableText(step.check, sources);
    return null;
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    const message = `Step "${step.key}": ${error.message}`;
    return { path: '/variables', code: 'command_not_rendered' as const, message };
  }
}

async function requireRenderableText(text: string, { values, renderer }: StepSources): Promise<void> {
  const needs = await renderer.needs('command', text, values);
  if (!needs.host && !needs.steps) await renderer.text('command', text, values);
}

/**
 * Maximum number of host groups with distinct values that are rendered per step before the start. Errors of further
 * groups appear when the step reaches the host.
 */
const MAX_HOST_GROUPS = 20;

interface RenderingStart {
  content: RunContent;
  library: FrozenLibrary | undefined;
  renderer: StepRendering;
  frozen: Pick<FrozenValues, 'variables' | 'secrets'>;
  scopes?: readonly FrozenScope[];
  hosts: readonly FrozenHost[];
}

/** Collects what to render before a run starts: each step with the distinct values of its hosts. */
export function toRenderingRequest({
  content,
  library,
  renderer,
  frozen,
  scopes = [],
  hosts,
}: RenderingStart): RenderingRequest {
  const shared = listSharedValues(frozen, frozen.secrets);
  const sources = { library, renderer };
  const kinds: (readonly CommandValue[])[] = [];
  const places = new Map<string, number>();
  const valuesOf = new Map<string, ValuesByScope>();
  const snapshot = { variables: frozen.variables, scopes: [...scopes], plan: content };
  /** @param host null: hosts without values of their own */
  const kindOf = (host: FrozenHost | null, scope: number | null): number => {
    const own = host ? describeOwnValues(host) : '';
    const name = `${scope ?? ''} ${own}`;
    const place = places.get(name);
    if (place !== undefined) return place;
    places.set(name, kinds.length);
    const values =
      valuesOf.get(own) ?? ValuesByScope.create(snapshot, frozen.secrets, own === '' ? null : host, shared);
    valuesOf.set(own, values);
    return kinds.push(values.getScopeValues(scope).values) - 1;
  };
  const scopeOf = ({ scope }: RunStep) => scope?.values ?? null;
  if (!hosts.some(({ variables, secrets }) => variables ?? secrets))
    return { content, sources, kinds, ofSteps: content.steps.map((step) => [kindOf(null, scopeOf(step))]) };
  const known = new Map(hosts.map((host) => [host.server_id, host]));
  const hostsBySelector = new Map<string, FrozenHost[]>();
  const hostsOf = (targets: string): FrozenHost[] => {
    const before = hostsBySelector.get(targets);
    if (before) return before;
    const found = new Map<string, FrozenHost>();
    for (const id of listTargetIds(targets, hosts)) {
      const host = known.get(id);
      if (host) found.set(describeOwnValues(host), host);
      if (found.size >= MAX_HOST_GROUPS) break;
    }
    hostsBySelector.set(targets, [...found.values()]);
    return [...found.values()];
  };
  const ofSteps = content.steps.map((step) => hostsOf(step.targets).map((host) => kindOf(host, scopeOf(step))));
  return { content, sources, kinds, ofSteps };
}

interface RenderingRequest {
  readonly content: RunContent;
  readonly sources: Omit<StepSources, 'values'>;
  readonly kinds: readonly (readonly CommandValue[])[];
  /** For each step, the indexes in `kinds` that its hosts use. */
  readonly ofSteps: readonly (readonly number[])[];
}

export class NotRenderedError extends Error {
  override readonly name = 'NotRendered';

  constructor(readonly rendering: RenderingRequest) {
    super('This has to be rendered first.');
  }
}

const MAX_REMEMBERED = 5_000;
/**
 * Fingerprints of faultless renderings, oldest first. Rendering is deterministic, so equal content is not rendered
 * again.
 */
const renderedFingerprints = new Set<string>();
/** Random key of the fingerprints, which cover secrets. Without the key they reveal nothing outside of this process. */
const FINGERPRINT_KEY = createSecretKey(randomBytes(32));

/** Renderings per start. A further one is needed when the plan, library or values changed during the previous one. */
const MAX_RENDERING_ROUNDS = 3;

/**
 * Remembers faultless renderings. Rendering may take seconds and wait for a thread, so it happens between transactions.
 * Each transaction then verifies that its content was rendered, by this start or an earlier one.
 */
export class CheckedRenderings {
  readonly contents = new ReadContents();
  readonly commits = new ReadCommits();
  private renderedCount = 0;

  constructor(private readonly tenantId: string) {}

  /** @throws NotRendered */
  requireRendered(rendering: RenderingRequest): void {
    if (!renderedFingerprints.has(this.computeFingerprint(rendering))) throw new NotRenderedError(rendering);
  }

  /**
   * @throws Problem 400 for content that cannot be rendered; 409 `changed_meanwhile`; 429 `too_many_at_once`; 503
   *   `busy`
   */
  async renderRequested({ rendering }: NotRenderedError): Promise<void> {
    if (this.renderedCount >= MAX_RENDERING_ROUNDS)
      throw conflict(
        'changed_meanwhile',
        'The plan, its scripts, templates or variables are being changed. Try again shortly.',
      );
    const { content, sources, kinds, ofSteps } = rendering;
    await requireRenderableSteps(content, (index) =>
      (ofSteps[index] ?? []).map((kind) => ({ ...sources, values: kinds[kind] ?? [] })),
    );
    this.renderedCount += 1;
    for (const oldest of renderedFingerprints) {
      if (renderedFingerprints.size < MAX_REMEMBERED) break;
      renderedFingerprints.delete(oldest);
    }
    renderedFingerprints.add(this.computeFingerprint(rendering));
  }

  private computeFingerprint({ content, sources: { library }, kinds, ofSteps }: RenderingRequest): string {
    return createHmac('sha256', FINGERPRINT_KEY)
      .update(JSON.stringify([this.tenantId, content.steps, library ?? null, kinds, ofSteps]))
      .digest('base64');
  }
}

/**
 * Calls `attempt`, which opens its own transactions. After a missing rendering or git read, supplies it and calls
 * again.
 */
export async function withCheckedRenderings<T>(
  tenantId: string,
  attempt: (checked: CheckedRenderings) => Promise<T>,
): Promise<T> {
  const checked = new CheckedRenderings(tenantId);
  for (;;) {
    try {
      return await attempt(checked);
    } catch (error) {
      if (error instanceof NotRenderedError) await checked.renderRequested(error);
      else if (error instanceof ContentsNotReadError) await error.read();
      else throw error;
    }
  }
}
