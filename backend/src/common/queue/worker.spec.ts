import { describe, expect, it } from '@jest/globals';
import type { JobHandler } from './job-handler.js';
import { QUEUES, type QueueName } from './queue-names.js';
import { filterJobHandlers } from './worker.js';

const handlerOf = (queue: QueueName): JobHandler => ({ queue, concurrency: 1, handle: () => Promise.resolve() });
const complete = Object.values(QUEUES).map(handlerOf);

describe('handlers of a worker', () => {
  it('are the parts with a queue', () => {
    expect(filterJobHandlers([...complete, { start: () => undefined }])).toEqual(complete);
  });

  it.each(Object.values(QUEUES))('are refused unless %s has exactly one', (queue) => {
    const others = complete.filter((handler) => handler.queue !== queue);
    expect(() => filterJobHandlers(others)).toThrow(`The queue ${queue} needs one handler and has 0.`);
    expect(() => filterJobHandlers([...complete, handlerOf(queue)])).toThrow(
      `The queue ${queue} needs one handler and has 2.`,
    );
  });
});
