import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  JobEndedError,
  toThreadFileUrl,
  type ThreadJob,
  ThreadPool,
  type ThreadShare,
} from '../../common/threads/thread-pool.js';
import { CommandTemplateError, type CommandValue, type CommandName } from './render-command.js';
import { evaluateText, type TextResult, type TextTask, type TextKind } from './text-task.js';
import type { TextAnswer } from './text-thread.js';
import { TooMuchWorkError, WorkMeter } from './work-meter.js';
import { type Renderer, TemplateRenderer } from '../../templates/rendering/template-renderer.js';
import type { CommandFacts, FactNeeds } from './command-facts.js';
import type { ConditionScope } from './condition.js';

/** Maximum number of operations of one request on the event loop: about 20 ms. */
export const REQUEST_OPERATIONS = 10_000;
/** Budget of one tenant, and number of operations that it regains per ms (about a tenth of the event loop's time). */
const TENANT_OPERATIONS = 10_000;
const OPERATIONS_PER_MS = 50;
const MAX_TENANTS = 1000;

/** Remaining operations of each tenant on the event loop of this process. */
export class LoopAllowance {
  private readonly tenants = new Map<string, { left: number; at: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  getRemaining(tenantId: string): number {
    const now = this.now();
    const known = this.tenants.get(tenantId);
    return known ? Math.min(TENANT_OPERATIONS, known.left + (now - known.at) * OPERATIONS_PER_MS) : TENANT_OPERATIONS;
  }

  take(tenantId: string, operations: number): void {
    const left = this.getRemaining(tenantId) - operations;
    this.tenants.delete(tenantId);
    this.tenants.set(tenantId, { left, at: this.now() });
    // The least recently used entry has its full budget again, so it need not be stored.
    if (this.tenants.size > MAX_TENANTS) for (const [oldest] of this.tenants) return void this.tenants.delete(oldest);
  }
}

/** Maximum number of operations of one text on the event loop. */
const LOOP_TURN_OPERATIONS = 2_000;
const MIN_LOCAL_OPERATIONS = 50;
/** Number of operations before other tasks get a turn: about 1 ms. */
const OPERATIONS_PER_TURN = 500;
const MAX_TASKS = 32;

interface TextOrder {
  readonly task: TextTask;
  /** The text needs its own job, because its previous job, with several texts, ended the thread. */
  alone: boolean;
  readonly resolve: (result: TextResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface TextLimits {
  readonly getLoopAllowance: () => number;
  readonly spendLoopAllowance: (operations: number) => void;
  /** Maximum number of operations of all texts together, on the event loop and in threads. */
  readonly mostOperations: number;
  readonly isLate: () => boolean;
  readonly mostJobs: number;
}

/**
 * Evaluates texts of plans: on the event loop within the limits, others in threads. Texts that are requested at the
 * same time share a job.
 */
export class TextQueue {
  private readonly waiting: TextOrder[] = [];
  private readonly threadOrders: TextOrder[] = [];
  private isDraining = false;
  private jobs = 0;
  private operations = 0;

  constructor(
    private readonly limits: TextLimits,
    /** Evaluates in a thread. May return answers for only the first tasks. @throws JobEnded */
    private readonly evaluateInThread: (tasks: readonly TextTask[]) => Promise<readonly TextAnswer[]>,
  ) {}

  /** @throws CommandTemplateError; errors of `evaluateInThread` */
  evaluate(task: TextTask): Promise<TextResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, alone: false, resolve, reject });
      if (this.isDraining) return;
      this.isDraining = true;
      queueMicrotask(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    let operationsSinceTurn = 0;
    for (let order = this.waiting.shift(); order; order = this.waiting.shift()) {
      operationsSinceTurn += this.evaluateInLoop(order);
      if (operationsSinceTurn < OPERATIONS_PER_TURN) continue;
      operationsSinceTurn = 0;
      this.startJobs();
      await turnOfOthers();
    }
    this.isDraining = false;
    this.startJobs();
  }

  /**
   * Evaluates on the event loop, but gives up and leaves the text to a thread if it is too expensive. @returns number
   * of operations used
   */
  private evaluateInLoop(order: TextOrder): number {
    const { getLoopAllowance, spendLoopAllowance } = this.limits;
    const fault = this.findExceededLimit();
    if (fault) {
      order.reject(fault);
      return 0;
    }
    const limit = Math.min(LOOP_TURN_OPERATIONS, getLoopAllowance());
    if (limit < MIN_LOCAL_OPERATIONS) {
      this.threadOrders.push(order);
      return 0;
    }
    const meter = new WorkMeter(limit);
    try {
      order.resolve(evaluateText(order.task, meter));
    } catch (error) {
      if (error instanceof TooMuchWorkError) this.threadOrders.push(order);
      else order.reject(error);
    }
    spendLoopAllowance(meter.operations);
    this.operations += meter.operations;
    return meter.operations;
  }

  private findExceededLimit(): CommandTemplateError | null {
    const { mostOperations, isLate } = this.limits;
    const limit =
      this.operations > mostOperations ? `${mostOperations.toLocaleString('en')} operations` : isLate() ? '15 s' : null;
    return limit === null
      ? null
      : new CommandTemplateError('too_much', `Rendering the steps up to this one takes more than ${limit}.`);
  }

  private startJobs(): void {
    while (this.jobs < this.limits.mostJobs) {
      const [first] = this.threadOrders;
      if (!first) return;
      const orders = this.threadOrders.splice(0, first.alone ? 1 : MAX_TASKS);
      this.jobs += 1;
      void this.run(orders).finally(() => {
        this.jobs -= 1;
        this.startJobs();
      });
    }
  }

  private async run(orders: readonly TextOrder[]): Promise<void> {
    const fault = this.findExceededLimit();
    if (fault) {
      for (const { reject } of orders) reject(fault);
      return;
    }
    const hidden = new Map<TextTask['values'], TextTask['values']>();
    try {
      const answers = await this.evaluateInThread(orders.map(({ task }) => replaceSecrets(task, hidden)));
      for (const [index, { operations, outcome }] of answers.entries()) {
        this.operations += operations;
        const order = orders[index];
        if ('result' in outcome) order?.resolve(outcome.result);
        else order?.reject(new CommandTemplateError(outcome.fault.code, outcome.fault.message));
      }
      this.threadOrders.unshift(...orders.slice(answers.length));
    } catch (error) {
      if (error instanceof JobEndedError && orders.length > 1)
        this.threadOrders.unshift(...orders.map((order) => Object.assign(order, { alone: true })));
      else for (const { reject } of orders) reject(error instanceof JobEndedError ? tooMuchWorkError(error) : error);
    }
  }
}

/**
 * Removes the values of secrets from a task. Returns the same object for the same list of values, so that a thread gets
 * each list once.
 */
function replaceSecrets(task: TextTask, known: Map<TextTask['values'], TextTask['values']>): TextTask {
  const hidden = known.get(task.values) ?? task.values.map(toPlaceholderValue);
  known.set(task.values, hidden);
  return { ...task, values: hidden } as TextTask;
}

const toPlaceholderValue = (value: TextTask['values'][number] | CommandValue): CommandValue => ({
  name: value.name,
  secret: value.secret,
  value: !value.secret && 'value' in value ? value.value : null,
});

const tooMuchWorkError = ({ exceeded }: JobEndedError): CommandTemplateError =>
  new CommandTemplateError('too_much', `Rendering this text takes too much ${exceeded}.`);

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
