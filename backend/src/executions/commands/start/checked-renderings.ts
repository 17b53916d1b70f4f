import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { conflict } from '../../../common/errors/problem.js';
import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { RunContent } from '../../record/run-content.js';
import type { StepSources } from '../../steps/step-command.js';
import { checkRendering } from './check-rendering.js';
import { ReadCommits } from './freezing/read-commits.js';
import { NotRead, ReadContents } from './freezing/read-contents.js';

/** What a start would render: steps, scripts and templates, values. */
export interface Rendering {
  readonly content: RunContent;
  /** Of what the steps are rendered with but for the values. */
  readonly sources: Omit<StepSources, 'values'>;
  /** Values that hosts have, each kind once. */
  readonly kinds: readonly (readonly CommandValue[])[];
  /** Which of the kinds the hosts of each step have, by index. */
  readonly ofSteps: readonly (readonly number[])[];
}

/** Ends the transaction that found something which was not rendered yet. */
export class NotRendered extends Error {
  override readonly name = 'NotRendered';

  constructor(readonly rendering: Rendering) {
    super('This has to be rendered first.');
  }
}

/** How many renderings are remembered; each is some 50 bytes. */
const REMEMBERED = 5_000;
/** By fingerprint: what was rendered without fault of late, oldest first. The same would be rendered the same again. */
const remembered = new Set<string>();
/** Fingerprints cover secrets, and are of no use outside of this process. */
const KEY = createSecretKey(randomBytes(32));

/** How often the plan, its library or its values may change while they are rendered. */
const TRIES = 3;

/**
 * What was rendered for one start without fault. Rendering may take seconds and wait for a thread, so it is done
 * between transactions, and each transaction then looks whether what it read is what was rendered, for this start or
 * for an earlier one.
 */
export class CheckedRenderings {
  /** What was read of git sources, between transactions too. */
  readonly contents = new ReadContents();
  readonly commits = new ReadCommits();
  private rendered = 0;

  constructor(private readonly tenantId: string) {}

  /** @throws NotRendered */
  demand(rendering: Rendering): void {
    if (!remembered.has(this.fingerprintOf(rendering))) throw new NotRendered(rendering);
  }

  /** @throws Problem 400 for what cannot be rendered; 409 `changed_meanwhile`; 429 `too_many_at_once`, 503 `busy` */
  async render({ rendering }: NotRendered): Promise<void> {
    if (this.rendered >= TRIES)
      throw conflict(
        'changed_meanwhile',
        'The plan, its scripts, templates or variables are being changed. Try again shortly.',
      );
    const { content, sources, kinds, ofSteps } = rendering;
    await checkRendering(content, (index) =>
      (ofSteps[index] ?? []).map((kind) => ({ ...sources, values: kinds[kind] ?? [] })),
    );
    this.rendered += 1;
    for (const oldest of remembered) {
      if (remembered.size < REMEMBERED) break;
      remembered.delete(oldest);
    }
    remembered.add(this.fingerprintOf(rendering));
  }

  private fingerprintOf({ content, sources: { library }, kinds, ofSteps }: Rendering): string {
    return createHmac('sha256', KEY)
      .update(JSON.stringify([this.tenantId, content.steps, library ?? null, kinds, ofSteps]))
      .digest('base64');
  }
}

/** Does what `attempt` does in transactions of its own, again after each rendering that it lacked. */
export async function withCheckedRenderings<T>(
  tenantId: string,
  attempt: (checked: CheckedRenderings) => Promise<T>,
): Promise<T> {
  const checked = new CheckedRenderings(tenantId);
  for (;;) {
    try {
      return await attempt(checked);
    } catch (error) {
      if (error instanceof NotRendered) await checked.render(error);
      else if (error instanceof NotRead) await error.read();
      else throw error;
    }
  }
}
