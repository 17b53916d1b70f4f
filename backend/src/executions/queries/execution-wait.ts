import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import {
  CREDENTIAL_CHECK,
  type CredentialCheck,
  type Principal,
  type RunwardRequest,
} from '../../common/access/principal.js';
import { CHANNELS, Notifications } from '../../common/database/notifications.js';
import type { GetExecutionQuery, WaitUntil } from '../contract/queries.dto.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { ExecutionsReader } from './executions.reader.js';
import { type ExecutionStatus, isFinished } from '../lifecycle/statuses.js';

/** Longest time between two reads of the run, in ms. Bounds the delay after a lost notification. */
const POLL_MS = 2_000;

/** Delays the response to a GET until the run reaches the requested state, so that CI need not poll. */
@Injectable()
export class ExecutionWait {
  constructor(
    private readonly executions: ExecutionsReader,
    private readonly notifications: Notifications,
    @Inject(CREDENTIAL_CHECK) private readonly credentials: CredentialCheck,
  ) {}

  /** @throws Problem 404; 401 when the credential ended during the wait */
  async getWhenReached(
    caller: Principal,
    id: string,
    query: GetExecutionQuery,
    request: Request & RunwardRequest,
  ): Promise<ExecutionView> {
    const until = query.until ?? 'settled';
    const deadline = performance.now() + (query.wait ?? 0) * 1000;
    let wake = (): void => undefined;
    let timer: NodeJS.Timeout | undefined;
    // With many hosts, a run changes many times per second, but its status rarely changes.
    const channel = until === 'change' ? CHANNELS.executionChanged : CHANNELS.executionStatus;
    const stop = query.wait
      ? this.notifications.subscribe(channel, (payload) => {
          if (payload === '' || payload === id) wake();
        })
      : () => false;
    try {
      while (performance.now() < deadline) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const { status, version } = await this.executions.getRunState(caller, id);
        if (isConditionReached(until, { status, version: Number(version) }, query.version ?? 0)) break;
        timer = setTimeout(() => wake(), Math.min(POLL_MS, Math.max(0, deadline - performance.now())));
        await woken;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
      stop();
    }
    // The caller may have lost the role or credential during the wait.
    const now = query.wait ? await this.credentials.resolveRequest(request) : caller;
    return this.executions.get(now, id, query.hostsCursor);
  }
}

/** @param seen version of the run that the client has */
function isConditionReached(
  until: WaitUntil,
  run: { status: ExecutionStatus; version: number },
  seen: number,
): boolean {
  switch (until) {
    case 'settled':
      return isFinished(run.status) || run.status === 'PAUSED';
    case 'finished':
      return isFinished(run.status);
    case 'change':
      return run.version > seen;
  }
}
