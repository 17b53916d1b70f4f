import { setTimeout as delay } from 'node:timers/promises';

/** While questions keep coming they are asked this often at the most, in ms; the first one is asked at once. */
const GATHER_MS = 25;

/** One that waits for its answer. */
interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Questions that are asked together: while one lot is under way the others gather for the next one. Hosts connect at
 * about the same time, and a transaction for each of them would cost more than what it asks.
 */
export class Gathered<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private asking = false;

  /**
   * @param ask answers in the order of the items; when it fails, each of them hears so
   * @param most items asked about at once
   * @param turnOf items with the same turn are not asked about together, but in their order
   */
  constructor(
    private readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
    private readonly most: number,
    private readonly turnOf: (item: Item) => string,
  ) {}

  of(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.asking) void this.askAll();
    });
  }

  private async askAll(): Promise<void> {
    this.asking = true;
    // Whoever comes in the same turn of the loop is asked about together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const next = delay(GATHER_MS);
      await this.askSome(this.takeLot());
      await next;
    }
    this.asking = false;
  }

  private async askSome(lot: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(lot.map(({ item }) => item));
      lot.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      for (const { reject } of lot) reject(error);
    }
  }

  private takeLot(): Waiting<Item, Answer>[] {
    const lot = new Map<string, Waiting<Item, Answer>>();
    const rest: Waiting<Item, Answer>[] = [];
    for (const each of this.waiting) {
      const turn = this.turnOf(each.item);
      if (lot.size < this.most && !lot.has(turn)) lot.set(turn, each);
      else rest.push(each);
    }
    this.waiting = rest;
    return [...lot.values()];
  }
}
