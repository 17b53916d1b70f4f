import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../../common/database/notifications.js';
import { type FeedPage, readFeedPage, readLastNumber } from './feed-reader.js';

/** Minimum interval between batches of events, in ms. Each batch is one read and one buffer for all watchers. */
const GATHER_MS = 100;
/** Maximum interval between reads, in ms. It bounds the delay when a notification is lost. */
const POLL_MS = 2_000;
/** Sent once to each watcher, after all events that were stored before. Clients show "catching up" until then. */
const UP_TO_DATE = Buffer.from(': up to date\n\n');

export interface FeedWatcher {
  /** @returns false when the watcher accepts no more frames until it resumes, else true */
  write(frames: Buffer): boolean;
  end(): void;
}

export interface FeedWatch {
  resume(): void;
  leave(): void;
}

interface FeedPosition {
  at: number;
  full: boolean;
  upToDate: boolean;
}

/**
 * Feeds of runs. Per process, each run has one reader for any number of watchers. A read is serialised once, and all
 * watchers that are up to date get the same buffer. Other watchers catch up separately, page by page.
 */
@Injectable()
export class RunFeeds {
  private readonly feeds = new Map<string, RunFeed>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: Notifications,
  ) {}

  readLastEventNumber(tenantId: string, executionId: string): Promise<number> {
    return this.units.run(tenantId, (tx) => readLastNumber(tx, executionId));
  }

  /** Sends the run's events after number `from` to the watcher, until the watcher leaves or the run is finished. */
  watchRun(tenantId: string, executionId: string, from: number, watcher: FeedWatcher): FeedWatch {
    let feed = this.feeds.get(executionId);
    if (!feed) {
      feed = new RunFeed(
        (after) => this.units.run(tenantId, (tx) => readFeedPage(tx, executionId, after)),
        (wake) =>
          this.notifications.subscribe(CHANNELS.executionChanged, (payload) => {
            if (payload === '' || payload === executionId) wake();
          }),
        () => this.feeds.delete(executionId),
      );
      this.feeds.set(executionId, feed);
    }
    return feed.addWatcher(watcher, from);
  }
}

class RunFeed {
  private readonly log = new Logger('Stream');
  private readonly watchers = new Map<FeedWatcher, FeedPosition>();
  private readonly stopListening: () => unknown;
  private readonly pollTimer: NodeJS.Timeout;
  private gatherTimer: NodeJS.Timeout | null = null;
  private lastWakeMs = -Infinity;
  private reading = false;
  private woken = false;
  private closed = false;

  constructor(
    private readonly read: (after: number) => Promise<FeedPage>,
    listen: (wake: () => void) => () => unknown,
    private readonly onEmpty: () => void,
  ) {
    this.stopListening = listen(() => this.requestRead());
    this.pollTimer = setInterval(() => this.requestRead(), POLL_MS);
  }

  addWatcher(watcher: FeedWatcher, from: number): FeedWatch {
    const place: FeedPosition = { at: from, full: false, upToDate: false };
    this.watchers.set(watcher, place);
    void this.readAndDeliver();
    return {
      resume: () => {
        place.full = false;
        void this.readAndDeliver();
      },
      leave: () => this.leave(watcher),
    };
  }

  private leave(watcher: FeedWatcher): void {
    this.watchers.delete(watcher);
    if (this.watchers.size > 0 || this.closed) return;
    this.closed = true;
    this.stopListening();
    clearInterval(this.pollTimer);
    if (this.gatherTimer) clearTimeout(this.gatherTimer);
    this.onEmpty();
  }

  private requestRead(): void {
    if (this.gatherTimer || this.closed) return;
    // Sends the first event after a pause without delay.
    const wait = Math.max(0, this.lastWakeMs + GATHER_MS - performance.now());
    this.gatherTimer = setTimeout(() => {
      this.gatherTimer = null;
      this.lastWakeMs = performance.now();
      void this.readAndDeliver();
    }, wait);
  }

  /** Brings every watcher up to date. Watchers at the same position share one read. */
  private async readAndDeliver(): Promise<void> {
    this.woken = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.woken && !this.closed) {
        this.woken = false;
        for (;;) {
          // Ignores watchers that accept no frames now. They catch up when they resume.
          const lowestPosition = Math.min(
            ...[...this.watchers.values()].filter(({ full }) => !full).map(({ at }) => at),
          );
          if (!Number.isFinite(lowestPosition)) break;
          const page = await this.read(lowestPosition);
          this.deliverPage(page, lowestPosition);
          if (page.last === lowestPosition) break;
        }
      }
    } catch (error) {
      // The database is unavailable: watchers stay connected, and the next read catches up.
      this.log.warn(`Reading a run's events failed: ${String(error)}`);
    } finally {
      this.reading = false;
    }
  }

  private deliverPage(page: FeedPage, lowestPosition: number): void {
    const frames = Buffer.from(page.frames);
    for (const [watcher, place] of this.watchers) {
      if (place.at !== lowestPosition || place.full) continue;
      place.at = page.last;
      if (frames.length > 0) place.full = !watcher.write(frames);
      else if (!place.upToDate) {
        place.upToDate = true;
        place.full = !watcher.write(UP_TO_DATE);
      }
      if (page.finished) {
        watcher.end();
        this.leave(watcher);
      }
    }
  }
}
