import { createHash } from 'node:crypto';
import { conflict } from '../../../common/errors/problem.js';
import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { RunContent } from '../../record/run-content.js';
import type { StepSources } from '../../steps/step-command.js';
import { checkRendering } from './check-rendering.js';
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

/** How often the plan, its library or its values may change while they are rendered. */
const TRIES = 3;

/**
 * What was rendered for one start without fault. Rendering may take seconds and wait for a thread, so it is done
 * between transactions, and each transaction then looks whether what it read is what was rendered.
 */
export class CheckedRenderings {
  /** What was read of git sources, between transactions too. */
  readonly contents = new ReadContents();
  private readonly sound = new Set<string>();

  /** @throws NotRendered */
  demand(rendering: Rendering): void {
    if (!this.sound.has(fingerprintOf(rendering))) throw new NotRendered(rendering);
  }

  /** @throws Problem 400 for what cannot be rendered; 409 `changed_meanwhile`; 429 `too_many_at_once`, 503 `busy` */
  async render({ rendering }: NotRendered): Promise<void> {
    if (this.sound.size >= TRIES)
      throw conflict(
        'changed_meanwhile',
        'The plan, its scripts and templates or its variables are being changed. Try again when that is done.',
      );
    const { content, sources, kinds, ofSteps } = rendering;
    await checkRendering(content, (index) =>
      (ofSteps[index] ?? []).map((kind) => ({ ...sources, values: kinds[kind] ?? [] })),
    );
    this.sound.add(fingerprintOf(rendering));
  }
}

/** Does what `attempt` does in transactions of its own, again after each rendering that it lacked. */
export async function withCheckedRenderings<T>(attempt: (checked: CheckedRenderings) => Promise<T>): Promise<T> {
  const checked = new CheckedRenderings();
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

const fingerprintOf = ({ content, sources: { library }, kinds, ofSteps }: Rendering): string =>
  createHash('sha256')
    .update(JSON.stringify([content.steps, library ?? null, kinds, ofSteps]))
    .digest('base64');
