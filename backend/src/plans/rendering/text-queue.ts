import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { JobEndedError } from '../../common/threads/thread-pool.js';
import { CommandTemplateError, type CommandValue } from './render-command.js';
import { evaluateText, type TextResult, type TextTask } from './text-task.js';
import type { TextAnswer } from './text-thread.js';
import { TooMuchWorkError, WorkMeter } from './work-meter.js';

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
