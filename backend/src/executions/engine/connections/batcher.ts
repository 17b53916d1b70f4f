import { setTimeout as delay } from 'node:timers/promises';

/** Minimum interval between batches while items keep arriving, in ms; the first batch starts immediately. */
const GATHER_MS = 25;

interface WaitingItem<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects items while one batch is processed, and sends them as the next batch. Hosts connect at about the same time,
 * and one transaction per host would cost more than its queries.
 */
export class Batcher<Item, Answer> {
  private waiting: WaitingItem<Item, Answer>[] = [];
  private isAsking = false;

  /**
   * @param ask returns one answer per item, in the same order; a rejection rejects every item of the batch
   * @param maxItems maximum number of items per batch
   * @param toBatchKey returns a lock key; items with equal keys never share a batch and keep their order
   */
  constructor(
    private readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
    private readonly maxItems: number,
    private readonly toBatchKey: (item: Item) => string,
  ) {}

  enqueue(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isAsking) void this.sendBatches();
    });
  }

  private async sendBatches(): Promise<void> {
    this.isAsking = true;
    // Waits until all items of this event loop turn have arrived, so that the batch includes them.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const next = delay(GATHER_MS);
      await this.sendBatch(this.takeBatch());
      await next;
    }
    this.isAsking = false;
  }

  private async sendBatch(lot: readonly WaitingItem<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(lot.map(({ item }) => item));
      lot.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      for (const { reject } of lot) reject(error);
    }
  }

  private takeBatch(): WaitingItem<Item, Answer>[] {
    const lot = new Map<string, WaitingItem<Item, Answer>>();
    const rest: WaitingItem<Item, Answer>[] = [];
    for (const each of this.waiting) {
      const turn = this.toBatchKey(each.item);
      if (lot.size < this.maxItems && !lot.has(turn)) lot.set(turn, each);
      else rest.push(each);
    }
    this.waiting = rest;
    return [...lot.values()];
  }
}
