import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { conflict } from '../../../common/errors/problem.js';
import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { RunContent } from '../../record/run-content.js';
import type { StepSources } from '../../steps/step-command.js';
import { requireRenderableSteps } from './check-rendering.js';
import { ReadCommits } from './freezing/read-commits.js';
import { ContentsNotReadError, ReadContents } from './freezing/read-contents.js';

export interface RenderingRequest {
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
