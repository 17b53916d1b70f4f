import { Injectable } from '@nestjs/common';
import { toThreadFileUrl, type ThreadJob, ThreadPool, type ThreadShare } from '../../common/threads/thread-pool.js';
import { type Renderer, TemplateRenderer } from '../../templates/rendering/template-renderer.js';
import type { CommandFacts, FactNeeds } from './command-facts.js';
import type { ConditionScope } from './condition.js';
import { LoopAllowance, REQUEST_OPERATIONS } from './loop-allowance.js';
import type { CommandName, CommandValue } from './render-command.js';
import { TextQueue } from './text-queue.js';
import type { TextKind, TextTask } from './text-task.js';
import type { TextAnswer } from './text-thread.js';

/**
 * Maximum number of operations of all texts of one request. Runs have no such limit, because their texts were already
 * evaluated at the start.
 */
const MAX_OPERATIONS = 4_000_000;
/** Time limit for all texts of one request, in ms. Long, because such requests of a tenant wait for each other. */
const TIME_LIMIT_MS = 15_000;

const TEXT_JOB: ThreadJob<readonly TextTask[], TextAnswer[]> = {
  file: toThreadFileUrl('./text-thread', import.meta.url),
  runMs: 15_000,
};

/**
 * Evaluates the texts of a plan: cheap ones on the event loop, others in threads. Any call may wait for a thread, so it
 * must not be made in a transaction.
 */
export interface StepTextEvaluator {
  /**
   * Returns the kinds of facts that the text uses. @throws CommandTemplateError; Problem 429 `too_many_at_once`, 503
   * `busy`
   */
  needs(kind: TextKind | 'condition', text: string, values: readonly CommandName[]): Promise<FactNeeds>;
  /** @throws like `needs` */
  text(kind: TextKind, text: string, values: readonly CommandValue[], facts?: CommandFacts): Promise<string>;
  /** @throws like `needs` */
  decide(condition: string, scope: ConditionScope): Promise<boolean>;
}

export type StepRendering = StepTextEvaluator & Renderer;

@Injectable()
export class StepRenderer {
  private readonly loopAllowance = new LoopAllowance();

  constructor(
    private readonly threads: ThreadPool,
    private readonly templates: TemplateRenderer,
  ) {}

  createStepRendering(share: ThreadShare): StepRendering {
    return { ...this.templates.of(share), ...createTextEvaluator(this.createTextQueue(share)) };
  }

  private createTextQueue(share: ThreadShare): TextQueue {
    const { tenantId, asks } = share;
    const isRequest = asks === 'request';
    const deadline = performance.now() + TIME_LIMIT_MS;
    let left = isRequest ? REQUEST_OPERATIONS : Number.POSITIVE_INFINITY;
    return new TextQueue(
      {
        getLoopAllowance: () => Math.min(left, this.loopAllowance.getRemaining(tenantId)),
        spendLoopAllowance: (operations) => {
          left -= operations;
          this.loopAllowance.take(tenantId, operations);
        },
        mostOperations: isRequest ? MAX_OPERATIONS : Number.POSITIVE_INFINITY,
        isLate: () => isRequest && performance.now() > deadline,
        // A request uses one job at a time, because many requests may come at once and the pool refuses too many
        // waiting jobs.
        mostJobs: isRequest ? 1 : this.threads.perTenant,
      },
      (tasks) => this.threads.run(TEXT_JOB, tasks, share),
    );
  }
}

export const createTextEvaluator = (queue: TextQueue): StepTextEvaluator => ({
  needs: async (kind, text, values) => (await queue.evaluate({ does: 'needs', kind, text, values })) as FactNeeds,
  text: async (kind, text, values, facts) =>
    (await queue.evaluate({ does: 'render', kind, text, values, facts })) as string,
  decide: async (text, { values, facts }) => (await queue.evaluate({ does: 'decide', text, values, facts })) as boolean,
});
